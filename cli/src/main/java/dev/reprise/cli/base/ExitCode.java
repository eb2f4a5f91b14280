package dev.reprise.cli.base;

/** The exit codes of commands; listed in {@code reprise --help}. */
public final class ExitCode {
  public static final int DONE = 0;
  public static final int FAILED = 1;
  public static final int WRONG_USAGE = 2;
  public static final int UNREACHABLE = 3;
  public static final int NOT_FOUND = 4;
  public static final int REFUSED = 5;

  /** The service ended by itself: a shard or the store has failed for good. */
  public static final int BROKEN = 6;

  /**
   * A condition of {@code --fail-if} is fulfilled, or {@code apply --dry-run} would change
   * something: everything else went as asked.
   */
  public static final int CONDITION = 7;

  /** Files of the data folder are damaged: the service would end the same way again. */
  public static final int DAMAGED = 8;

  private ExitCode() {}
}
