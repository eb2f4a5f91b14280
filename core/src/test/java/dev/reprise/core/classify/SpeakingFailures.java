package dev.reprise.core.classify;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Failures that say something of themselves. */
abstract class SpeakingFailures {
  @SuppressWarnings("serial")
  static class Said extends RuntimeException implements RetryInfo {
    private final RetrySafety safety;

    Said(RetrySafety safety, @Nullable Throwable cause) {
      super(cause);
      this.safety = safety;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return safety;
    }
  }

  /** A throttle with a hint. */
  @SuppressWarnings("serial")
  static final class Hinted extends Said {
    private final Duration hint;

    Hinted(RetrySafety safety, Duration hint, @Nullable Throwable cause) {
      super(safety, cause);
      this.hint = hint;
    }

    @Override
    public boolean isThrottle() {
      return true;
    }

    @Override
    public Duration retryAfter() {
      return hint;
    }
  }

  @SuppressWarnings("serial")
  static final class AtFault extends RuntimeException implements ErrorInfo {
    private final ErrorFault fault;

    AtFault(ErrorFault fault, @Nullable Throwable cause) {
      super(cause);
      this.fault = fault;
    }

    @Override
    public ErrorFault fault() {
      return fault;
    }
  }

  @SuppressWarnings("serial")
  static final class Linked extends RuntimeException {
    @Nullable Linked next;

    @Override
    public synchronized @Nullable Throwable getCause() {
      return next;
    }
  }

  @SuppressWarnings("serial")
  static final class Fountain extends RuntimeException {
    @Override
    public synchronized Throwable getCause() {
      return new Fountain();
    }
  }
}
