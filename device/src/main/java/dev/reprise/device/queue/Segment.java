package dev.reprise.device.queue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One file of messages, and the one beside it of those that are removed: how much they hold, but
 * not what. The content is in {@link #loaded} while it is needed. Heap is taken per file, not per
 * message; that is what keeps it flat.
 */
final class Segment {
  static final String LOG_SUFFIX = ".log";
  static final String REMOVED_SUFFIX = ".removed";

  final Path log;
  final Path removed;

  /** No sequence in here is below, and none that is not below the first of the next segment. */
  final long first;

  final PriorityCounts waiting = new PriorityCounts();
  final PriorityCounts waitingBytes = new PriorityCounts();

  /** The messages that are neither waiting nor gone. */
  final Set<Long> taken = new HashSet<>();

  /** The messages that are gone, but not yet in the file of removals. */
  final Set<Long> removals = new HashSet<>();

  long logBytes;
  long removedBytes;

  /** The number of messages that were ever written to the file. */
  int messages;

  /** The number of them that are not gone. */
  int live;

  long liveBytes;

  /** A time not later than the first expiry age of those that wait. */
  long earliestExpiryAgeNanos = Entry.NEVER;

  boolean removedIsForced = true;
  @Nullable LoadedSegment loaded;

  Segment(Path folder, long first) {
    this.first = first;
    String name = String.format(Locale.ROOT, "%019d", first);
    log = folder.resolve(name + LOG_SUFFIX);
    removed = folder.resolve(name + REMOVED_SUFFIX);
  }

  /** Counts one more, which waits. */
  void add(Stored message) {
    live++;
    liveBytes += message.frameBytes();
    waits(message);
  }

  void waits(Stored message) {
    waiting.add(message.priority(), 1);
    waitingBytes.add(message.priority(), message.sizeBytes());
    earliestExpiryAgeNanos = Math.min(earliestExpiryAgeNanos, message.expiryAgeNanos());
  }

  void waitsNoMore(Stored message) {
    waiting.add(message.priority(), -1);
    waitingBytes.add(message.priority(), -message.sizeBytes());
  }

  /** One that was taken is gone. */
  void loses(Stored message) {
    taken.remove(message.sequence());
    live--;
    liveBytes -= message.frameBytes();
  }

  /** Counts what another one counts. */
  void absorb(Segment other) {
    waiting.addAll(other.waiting);
    waitingBytes.addAll(other.waitingBytes);
    taken.addAll(other.taken);
    live += other.live;
    liveBytes += other.liveBytes;
    earliestExpiryAgeNanos = Math.min(earliestExpiryAgeNanos, other.earliestExpiryAgeNanos);
  }

  /** Counts anew, when it turns out that not all is there any more. */
  void recount(List<Stored> waiting, int live, long liveBytes) {
    this.waiting.clear();
    waitingBytes.clear();
    earliestExpiryAgeNanos = Entry.NEVER;
    waiting.forEach(this::waits);
    this.live = live;
    this.liveBytes = liveBytes;
  }

  /** Returns by how much its files are above twice the size that they could have. */
  long excessBytes() {
    return Math.max(0, logBytes - SegmentHeader.BYTES + removedBytes - 2 * liveBytes);
  }

  @Override
  public String toString() {
    return log.toString();
  }
}
