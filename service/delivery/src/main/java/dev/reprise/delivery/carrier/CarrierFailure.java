package dev.reprise.delivery.carrier;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt through a carrier as retry facts.
 *
 * @param isRetrySafe YES for what passes, NO for what will not, MAYBE for what passes after the
 *     message may have been taken
 * @param isThrottle whether too much was asked
 * @param isTimeout whether it took too long
 * @param retryAfter for how long the carrier asked to wait; null if it did not
 */
public record CarrierFailure(
    RetrySafety isRetrySafe, boolean isThrottle, boolean isTimeout, @Nullable Duration retryAfter)
    implements RetryInfo {
  /** A failure that passes: the next attempt may succeed. */
  public static final CarrierFailure TRANSIENT =
      new CarrierFailure(RetrySafety.YES, false, false, null);

  /** A failure that lasts: every further attempt would fail in the same way. */
  public static final CarrierFailure PERMANENT =
      new CarrierFailure(RetrySafety.NO, false, false, null);

  /**
   * The same as {@link #PERMANENT}, and about one recipient or one message: it tells nothing of
   * what others get from the carrier. Equal to it, and distinguished by {@link #isOfRecipient}.
   */
  public static final CarrierFailure OF_RECIPIENT =
      new CarrierFailure(RetrySafety.NO, false, false, null);

  /**
   * The same as {@link #PERMANENT}: the carrier refuses the recipient. Of one recipient it tells
   * nothing of the carrier; of several in a row that took messages before, it does. Equal to it,
   * and distinguished by {@link #isRecipientRefused}.
   */
  public static final CarrierFailure RECIPIENT_REFUSED =
      new CarrierFailure(RetrySafety.NO, false, false, null);

  /** Too much was asked of the carrier or the endpoint. */
  public static final CarrierFailure THROTTLED =
      new CarrierFailure(RetrySafety.YES, true, false, null);

  /** The connection broke after the message was sent. Perhaps it was taken. */
  public static final CarrierFailure CONNECTION_LOST =
      new CarrierFailure(RetrySafety.MAYBE, false, false, null);

  /** No answer in time. Perhaps the message was taken: at least once is the contract. */
  public static final CarrierFailure TIMEOUT =
      new CarrierFailure(RetrySafety.YES, false, true, null);

  /** Returns whether a failure is {@link #OF_RECIPIENT}. */
  public static boolean isOfRecipient(@Nullable RetryInfo failure) {
    RetryInfo ofRecipient = OF_RECIPIENT;
    return failure == ofRecipient;
  }

  /** Returns whether a failure is {@link #RECIPIENT_REFUSED}. */
  public static boolean isRecipientRefused(@Nullable RetryInfo failure) {
    RetryInfo refused = RECIPIENT_REFUSED;
    return failure == refused;
  }
}
