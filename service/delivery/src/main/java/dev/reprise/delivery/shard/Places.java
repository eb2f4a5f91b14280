package dev.reprise.delivery.shard;

import dev.reprise.delivery.ShardSettings;

/**
 * The attempts that a shard has under way, and whether one more may start. Prompt endpoints have
 * all places to themselves; those that are slow or new may take as many as half of them besides,
 * and those that hang a quarter. So however many endpoints hang, a prompt one finds a place at
 * once.
 *
 * <p>An endpoint that was prompt and begins to hang takes what it holds along to the others, which
 * may then hold more than their share until that has ended. Altogether there are never more than
 * twice {@link ShardSettings#maxInFlight}.
 *
 * <p>Where this process itself is the bottleneck, because most of the time that an attempt holds
 * its place is spent here and not at its endpoint, more attempts at once would only wait longer,
 * and each is a connection. No single endpoint can notice that: each would gain from more places at
 * the cost of the others. So prompt endpoints have fewer places then, down to {@value #ENOUGH}.
 *
 * <p>One group, which is a host or a carrier, may hold half of what each pace has, so that a host
 * with thousands of subscriptions leaves places to others. That is half of {@link
 * ShardSettings#maxInFlight}, not of the fewer that are left where this process is the bottleneck:
 * there places change hands quickly, and a subscription that waits for one waits for this process.
 * It is {@value #ENOUGH} at the least, if there are so many.
 *
 * <p>Not safe for use by several threads.
 */
final class Places {
  /** So many attempts at once keep any process busy. */
  static final int ENOUGH = 256;

  private final int max;
  private int maxPrompt;
  private final long maxBytes;
  private final PaceCounts underWay = new PaceCounts();
  private long bytes;

  Places(int max, long maxBytes) {
    this.max = max;
    this.maxPrompt = max;
    this.maxBytes = maxBytes;
  }

  /** Whether an attempt of a subscription of this pace may start. */
  boolean hasRoom(Pace pace) {
    int all = underWay.all();
    if (all >= 2L * max || (all > 0 && bytes >= maxBytes)) {
      return false;
    }
    return switch (pace) {
      case PROMPT -> underWay.prompt() < maxPrompt;
      case UNKNOWN, SLOW -> underWay.others() < share(2);
      case HANGING -> underWay.others() < share(2) && underWay.hanging() < share(4);
    };
  }

  /** Whether a group that has so much under way leaves enough to others with one more. */
  boolean mayGrow(PaceCounts group, Pace pace) {
    return switch (pace) {
      case PROMPT -> group.prompt() < groupShare(2);
      case UNKNOWN, SLOW -> group.others() < groupShare(4);
      case HANGING -> group.others() < groupShare(4) && group.hanging() < groupShare(8);
    };
  }

  private int groupShare(int part) {
    return Math.max(ENOUGH, max / part);
  }

  /** At least one, so that a tiny shard delivers to everybody. */
  private int share(int part) {
    return Math.max(1, max / part);
  }

  /**
   * Learns from an attempt that has ended.
   *
   * @param heldNanos how long it has held its place
   * @param attemptNanos how much of that was the attempt itself
   */
  void observe(long heldNanos, long attemptNanos) {
    boolean waitedHere = heldNanos - attemptNanos > attemptNanos;
    if (!waitedHere) {
      maxPrompt = Math.min(max, maxPrompt + 1);
    } else if (maxPrompt > ENOUGH) {
      maxPrompt--;
    }
  }

  void started(Pace pace, int payloadBytes) {
    underWay.add(pace, 1);
    bytes += payloadBytes;
  }

  void ended(Pace pace, int payloadBytes) {
    underWay.add(pace, -1);
    bytes -= payloadBytes;
  }

  /** {@code count} attempts are of a subscription whose pace has changed. */
  void moved(int count, Pace from, Pace to) {
    underWay.moved(count, from, to);
  }
}
