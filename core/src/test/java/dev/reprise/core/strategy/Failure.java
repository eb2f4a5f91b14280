package dev.reprise.core.strategy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A failure that says all there is to say. */
public final class Failure extends RuntimeException implements RetryInfo {
  private static final long serialVersionUID = 1;

  private final RetrySafety safety;
  private final boolean throttle;
  private final boolean timeout;
  private final @Nullable Duration hint;

  private Failure(RetrySafety safety, boolean throttle, boolean timeout, @Nullable Duration hint) {
    super(safety + (throttle ? ", throttle" : "") + (timeout ? ", timeout" : ""));
    this.safety = safety;
    this.throttle = throttle;
    this.timeout = timeout;
    this.hint = hint;
  }

  /** A failure that may be retried and is neither throttle nor timeout. */
  public static Failure error() {
    return safety(RetrySafety.YES);
  }

  public static Failure throttle() {
    return new Failure(RetrySafety.YES, true, false, null);
  }

  public static Failure timeout() {
    return new Failure(RetrySafety.YES, false, true, null);
  }

  public static Failure safety(RetrySafety safety) {
    return new Failure(safety, false, false, null);
  }

  public Failure withHint(@Nullable Duration newHint) {
    return new Failure(safety, throttle, timeout, newHint);
  }

  public Failure withSafety(RetrySafety newSafety) {
    return new Failure(newSafety, throttle, timeout, hint);
  }

  @Override
  public RetrySafety isRetrySafe() {
    return safety;
  }

  @Override
  public boolean isThrottle() {
    return throttle;
  }

  @Override
  public boolean isTimeout() {
    return timeout;
  }

  @Override
  public @Nullable Duration retryAfter() {
    return hint;
  }
}
