package dev.reprise.server.cli;

import picocli.CommandLine.Command;

@Command(name = "serve", description = "Run the service.")
final class ServeCommand extends BaseCommand {
  @Override
  public Integer call() {
    return 1;
  }
}
