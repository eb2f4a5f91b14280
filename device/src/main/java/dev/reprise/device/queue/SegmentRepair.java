package dev.reprise.device.queue;

import dev.reprise.device.message.Priority;
import dev.reprise.device.queue.FrameScan.Gap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs a segment that turns out to be damaged while it is in use, as {@link Recovery} does
 * before. A copy is set aside; then each stretch that cannot be read is overwritten in place by a
 * mark of the same length, so that everything else keeps its position. If a write fails, nothing is
 * counted as lost, and the next read of the segment repairs it again.
 */
final class SegmentRepair {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRepair.class);

  private final Disk disk;
  private final Path folder;
  private final ExpiryClock clock;
  private final Segments segments;
  private final Tally tally;

  /** The lost messages that were waiting and were not reported yet. */
  private final NavigableSet<Long> lost = new TreeSet<>();

  /** The lost messages that were taken when they were lost, and still are. */
  private final Set<Long> lostTaken = new HashSet<>();

  SegmentRepair(Disk disk, Path folder, ExpiryClock clock, Segments segments, Tally tally) {
    this.disk = disk;
    this.folder = folder;
    this.clock = clock;
    this.segments = segments;
    this.tally = tally;
  }

  /** Returns, once, those that waited when they were lost. */
  List<Long> drainLost() {
    List<Long> drained = List.copyOf(lost);
    lost.clear();
    return drained;
  }

  /** Returns whether one that is taken is lost. */
  boolean isLost(Stored taken) {
    return lostTaken.contains(taken.sequence());
  }

  /** Forgets one that was taken; returns whether it was lost. */
  boolean forget(Stored taken) {
    return lostTaken.remove(taken.sequence());
  }

  /**
   * Mends a segment.
   *
   * @param unsynced frames that the segment counts but that are not in the file yet
   * @param lastWritten no sequence in any file is above
   */
  void mend(Segment segment, Map<Long, byte[]> unsynced, long lastWritten) throws IOException {
    long end = segments.isActive(segment) ? lastWritten + 1 : segments.after(segment).first;
    SegmentContent content = SegmentContent.readCounted(disk, segment);
    String damage = content.damage();
    if (damage != null) {
      DamagedFile.write(disk, folder, segment, content.file());
      overwrite(segment, content, end);
    }
    List<Frame> live = content.liveOf(segment);
    Set<Long> known = new HashSet<>(unsynced.keySet());
    live.forEach(frame -> known.add(frame.sequence()));
    List<Long> lostHere = lostOf(segment, content, known, end);
    recount(segment, live, unsynced);
    for (long taken : List.copyOf(segment.taken)) {
      if (!known.contains(taken)) {
        segment.taken.remove(taken);
        lostTaken.add(taken);
      }
    }
    LoadedSegment loaded = segment.loaded;
    if (loaded != null) {
      lostHere.forEach(loaded.waiting::take);
    }
    lost.addAll(lostHere);
    LOG.error(
        "{} is damaged {}. Messages that waited in it and are lost: {}; the file as it was is now"
            + " {}",
        segment,
        damage == null ? "in the file of the removed: some may be sent again" : damage,
        lostHere,
        damage == null ? segment.log : DamagedFile.of(segment));
  }

  private void overwrite(Segment segment, SegmentContent content, long end) throws IOException {
    try (DiskFile file = disk.open(segment.log)) {
      if (content.header() == null) {
        long headerEnd = segments.isActive(segment) ? 0 : end;
        file.write(0, new SegmentHeader(segment.first, headerEnd).encode(), SegmentHeader.BYTES);
      }
      for (Gap gap : content.allGaps()) {
        if (gap.bytes() >= Frame.HEAD_BYTES) {
          // None of what it had is given out again, even if it was the last.
          long below = sequenceBehind(content, gap, end);
          byte[] nothing = new byte[gap.bytes() - Frame.HEAD_BYTES];
          file.write(gap.offset(), Frame.encode(Frame.MARK, below - 1, nothing), gap.bytes());
        }
      }
      file.force();
    }
  }

  private static long sequenceBehind(SegmentContent content, Gap gap, long end) {
    return content.scan().frames().stream()
        .filter(frame -> frame.offset() > gap.offset())
        .mapToLong(Frame::sequence)
        .findFirst()
        .orElse(end);
  }

  private static long sequenceBefore(SegmentContent content, Gap gap, Segment segment) {
    return content.scan().frames().stream()
        .filter(frame -> frame.offset() < gap.offset())
        .mapToLong(Frame::sequence)
        .reduce(segment.first - 1, (before, sequence) -> sequence);
  }

  /** Returns those that waited and are not known any more. */
  private static List<Long> lostOf(
      Segment segment, SegmentContent content, Set<Long> known, long end) {
    LoadedSegment loaded = segment.loaded;
    if (loaded != null) {
      return loaded.waiting.all().stream()
          .map(Stored::sequence)
          .filter(sequence -> !known.contains(sequence))
          .toList();
    }
    long stillWaiting =
        known.stream().filter(sequence -> !segment.taken.contains(sequence)).count();
    long most = Math.max(0, segment.waiting.total() - stillWaiting);
    Set<Long> notLost = content.removed();
    notLost.addAll(known);
    notLost.addAll(segment.removals);
    notLost.addAll(segment.taken);
    Set<Long> lost = new TreeSet<>();
    for (Gap gap : content.allGaps()) {
      long above = sequenceBefore(content, gap, segment);
      long below = sequenceBehind(content, gap, end);
      for (long sequence : legible(content.file(), gap)) {
        if (sequence > above && sequence < below && !notLost.contains(sequence)) {
          lost.add(sequence);
        }
      }
    }
    // A message whose sequence number is unreadable is one of those between its neighbours.
    for (Gap gap : content.allGaps()) {
      LongStream.range(sequenceBefore(content, gap, segment) + 1, sequenceBehind(content, gap, end))
          .filter(sequence -> !notLost.contains(sequence) && !lost.contains(sequence))
          .limit(Math.max(0, most - lost.size()))
          .boxed()
          .toList()
          .forEach(lost::add);
    }
    return lost.stream().limit(most).toList();
  }

  /** Returns the possible sequences of damaged frames, as far as their lengths lead. */
  private static List<Long> legible(byte[] file, Gap gap) {
    ByteBuffer bytes = ByteBuffer.wrap(file);
    List<Long> sequences = new ArrayList<>();
    long end = (long) gap.offset() + gap.bytes();
    long at = gap.offset();
    while (at + Frame.HEAD_BYTES <= end) {
      Frame frame = Frame.at(file, (int) at);
      sequences.add(frame.sequence());
      long length = 8L + bytes.getInt((int) at);
      at = length < Frame.HEAD_BYTES ? end : at + length;
    }
    return sequences;
  }

  private void recount(Segment segment, List<Frame> live, Map<Long, byte[]> unsynced) {
    List<Stored> waiting = new ArrayList<>();
    long liveBytes = 0;
    for (Frame frame : live) {
      liveBytes += frame.length();
      if (!segment.taken.contains(frame.sequence())) {
        waiting.add(LoadedSegment.stored(frame, clock));
      }
    }
    for (Map.Entry<Long, byte[]> frame : unsynced.entrySet()) {
      liveBytes += frame.getValue().length;
      if (!segment.taken.contains(frame.getKey())) {
        waiting.add(LoadedSegment.stored(Frame.at(frame.getValue(), 0), clock));
      }
    }
    tellTally(segment, -1);
    segment.recount(waiting, live.size() + unsynced.size(), liveBytes);
    tellTally(segment, 1);
  }

  private void tellTally(Segment segment, int sign) {
    for (Priority priority : Priority.values()) {
      tally.recounted(
          priority,
          sign * (int) segment.waiting.of(priority),
          sign * segment.waitingBytes.of(priority));
    }
  }
}
