package dev.reprise.delivery.shard;

import dev.reprise.delivery.DeliveryReader.WrongPayload;
import dev.reprise.delivery.MessageId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares shared payloads, their counts and the deliveries that need them, which the store shows
 * in three different orders. A first pass over all adds up fingerprints in a fixed number of
 * buckets, so that memory does not follow the backlog; a second looks at the messages of those
 * buckets alone in which something is wrong. Not safe for use by several threads.
 */
final class PayloadTally {
  private static final int BUCKETS = 1 << 14;

  /** As many wrong messages are named. */
  private static final int NAMED = 100;

  /** Counts less needs, and payloads less counts, each times the fingerprint of its message. */
  private final long[] counted = new long[BUCKETS];

  private final long[] stored = new long[BUCKETS];

  /**
   * By message, of the buckets looked at closely: count, needs, counts, payloads, perhaps needs.
   */
  private final Map<MessageId, long[]> messages = new TreeMap<>();

  private final boolean[] close = new boolean[BUCKETS];
  private boolean closely;

  /** A stored count says that {@code deliveries} need the message's shared payload. */
  void count(MessageId message, int deliveries) {
    counted[bucket(message)] += deliveries * fingerprint(message);
    note(message, 0, deliveries);
    stored[bucket(message)] -= fingerprint(message);
    note(message, 2, 1);
  }

  /** One delivery needs the message's shared payload. */
  void need(MessageId message) {
    counted[bucket(message)] -= fingerprint(message);
    note(message, 1, 1);
  }

  /** A delivery whose record cannot be read may need the message's shared payload. */
  void mayNeed(MessageId message) {
    note(message, 4, 1);
  }

  /** The store has a shared payload of the message. */
  void payload(MessageId message) {
    stored[bucket(message)] += fingerprint(message);
    note(message, 3, 1);
  }

  private void note(MessageId message, int which, int by) {
    if (closely && close[bucket(message)]) {
      messages.computeIfAbsent(message, m -> new long[5])[which] += by;
    }
  }

  /** Whether all is as it should be. */
  boolean agrees() {
    for (int i = 0; i < BUCKETS; i++) {
      if (counted[i] != 0 || stored[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** A tally that names what this one has found wrong. */
  PayloadTally closer() {
    PayloadTally closer = new PayloadTally();
    closer.closely = true;
    for (int i = 0; i < BUCKETS; i++) {
      closer.close[i] = counted[i] != 0 || stored[i] != 0;
    }
    return closer;
  }

  /** The messages of which something is wrong, at most {@value #NAMED}. */
  List<WrongPayload> wrong() {
    List<WrongPayload> wrong = new ArrayList<>();
    messages.forEach(
        (message, seen) -> {
          boolean rightCount = seen[0] >= seen[1] && seen[0] <= seen[1] + seen[4];
          boolean inline = seen[0] + seen[1] + seen[2] + seen[3] == 0;
          boolean right = inline || (rightCount && seen[2] == 1 && seen[3] == 1);
          if (!right && wrong.size() < NAMED) {
            wrong.add(new WrongPayload(message, seen[3] > 0, seen[0], seen[1]));
          }
        });
    return wrong;
  }

  private static int bucket(MessageId message) {
    return (int) (fingerprint(message) >>> 50);
  }

  /** SplittableRandom's mixing of both halves; odd, so that no count of it is 0 but none. */
  private static long fingerprint(MessageId message) {
    long z = message.high() * 0x9e3779b97f4a7c15L + message.low();
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return (z ^ (z >>> 31)) | 1;
  }
}
