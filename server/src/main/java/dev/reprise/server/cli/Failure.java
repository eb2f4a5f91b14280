package dev.reprise.server.cli;

/** Why a command ends early: one line for the user, and the exit code. */
class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitCode;

  Failure(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  static Failure failed(String message) {
    return new Failure(ExitCode.FAILED, message);
  }

  static Failure wrongUsage(String message) {
    return new Failure(ExitCode.WRONG_USAGE, message);
  }

  final int exitCode() {
    return exitCode;
  }

  final String text() {
    return String.valueOf(getMessage());
  }

  /** The service did nothing of what it was asked, and says when to ask again. */
  static final class Busy extends Failure {
    private static final long serialVersionUID = 1;

    private final int retryAfterSeconds;

    Busy(String message, int retryAfterSeconds) {
      super(ExitCode.FAILED, message);
      this.retryAfterSeconds = retryAfterSeconds;
    }

    /** Returns how long to wait, at least one second. */
    int retryAfterSeconds() {
      return retryAfterSeconds;
    }
  }
}
