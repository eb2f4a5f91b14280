package dev.reprise.policy;

import dev.reprise.core.retry.Hedging;
import dev.reprise.policy.document.DurationText;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a policy for each call, beside its strategy.
 *
 * @param deadline how long a call may take with all attempts and waits, or null for no deadline;
 *     more than 0 and at most 292 years
 * @param attemptTimeout how long one attempt may take, or null for no timeout; more than 0 and at
 *     most 292 years
 * @param hedging when attempts are started beside one that is slow, or null for never; needs {@code
 *     idempotent}
 * @param idempotent whether the operation may be repeated although it may have taken effect
 */
public record CallSettings(
    @Nullable Duration deadline,
    @Nullable Duration attemptTimeout,
    @Nullable Hedging hedging,
    boolean idempotent) {
  /** No deadline, no timeout, no hedging, and not declared idempotent. */
  public static final CallSettings NONE = new CallSettings(null, null, null, false);

  static final String IDEMPOTENT_RULE =
      "must be true where there is hedging: every hedge may take effect";

  private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE);

  /** Checks all arguments; throws {@link PolicyException} naming each that is wrong. */
  public CallSettings {
    List<Violation> violations = new ArrayList<>();
    requireTime("deadline", deadline, violations);
    requireTime("attemptTimeout", attemptTimeout, violations);
    requireIdempotent(hedging, idempotent, violations);
    if (!violations.isEmpty()) {
      throw new PolicyException(violations);
    }
  }

  private static void requireTime(
      String field, @Nullable Duration time, List<Violation> violations) {
    if (time != null && (time.isNegative() || time.isZero() || time.compareTo(MAX_DURATION) > 0)) {
      violations.add(new Violation(field, DurationText.exact(time), DurationText.RULE));
    }
  }

  private static void requireIdempotent(
      @Nullable Hedging hedging, boolean idempotent, List<Violation> violations) {
    if (hedging != null && !idempotent) {
      violations.add(new Violation("idempotent", "false", IDEMPOTENT_RULE));
    }
  }
}
