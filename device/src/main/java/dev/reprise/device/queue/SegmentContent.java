package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The content of the files of a segment.
 *
 * @param header null when it cannot be read
 * @param file the bytes of the log
 * @param scan the frames in there
 * @param removals the frames in the file of the removed
 * @param removalsFileBytes its size
 */
record SegmentContent(
    @Nullable SegmentHeader header,
    byte[] file,
    FrameScan scan,
    FrameScan removals,
    int removalsFileBytes) {

  static SegmentContent read(Disk disk, Segment segment) throws IOException {
    return read(disk, segment, readAll(disk, segment.log));
  }

  /** Reads as many bytes as the segment counts; those that are missing are zero. */
  static SegmentContent readCounted(Disk disk, Segment segment) throws IOException {
    byte[] file = readAll(disk, segment.log);
    return read(disk, segment, Arrays.copyOf(file, Math.toIntExact(segment.logBytes)));
  }

  private static SegmentContent read(Disk disk, Segment segment, byte[] file) throws IOException {
    byte[] removals = Files.exists(segment.removed) ? readAll(disk, segment.removed) : new byte[0];
    return new SegmentContent(
        SegmentHeader.decode(file, segment.log),
        file,
        FrameScan.of(file, SegmentHeader.BYTES),
        FrameScan.of(removals, 0),
        removals.length);
  }

  /**
   * Reads the messages that a segment counts.
   *
   * @throws DamagedSegmentException when they are not what was written
   * @throws IOException when they cannot be read
   */
  static List<Frame> readLive(Disk disk, Segment segment) throws IOException {
    SegmentContent content = readCounted(disk, segment);
    String damage = content.damage();
    if (damage != null) {
      throw new DamagedSegmentException(segment + " cannot be read " + damage);
    }
    List<Frame> live = content.liveOf(segment);
    if (live.size() != segment.live) {
      throw new DamagedSegmentException(
          segment + " holds " + live.size() + " messages: must be " + segment.live);
    }
    return live;
  }

  private static byte[] readAll(Disk disk, Path path) throws IOException {
    try (DiskFile file = disk.open(path)) {
      return file.read(0, Math.toIntExact(file.size()));
    }
  }

  /** Returns the messages that are not removed. */
  List<Frame> live() {
    Set<Long> removed = removed();
    return scan.frames().stream()
        .filter(frame -> frame.type() == Frame.MESSAGE && !removed.contains(frame.sequence()))
        .toList();
  }

  /** Returns the messages that are not removed, nor about to be. */
  List<Frame> liveOf(Segment segment) {
    return live().stream().filter(frame -> !segment.removals.contains(frame.sequence())).toList();
  }

  /** Returns the sequences of those that are removed. */
  Set<Long> removed() {
    Set<Long> removed = new HashSet<>();
    removals.frames().forEach(frame -> removed.add(frame.sequence()));
    return removed;
  }

  /** Returns all that cannot be read, the end included, but for the header. */
  List<FrameScan.Gap> allGaps() {
    List<FrameScan.Gap> gaps = new ArrayList<>(scan.gaps());
    if (scan.end() < file.length) {
      gaps.add(new FrameScan.Gap(scan.end(), file.length - scan.end()));
    }
    return gaps;
  }

  long highestSequence() {
    List<Frame> frames = scan.frames();
    return frames.isEmpty() ? 0 : frames.get(frames.size() - 1).sequence();
  }

  /** Returns whether something in the middle cannot be read: no write that was cut short. */
  boolean hasGaps() {
    return !scan.gaps().isEmpty() || (header == null && !scan.frames().isEmpty());
  }

  /** Returns what cannot be read, or null when all can. */
  @Nullable String damage() {
    if (header == null) {
      return "at offset 0: the header";
    }
    if (!scan.gaps().isEmpty()) {
      FrameScan.Gap gap = scan.gaps().get(0);
      return "at offset " + gap.offset() + ": " + gap.bytes() + " bytes";
    }
    return scan.end() == file.length
        ? null
        : "at offset " + scan.end() + ": " + (file.length - scan.end()) + " bytes";
  }
}
