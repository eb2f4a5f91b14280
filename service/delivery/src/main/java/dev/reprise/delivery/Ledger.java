package dev.reprise.delivery;

/**
 * Where every delivery that was ever accepted has gone. Published messages times matching
 * subscriptions is {@code accepted}, and always
 *
 * <pre>accepted = pending + delivered + deadLettered + discarded + expired + moved</pre>
 *
 * @param accepted deliveries that a publish has acknowledged
 * @param pending deliveries that wait or are being attempted
 * @param delivered deliveries that the endpoint took
 * @param deadLettered deliveries given up and kept
 * @param discarded deliveries given up or removed, and not kept
 * @param expired deliveries whose lifetime passed
 * @param moved deliveries that another subscription has accepted in place of this one
 * @param attempts attempts made
 */
public record Ledger(
    long accepted,
    long pending,
    long delivered,
    long deadLettered,
    long discarded,
    long expired,
    long moved,
    long attempts) {
  /** Nothing accepted yet. */
  public static final Ledger EMPTY = new Ledger(0, 0, 0, 0, 0, 0, 0, 0);

  /** The sums of both. */
  public Ledger plus(Ledger other) {
    return new Ledger(
        accepted + other.accepted,
        pending + other.pending,
        delivered + other.delivered,
        deadLettered + other.deadLettered,
        discarded + other.discarded,
        expired + other.expired,
        moved + other.moved,
        attempts + other.attempts);
  }

  /** Deliveries that were accepted and are in no state: 0, or something was lost. */
  public long unexplained() {
    return accepted - pending - delivered - deadLettered - discarded - expired - moved;
  }
}
