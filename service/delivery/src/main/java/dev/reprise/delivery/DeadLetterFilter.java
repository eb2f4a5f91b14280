package dev.reprise.delivery;

import dev.reprise.core.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * Chooses dead letters. What is null does not restrict.
 *
 * @param reason why the delivery was given up
 * @param message the message
 * @param diedFromMillis given up at this wall time or later
 * @param diedToMillis given up before this wall time
 * @param attributes a filter on the message's attributes
 * @param text a part of what came of the last attempt, in whatever case
 */
public record DeadLetterFilter(
    @Nullable StopReason reason,
    @Nullable MessageId message,
    long diedFromMillis,
    long diedToMillis,
    @Nullable AttributeFilter attributes,
    @Nullable String text) {
  /** Every dead letter. */
  public static final DeadLetterFilter ALL =
      new DeadLetterFilter(null, null, 0, Long.MAX_VALUE, null);

  /** A filter that looks at no text. */
  public DeadLetterFilter(
      @Nullable StopReason reason,
      @Nullable MessageId message,
      long diedFromMillis,
      long diedToMillis,
      @Nullable AttributeFilter attributes) {
    this(reason, message, diedFromMillis, diedToMillis, attributes, null);
  }
}
