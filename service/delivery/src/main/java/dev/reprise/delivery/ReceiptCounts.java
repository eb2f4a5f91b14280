package dev.reprise.delivery;

/**
 * Reports of carriers on messages that they had taken: how many said that a message, or a part of
 * it, has reached its endpoint, and how many that it has not.
 *
 * @param delivered reports of success
 * @param failed reports of failure
 */
public record ReceiptCounts(long delivered, long failed) {
  /** No report yet. */
  public static final ReceiptCounts NONE = new ReceiptCounts(0, 0);

  /** Returns the sum of both. */
  public ReceiptCounts plus(ReceiptCounts other) {
    return new ReceiptCounts(delivered + other.delivered, failed + other.failed);
  }
}
