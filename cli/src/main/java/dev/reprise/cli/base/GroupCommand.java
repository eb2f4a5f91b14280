package dev.reprise.cli.base;

/** A command that only has commands of its own. */
public abstract class GroupCommand extends BaseCommand {
  @Override
  public Integer call() {
    throw wrongUsage(
        "a command is missing: one of " + String.join(", ", spec().subcommands().keySet()));
  }
}
