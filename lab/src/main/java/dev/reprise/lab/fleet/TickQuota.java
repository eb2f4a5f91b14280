package dev.reprise.lab.fleet;

import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.Quota;

/**
 * The quota of the service: a bucket that the capacity fills. An acceptance takes 1, a refusal the
 * rejection cost, for which the bucket may owe up to a second of work. Moments never fall.
 *
 * <p>Where slots are given away, those who come without one are refused as long as slots are taken,
 * and a refusal moves the next free slot by the work that it is. A slot is a forecast by the rate
 * of the moment: when refusals or a brown-out have taken the place since, its holder is refused and
 * gets another.
 */
final class TickQuota {
  /** A bucket that is filled in thirds never holds a whole one. */
  private static final double WHOLE = 1 - 1e-6;

  /** The time for which a rate is taken to hold if it changes at all: a tick. */
  private static final int STEP_PARTS = TickTime.PARTS;

  private final Capacity capacity;
  private final double mostTokens;
  private final double mostDebt;
  private final double rejectionCost;

  private double tokens;
  private long nowParts;
  private double perPart;
  private long rateHoldsUntil;

  /** A moment, in parts. */
  private double nextFreeSlot;

  TickQuota(Quota quota, Capacity capacity) {
    this.capacity = capacity;
    mostTokens = quota.mostSaved();
    mostDebt = quota.perSecond();
    rejectionCost = quota.rejectionCost();
    tokens = mostTokens;
    setRate();
  }

  private void setRate() {
    perPart = capacity.at(TickTime.seconds(nowParts)) / TickTime.PARTS / TickTime.TICKS_PER_SECOND;
    rateHoldsUntil =
        capacity.isConstant() ? Long.MAX_VALUE : (nowParts / STEP_PARTS + 1) * STEP_PARTS;
  }

  private void moveTo(long parts) {
    if (parts < rateHoldsUntil) {
      tokens = Math.min(mostTokens, tokens + (parts - nowParts) * perPart);
      nowParts = parts;
      return;
    }
    double came = capacity.between(TickTime.seconds(nowParts), TickTime.seconds(parts));
    tokens = Math.min(mostTokens, tokens + came);
    nowParts = parts;
    setRate();
  }

  /** Takes the work of an attempt, and returns whether it is accepted. */
  boolean accepts(long parts, boolean holdsSlot) {
    moveTo(parts);
    if (tokens >= WHOLE && (holdsSlot || nextFreeSlot <= parts)) {
      tokens -= 1;
      return true;
    }
    refuse();
    return false;
  }

  /** Takes the work of a refusal. */
  void refuse(long parts) {
    moveTo(parts);
    refuse();
  }

  private void refuse() {
    tokens = Math.max(-mostDebt, tokens - rejectionCost);
    if (nextFreeSlot > nowParts && perPart > 0) {
      nextFreeSlot += rejectionCost / perPart;
    }
  }

  /**
   * Reserves the next free slot, after a refusal.
   *
   * @return how many nanoseconds it is until then, {@link Long#MAX_VALUE} for more than nine years;
   *     -1 when unknown
   */
  long slotNanos() {
    if (perPart == 0) {
      return -1;
    }
    double whenWhole = nowParts + Math.max(0, 1 - tokens) / perPart;
    double slot = Math.max(nextFreeSlot, whenWhole);
    nextFreeSlot = slot + 1 / perPart;
    return TickTime.nanosSaturated(slot - nowParts);
  }
}
