package dev.reprise.device;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait to be sent again, each for a time of its own. They are held in memory, so they
 * must not become too many: they count as if they were under way, but for those that stand aside,
 * which have a bound of their own. The bodies of some beyond it are left to the queue. Used in the
 * loop only.
 */
final class Delayed {
  /** The messages that stand aside. */
  private static final int MAX_ASIDE = 1_000;

  /**
   * Those of them whose bodies are left to the queue, as they have no room in memory. Each is read
   * from disk again for each attempt, and in an outage of the hub for each connection.
   */
  private static final int MAX_READ_AGAIN = 64;

  private final long maxAsideBytes;

  private final PriorityQueue<Sending> byDueTime = new PriorityQueue<>(1, Sending.BY_DUE_TIME);

  private long countedBytes;
  private int asideMessages;
  private long asideBytes;
  private int readAgain;

  Delayed(long maxAsideBytes) {
    this.maxAsideBytes = maxAsideBytes;
  }

  /**
   * Adds a message.
   *
   * @param isAside whether others are to pass it, if there is room for one more of these
   */
  void add(Sending sending, boolean isAside) {
    byDueTime.add(sending);
    boolean fits = asideBytes == 0 || asideBytes + sending.sizeBytes <= maxAsideBytes;
    sending.isAside = isAside && asideMessages < MAX_ASIDE && (fits || readAgain < MAX_READ_AGAIN);
    sending.asideBytes = 0;
    if (!sending.isAside) {
      countedBytes += sending.sizeBytes;
    } else if (fits) {
      asideMessages++;
      sending.asideBytes = sending.sizeBytes;
      asideBytes += sending.sizeBytes;
    } else {
      asideMessages++;
      readAgain++;
      sending.leaveToQueue();
    }
  }

  /** Removes a message that is here. */
  void remove(Sending sending) {
    byDueTime.remove(sending);
    if (!sending.isAside) {
      countedBytes -= sending.sizeBytes;
      return;
    }
    sending.isAside = false;
    asideMessages--;
    asideBytes -= sending.asideBytes;
    if (sending.asideBytes == 0) {
      readAgain--;
    }
  }

  /** Returns the first that is due, or will be, or null when there is none. */
  @Nullable Sending first() {
    return byDueTime.peek();
  }

  /**
   * Returns, of those that are due, the one whose latest attempt is the longest ago.
   *
   * @param latest the latest attempt that it may have had
   */
  @Nullable Sending triedLongestAgo(long now, long latest) {
    Sending longestAgo = null;
    for (Sending each : byDueTime) {
      boolean isOlder = longestAgo == null || each.latestAttempt < longestAgo.latestAttempt;
      if (isOlder && each.latestAttempt <= latest && each.dueNanos - now <= 0) {
        longestAgo = each;
      }
    }
    return longestAgo;
  }

  boolean isEmpty() {
    return byDueTime.isEmpty();
  }

  int size() {
    return byDueTime.size();
  }

  /** Returns how many count as if they were under way. */
  int counted() {
    return byDueTime.size() - asideMessages;
  }

  /** Returns the size of these together. */
  long countedBytes() {
    return countedBytes;
  }
}
