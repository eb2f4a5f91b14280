package dev.reprise.server.cli;

/** What the exit code of a command says; listed in {@code reprise --help}. */
final class ExitCode {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int WRONG_USAGE = 2;
  static final int UNREACHABLE = 3;
  static final int NOT_FOUND = 4;
  static final int REFUSED = 5;

  /** The service ended by itself: a shard or the store has failed for good. */
  static final int BROKEN = 6;

  /** A condition of {@code --fail-if} is fulfilled: everything else went as asked. */
  static final int CONDITION = 7;

  private ExitCode() {}
}
