package dev.reprise.demor.cli;

import picocli.CommandLine.Command;

@Command(name = "demo", description = "Show the whole story on one terminal.")
final class DemoCommand extends BaseCommand {
  @Override
  public Integer call() {
    return 1;
  }
}
