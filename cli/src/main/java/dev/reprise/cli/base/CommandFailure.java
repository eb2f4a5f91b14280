package dev.reprise.cli.base;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Why a command ends early: one line for the user, and the exit code. */
public class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitCode;
  private final ArrayList<String> details;

  public CommandFailure(int exitCode, String message) {
    this(exitCode, message, List.of());
  }

  /** A failure whose message is followed by lines, such as one for each mistake of a document. */
  public CommandFailure(int exitCode, String message, List<String> details) {
    super(message, null, false, false);
    this.exitCode = exitCode;
    this.details = new ArrayList<>(details);
  }

  public static CommandFailure failed(String message) {
    return new CommandFailure(ExitCode.FAILED, message);
  }

  public static CommandFailure wrongUsage(String message) {
    return new CommandFailure(ExitCode.WRONG_USAGE, message);
  }

  public final int exitCode() {
    return exitCode;
  }

  public final String text() {
    return String.valueOf(getMessage());
  }

  public final List<String> details() {
    return List.copyOf(details);
  }

  /** Returns message and details as one line. */
  public final String inOneLine() {
    return details.isEmpty() ? text() : text() + " " + String.join("; ", details);
  }

  /** The service did nothing of what it was asked, and says when to ask again. */
  public static final class Busy extends CommandFailure implements RetryInfo {
    private static final long serialVersionUID = 1;

    private final int retryAfterSeconds;

    public Busy(String message, int retryAfterSeconds) {
      super(ExitCode.FAILED, message);
      this.retryAfterSeconds = retryAfterSeconds;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }

    @Override
    public boolean isThrottle() {
      return true;
    }

    /** {@inheritDoc} At least one second. */
    @Override
    public Duration retryAfter() {
      return Duration.ofSeconds(retryAfterSeconds);
    }
  }
}
