package dev.reprise.device;

import java.util.Iterator;
import java.util.List;

/**
 * Tells until when the other side may stay silent. The time for an acknowledgement begins when the
 * last byte of the message has left, and while bytes move over a slow link nobody is silent. Used
 * in the loop only.
 */
final class AckWatch {
  private final long timeoutNanos;
  private long movedNanos;
  private long outcomeNanos;

  AckWatch(long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
  }

  void connected(long nowNanos) {
    movedNanos = nowNanos;
    outcomeNanos = nowNanos;
  }

  /** Bytes of messages were written to the socket. */
  void moved(long nowNanos) {
    movedNanos = nowNanos;
  }

  /** A message that had left was answered, while this one is the oldest of the others. */
  void answered(Departure answered, Departure oldest, long nowNanos) {
    outcomeNanos = nowNanos;
    if (answered.number > oldest.number) {
      oldest.passed(nowNanos);
    }
  }

  /**
   * Returns when the silence has lasted too long.
   *
   * @param underWay the messages under way, oldest first, at least one
   */
  long deadlineNanos(List<Departure> underWay) {
    long answerNanos = answerDeadlineNanos(underWay.iterator());
    for (Departure each : underWay) {
      if (!each.hasLeft()) {
        // A link that takes none of it is dead, however long those that have left may need.
        long quietSinceNanos = later(later(each.sentNanos, movedNanos), outcomeNanos);
        return earlier(answerNanos, quietSinceNanos + timeoutNanos);
      }
    }
    return answerNanos;
  }

  private long answerDeadlineNanos(Iterator<Departure> underWay) {
    Departure oldest = underWay.next();
    if (!oldest.hasLeft()) {
      return later(oldest.sentNanos, movedNanos) + timeoutNanos;
    }
    long leftNanos = oldest.leftNanos();
    // Later ones are answered, so it is not the link that holds up this one.
    if (oldest.isPassed()) {
      return later(leftNanos, oldest.passedNanos()) + timeoutNanos;
    }
    // The link below may hold as much as the buffer above it, and then needs as long for it.
    long onTheWayNanos = Math.min(timeoutNanos, leftNanos - oldest.sentNanos);
    return later(leftWithOthers(leftNanos, underWay), outcomeNanos) + onTheWayNanos + timeoutNanos;
  }

  /** Returns when the last of those left that were handed over while others still waited. */
  private long leftWithOthers(long leftNanos, Iterator<Departure> others) {
    long end = leftNanos;
    while (others.hasNext()) {
      Departure next = others.next();
      if (next.sentNanos - end > 0) {
        return end;
      }
      if (!next.hasLeft()) {
        return later(end, movedNanos);
      }
      end = later(end, next.leftNanos());
    }
    return end;
  }

  /** Returns how much of the time since it was handed over it spent in a buffer that moved. */
  long bufferedNanos(Departure attempt) {
    long end = attempt.hasLeft() ? attempt.leftNanos() : movedNanos;
    return Math.max(0, end - attempt.sentNanos);
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  private static long later(long a, long b) {
    return a - b > 0 ? a : b;
  }
}
