package dev.reprise.device.queue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All segments in their order. The last one is active: it alone is written to, and always loaded.
 * Of the others few are loaded at a time.
 */
final class Segments {
  private static final Logger LOG = LoggerFactory.getLogger(Segments.class);

  /** One that is sent from, and one that gives way. */
  private static final int MAX_LOADED = 2;

  private final Disk disk;
  private final ExpiryClock clock;
  private final NavigableMap<Long, Segment> byFirst = new TreeMap<>();
  private final Deque<Segment> loaded = new ArrayDeque<>();

  Segments(Disk disk, ExpiryClock clock) {
    this.disk = disk;
    this.clock = clock;
  }

  void add(Segment segment) {
    byFirst.put(segment.first, segment);
  }

  /** Makes a new segment the active one. */
  void roll(Segment next) {
    loaded.addFirst(active());
    byFirst.put(next.first, next);
    unloadOldest();
  }

  Collection<Segment> all() {
    return byFirst.values();
  }

  Segment active() {
    return byFirst.lastEntry().getValue();
  }

  boolean isActive(Segment segment) {
    return byFirst.lastKey() == segment.first;
  }

  /** Returns whether it has not been deleted, nor replaced by another. */
  boolean contains(Segment segment) {
    return byFirst.get(segment.first) == segment;
  }

  /** Returns the segment that the sequence is in, if there is a message of this sequence. */
  @Nullable Segment of(long sequence) {
    Map.Entry<Long, Segment> entry = byFirst.floorEntry(sequence);
    return entry == null ? null : entry.getValue();
  }

  @Nullable Segment before(Segment segment) {
    Map.Entry<Long, Segment> entry = byFirst.lowerEntry(segment.first);
    return entry == null ? null : entry.getValue();
  }

  /** Returns the next one; not to be asked of the active one. */
  Segment after(Segment segment) {
    return Objects.requireNonNull(byFirst.higherEntry(segment.first)).getValue();
  }

  void remove(Segment segment) {
    unload(segment);
    byFirst.remove(segment.first);
  }

  LoadedSegment load(Segment segment) throws IOException {
    LoadedSegment present = segment.loaded;
    if (present == null) {
      present = LoadedSegment.load(disk, segment, clock);
      segment.loaded = present;
    } else {
      loaded.remove(segment);
    }
    if (!isActive(segment)) {
      loaded.addFirst(segment);
      unloadOldest();
    }
    return present;
  }

  private void unloadOldest() {
    if (loaded.size() > MAX_LOADED) {
      unload(loaded.getLast());
    }
  }

  private void unload(Segment segment) {
    loaded.remove(segment);
    LoadedSegment unloaded = segment.loaded;
    segment.loaded = null;
    if (unloaded != null) {
      try {
        unloaded.close();
      } catch (IOException e) {
        LOG.warn("Cannot close {}", segment, e);
      }
    }
  }

  void close() {
    all().forEach(this::unload);
  }
}
