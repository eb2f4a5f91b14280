package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import picocli.CommandLine.Option;

/** The option that bounds a list. */
final class LimitOption {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "The most to list. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  int value() {
    if (limit < 1) {
      throw CommandFailure.wrongUsage("--limit is " + limit + ": must be at least 1");
    }
    return limit;
  }
}
