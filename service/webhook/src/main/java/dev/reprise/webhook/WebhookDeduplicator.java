package dev.reprise.webhook;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Remembers which messages were processed, because a sender that delivers at least once repeats
 * some: after a time-out, or when an answer was lost. Thread-safe. Each sender needs one of its
 * own, for ids of several senders may be equal.
 *
 * <pre>{@code
 * switch (deduplicator.begin(id)) {
 *   case NEW -> process, then processed(id) and 2xx; failed(id) and 5xx if that fails
 *   case IN_PROGRESS -> 503: the sender tries again, and then gets the result
 *   case PROCESSED -> 2xx
 * }
 * }</pre>
 *
 * <p>An id is remembered for a time, and the oldest are forgotten when there are too many; an entry
 * takes about 70 bytes besides the id itself. What is forgotten is new when it comes again.
 *
 * <p>This memory is that of one process and ends with it. A receiver that has several processes, or
 * may not process a message again after a restart, puts the id under a unique key into its
 * database, in the transaction that processes the message.
 */
public final class WebhookDeduplicator {
  private static final Duration MAX_RETENTION = Duration.ofDays(365);

  /** The states of an id. */
  public enum Standing {
    /** It was not seen, or is forgotten, or failed: the caller is to process the message. */
    NEW,

    /**
     * Another caller processes the message, and may still fail: the sender is to try again later.
     */
    IN_PROGRESS,

    /** The message was processed. */
    PROCESSED
  }

  private final long retentionNanos;
  private final int maxIds;
  private final LongSupplier nanoClock;

  /** The time at which each began; the oldest first. Guarded by this. */
  private final Map<String, Long> inProgress = new LinkedHashMap<>();

  /** The time at which each was processed; the oldest first. Guarded by this. */
  private final Map<String, Long> processed = new LinkedHashMap<>();

  /**
   * Creates a deduplicator with the system's monotonic clock.
   *
   * @param retention how long an id is remembered: longer than the sender goes on repeating a
   *     message; more than zero, at most 365 days
   * @param maxIds the most ids that are remembered, at least 1
   * @throws IllegalArgumentException if one is out of range
   */
  public WebhookDeduplicator(Duration retention, int maxIds) {
    this(retention, maxIds, System::nanoTime);
  }

  /**
   * Creates a deduplicator.
   *
   * @param retention how long an id is remembered: longer than the sender goes on repeating a
   *     message; more than zero, at most 365 days
   * @param maxIds the most ids that are remembered, at least 1
   * @param nanoClock a monotonic clock in nanoseconds, such as {@link System#nanoTime}
   * @throws IllegalArgumentException if retention or maxIds is out of range
   */
  public WebhookDeduplicator(Duration retention, int maxIds, LongSupplier nanoClock) {
    if (retention.isZero() || retention.isNegative() || retention.compareTo(MAX_RETENTION) > 0) {
      throw new IllegalArgumentException(
          "retention is " + retention + ": must be more than 0 and at most P365D");
    }
    if (maxIds < 1) {
      throw new IllegalArgumentException("maxIds is " + maxIds + ": must be >= 1");
    }
    this.retentionNanos = retention.toNanos();
    this.maxIds = maxIds;
    this.nanoClock = Objects.requireNonNull(nanoClock, "nanoClock");
  }

  /**
   * Returns where an id stands. If it is {@link Standing#NEW}, it is in progress from now on, and
   * the caller must end that with {@link #processed} or {@link #failed}.
   */
  public synchronized Standing begin(String id) {
    Objects.requireNonNull(id, "id");
    long now = nanoClock.getAsLong();
    forgetOld(inProgress, now);
    forgetOld(processed, now);
    if (processed.containsKey(id)) {
      return Standing.PROCESSED;
    }
    if (inProgress.containsKey(id)) {
      return Standing.IN_PROGRESS;
    }
    makeRoom();
    inProgress.put(id, now);
    return Standing.NEW;
  }

  /** Notes that the message was processed: repetitions of it are not new. */
  public synchronized void processed(String id) {
    Objects.requireNonNull(id, "id");
    inProgress.remove(id);
    // Puts it behind the others even if it is there, for they stand in the order of their times.
    processed.remove(id);
    makeRoom();
    processed.put(id, nanoClock.getAsLong());
  }

  /** Forgets a message in progress: its repetition is new. One that was processed stays so. */
  public synchronized void failed(String id) {
    inProgress.remove(Objects.requireNonNull(id, "id"));
  }

  /** Returns how many ids are remembered. */
  synchronized int size() {
    return inProgress.size() + processed.size();
  }

  private void forgetOld(Map<String, Long> ids, long now) {
    Iterator<Long> times = ids.values().iterator();
    while (times.hasNext() && now - times.next() >= retentionNanos) {
      times.remove();
    }
  }

  /** Forgets the oldest that was processed; one in progress would be processed twice at a time. */
  private void makeRoom() {
    if (size() >= maxIds) {
      Iterator<String> oldest = (processed.isEmpty() ? inProgress : processed).keySet().iterator();
      oldest.next();
      oldest.remove();
    }
  }
}
