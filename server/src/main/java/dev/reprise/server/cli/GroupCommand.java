package dev.reprise.server.cli;

/** A command that only has commands of its own. */
abstract class GroupCommand extends BaseCommand {
  @Override
  public Integer call() {
    throw wrongUsage(
        "a command is missing: one of " + String.join(", ", spec().subcommands().keySet()));
  }
}
