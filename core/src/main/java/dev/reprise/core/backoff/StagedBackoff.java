package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * The four-stage backoff of notification services (Amazon SNS documentation): some retries at once,
 * some after the minimum delay, some after a delay that grows from the minimum to the maximum, and
 * some after the maximum delay. A stage of 0 retries is skipped. Past the last stage the delay
 * stays at the maximum. There is no jitter.
 *
 * <p>Immutable and thread-safe; build one with {@link #builder()}.
 *
 * @param noDelayRetries retries of the immediate stage, at least 0
 * @param minDelayRetries retries of the minimum delay stage, at least 0
 * @param backoffRetries retries of the backoff stage, at least 0
 * @param maxDelayRetries retries of the maximum delay stage, at least 0
 * @param minDelay the minimum delay, whole milliseconds, at least 0
 * @param maxDelay the maximum delay, whole milliseconds, at least {@code minDelay}
 * @param function how the delay grows in the backoff stage
 */
public record StagedBackoff(
    int noDelayRetries,
    int minDelayRetries,
    int backoffRetries,
    int maxDelayRetries,
    Duration minDelay,
    Duration maxDelay,
    BackoffFunction function)
    implements Backoff {

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public StagedBackoff {
    requireCount("noDelayRetries", noDelayRetries);
    requireCount("minDelayRetries", minDelayRetries);
    requireCount("backoffRetries", backoffRetries);
    requireCount("maxDelayRetries", maxDelayRetries);
    requireWholeMillis("minDelay", minDelay);
    requireWholeMillis("maxDelay", maxDelay);
    Nanos.requireAtMost("minDelay", minDelay, "maxDelay", maxDelay);
    Objects.requireNonNull(function, "function");
  }

  /** Returns a builder with no retries, both delays 0 and the linear function. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the retries of all four stages together. It may exceed {@link Integer#MAX_VALUE}. */
  public long numRetries() {
    return (long) noDelayRetries + minDelayRetries + backoffRetries + maxDelayRetries;
  }

  /** Returns how many retries the stage has. */
  public int retriesIn(Stage stage) {
    return switch (stage) {
      case IMMEDIATE -> noDelayRetries;
      case MIN_DELAY -> minDelayRetries;
      case BACKOFF -> backoffRetries;
      case MAX_DELAY -> maxDelayRetries;
    };
  }

  /**
   * Returns the stage that a retry belongs to: {@link Stage#MAX_DELAY} for any retry past the last
   * stage.
   *
   * @param retry the retry to come, counted from 1
   * @throws IllegalArgumentException when {@code retry} is less than 1
   */
  public Stage stageOf(int retry) {
    Nanos.requireRetry(retry);
    long lastOfStage = noDelayRetries;
    if (retry <= lastOfStage) {
      return Stage.IMMEDIATE;
    }
    lastOfStage += minDelayRetries;
    if (retry <= lastOfStage) {
      return Stage.MIN_DELAY;
    }
    lastOfStage += backoffRetries;
    if (retry <= lastOfStage) {
      return Stage.BACKOFF;
    }
    return Stage.MAX_DELAY;
  }

  /**
   * Returns the delay before the given retry in milliseconds. Delays of this backoff are whole
   * milliseconds.
   *
   * @param retry the retry to come, counted from 1
   * @throws IllegalArgumentException when {@code retry} is less than 1
   */
  public long delayMillis(int retry) {
    return switch (stageOf(retry)) {
      case IMMEDIATE -> 0;
      case MIN_DELAY -> minDelay.toMillis();
      case BACKOFF -> {
        int retryInStage = retry - noDelayRetries - minDelayRetries;
        yield function.delayMillis(
            retryInStage, backoffRetries, minDelay.toMillis(), maxDelay.toMillis());
      }
      case MAX_DELAY -> maxDelay.toMillis();
    };
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return delayMillis(retry) * NANOS_PER_MILLI;
  }

  @Override
  public DelayRange range(int retry) {
    return DelayRange.exactly(delayMillis(retry) * NANOS_PER_MILLI);
  }

  @Override
  public long capNanos() {
    return maxDelay.toNanos();
  }

  private static void requireCount(String name, int count) {
    if (count < 0) {
      throw new InvalidSettingException(name, count, "must be >= 0");
    }
  }

  private static void requireWholeMillis(String name, Duration delay) {
    if (Nanos.of(name, delay) % NANOS_PER_MILLI != 0) {
      throw new InvalidSettingException(name, delay, "must be a whole number of milliseconds");
    }
  }

  /** Builds a {@link StagedBackoff}. Not thread-safe. */
  public static final class Builder {
    private int noDelayRetries;
    private int minDelayRetries;
    private int backoffRetries;
    private int maxDelayRetries;
    private Duration minDelay = Duration.ZERO;
    private Duration maxDelay = Duration.ZERO;
    private BackoffFunction function = BackoffFunction.LINEAR;

    private Builder() {}

    /** Sets the retries without any delay; at least 0, default 0. */
    public Builder noDelayRetries(int retries) {
      this.noDelayRetries = retries;
      return this;
    }

    /** Sets the retries with the minimum delay; at least 0, default 0. */
    public Builder minDelayRetries(int retries) {
      this.minDelayRetries = retries;
      return this;
    }

    /** Sets the retries whose delay grows; at least 0, default 0. */
    public Builder backoffRetries(int retries) {
      this.backoffRetries = retries;
      return this;
    }

    /** Sets the retries with the maximum delay; at least 0, default 0. */
    public Builder maxDelayRetries(int retries) {
      this.maxDelayRetries = retries;
      return this;
    }

    /** Sets both delays: whole milliseconds, the minimum at most the maximum; default 0 and 0. */
    public Builder delays(Duration minDelay, Duration maxDelay) {
      this.minDelay = minDelay;
      this.maxDelay = maxDelay;
      return this;
    }

    /** Sets how the delay grows in the backoff stage; default linear. */
    public Builder function(BackoffFunction function) {
      this.function = function;
      return this;
    }

    /**
     * Returns the backoff.
     *
     * @throws IllegalArgumentException when a count is negative, or the delays are out of order
     */
    public StagedBackoff build() {
      return new StagedBackoff(
          noDelayRetries,
          minDelayRetries,
          backoffRetries,
          maxDelayRetries,
          minDelay,
          maxDelay,
          function);
    }
  }
}
