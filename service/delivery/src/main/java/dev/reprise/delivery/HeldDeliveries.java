package dev.reprise.delivery;

/**
 * The deliveries that wait for a suspended subscription.
 *
 * @param suspension how it is suspended
 * @param deliveries how many are pending, those that are being attempted included
 * @param dropsAtMillis when the first of them may be given up, wall time, possibly too early; -1 if
 *     none is pending
 */
public record HeldDeliveries(Suspension suspension, long deliveries, long dropsAtMillis) {
  /** Returns the sum of both, which are of the same subscription. */
  public HeldDeliveries plus(HeldDeliveries other) {
    long drops =
        dropsAtMillis < 0 || other.dropsAtMillis < 0
            ? Math.max(dropsAtMillis, other.dropsAtMillis)
            : Math.min(dropsAtMillis, other.dropsAtMillis);
    return new HeldDeliveries(
        suspension.plus(other.suspension), deliveries + other.deliveries, drops);
  }
}
