package dev.reprise.delivery.shard;

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
 * <p>Not safe for use by several threads.
 */
final class Places {
  private final int max;
  private final long maxBytes;
  private int prompt;
  private int others;
  private int hanging;
  private long bytes;

  Places(int max, long maxBytes) {
    this.max = max;
    this.maxBytes = maxBytes;
  }

  /** Whether an attempt of a subscription of this pace may start. */
  boolean hasRoom(Pace pace) {
    int all = prompt + others;
    if (all >= 2L * max || (all > 0 && bytes >= maxBytes)) {
      return false;
    }
    return switch (pace) {
      case PROMPT -> prompt < max;
      case UNKNOWN, SLOW -> others < share(2);
      case HANGING -> others < share(2) && hanging < share(4);
    };
  }

  /** At least one, so that a tiny shard delivers to everybody. */
  private int share(int part) {
    return Math.max(1, max / part);
  }

  void started(Pace pace, int payloadBytes) {
    add(pace, 1);
    bytes += payloadBytes;
  }

  void ended(Pace pace, int payloadBytes) {
    add(pace, -1);
    bytes -= payloadBytes;
  }

  /** {@code count} attempts are of a subscription whose pace has changed. */
  void moved(int count, Pace from, Pace to) {
    add(from, -count);
    add(to, count);
  }

  private void add(Pace pace, int count) {
    switch (pace) {
      case PROMPT -> prompt += count;
      case UNKNOWN, SLOW -> others += count;
      case HANGING -> {
        others += count;
        hanging += count;
      }
    }
  }
}
