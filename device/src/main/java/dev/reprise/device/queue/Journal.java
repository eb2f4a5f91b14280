package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes segments: what is new to the end of the active one, what is removed to the file beside
 * each. It also keeps them small: a segment without messages is deleted, and when too much of the
 * others is gone, what is left of neighbours is written again to one file.
 *
 * <p>So, after a sync, all files together take at most twice what the messages take, and 32 bytes
 * for each file; beyond that at most what may be wasted, and the active one, which has at most its
 * limit and what one sync wrote. While a segment is written again it takes its bytes twice.
 */
final class Journal {
  static final String TEMPORARY_SUFFIX = ".temporary";
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
  private static final byte[] NO_PAYLOAD = new byte[0];

  private final Disk disk;
  private final Path folder;
  private final SegmentLimits limits;
  private final Segments segments;
  private final SegmentRepair repair;

  /** The frames that the next sync writes, by sequence. */
  private final Map<Long, byte[]> unsynced = new LinkedHashMap<>();

  /** Segments that have removals to write, or have become emptier. */
  private final Set<Segment> touched = new LinkedHashSet<>();

  private long lastSequence;
  private long lastWrittenSequence;

  /** Whether the active segment ends with the remains of a failed write. */
  private boolean hasDirtyEnd;

  private boolean upkeepFails;

  /**
   * Creates the journal of a folder.
   *
   * @param lastSequence the last one that was given out
   */
  Journal(
      Disk disk,
      Path folder,
      SegmentLimits limits,
      Segments segments,
      SegmentRepair repair,
      long lastSequence)
      throws IOException {
    this.disk = disk;
    this.folder = folder;
    this.limits = limits;
    this.segments = segments;
    this.repair = repair;
    this.lastSequence = lastSequence;
    this.lastWrittenSequence = lastSequence;
    touched.addAll(segments.all());
    if (segments.all().isEmpty()) {
      segments.add(create());
    }
    segments.load(segments.active());
  }

  static Path beside(Path path, String suffix) {
    return path.resolveSibling(path.getFileName() + suffix);
  }

  /** Creates an empty segment for the next sequence. */
  private Segment create() throws IOException {
    Segment segment = new Segment(folder, lastSequence + 1);
    SegmentHeader header = new SegmentHeader(segment.first, 0);
    SegmentWriter.writeFile(
        disk, beside(segment.log, TEMPORARY_SUFFIX), segment.log, header, List.of());
    disk.force(folder);
    segment.logBytes = SegmentHeader.BYTES;
    return segment;
  }

  long nextSequence() {
    return ++lastSequence;
  }

  /** Leaves a frame to the next sync. */
  void append(long sequence, byte[] frame) {
    unsynced.put(sequence, frame);
  }

  /** Returns the frame of a message that is not yet written, or null. */
  byte @Nullable [] unsynced(long sequence) {
    return unsynced.get(sequence);
  }

  /** Leaves it to the next sync that a message is gone. */
  void remove(Segment segment, long sequence) {
    if (unsynced.remove(sequence) == null) {
      segment.removals.add(sequence);
      touched.add(segment);
    }
  }

  /** Loads a segment, and mends it if need be. */
  LoadedSegment load(Segment segment) throws IOException {
    try {
      return segments.load(segment);
    } catch (DamagedSegmentException e) {
      mend(segment);
      return segments.load(segment);
    }
  }

  /** Removes the damaged messages of a segment. */
  void mend(Segment segment) throws IOException {
    Map<Long, byte[]> notInFile = segments.isActive(segment) ? unsynced : Map.of();
    repair.mend(segment, notInFile, lastWrittenSequence);
    touched.add(segment);
  }

  /** Drops the changes that were not written. */
  void rollBack() {
    unsynced.clear();
  }

  /**
   * Writes all changes. Failures to write anything but new messages are retried at the next sync:
   * they lose no message.
   *
   * @throws IOException when the new messages cannot be written
   */
  void sync() throws IOException {
    // First of all: on a full disk nothing else makes room.
    boolean keptUp = attempt(this::deleteDead);
    writeMessages();
    keptUp &= attempt(this::keepUp);
    upkeepFails = !keptUp;
  }

  /** The removals that can wait for the next sync. */
  private interface Upkeep {
    void run() throws IOException;
  }

  private boolean attempt(Upkeep upkeep) {
    try {
      upkeep.run();
      return true;
    } catch (IOException e) {
      if (!upkeepFails) {
        LOG.warn("Cannot keep up the files of {}; it is tried again and again", folder, e);
      }
      return false;
    }
  }

  private void keepUp() throws IOException {
    writeMark();
    writeRemovals();
    if (limits.isFull(segments.active().logBytes, segments.active().messages)) {
      roll();
    }
    deleteDead();
    tidy();
  }

  private void writeMessages() throws IOException {
    if (unsynced.isEmpty()) {
      return;
    }
    Segment active = segments.active();
    LoadedSegment loaded = segments.load(active);
    long end = writeToActive(loaded.log, unsynced.values(), true);
    int offset = Math.toIntExact(active.logBytes);
    for (Map.Entry<Long, byte[]> frame : unsynced.entrySet()) {
      loaded.offsets.add(frame.getKey(), offset);
      offset += frame.getValue().length;
      lastWrittenSequence = frame.getKey();
    }
    active.logBytes = end;
    active.messages += unsynced.size();
    unsynced.clear();
  }

  /**
   * Remembers sequences that were given out to messages that were gone before they were written.
   */
  private void writeMark() throws IOException {
    if (lastWrittenSequence == lastSequence) {
      return;
    }
    Segment active = segments.active();
    byte[] mark = Frame.encode(Frame.MARK, lastSequence, NO_PAYLOAD);
    active.logBytes = writeToActive(segments.load(active).log, List.of(mark), false);
    lastWrittenSequence = lastSequence;
  }

  private long writeToActive(DiskFile log, Iterable<byte[]> frames, boolean durable)
      throws IOException {
    cutOffDirtyEnd(log);
    hasDirtyEnd = true;
    try {
      SegmentWriter writer = new SegmentWriter(log, segments.active().logBytes);
      for (byte[] frame : frames) {
        writer.write(frame);
      }
      writer.flush();
      if (durable) {
        log.force();
      }
      hasDirtyEnd = false;
      return writer.position();
    } catch (IOException e) {
      try {
        cutOffDirtyEnd(log);
      } catch (IOException cutOff) {
        // The next write tries again before it writes anything.
        e.addSuppressed(cutOff);
      }
      throw e;
    }
  }

  private void cutOffDirtyEnd(DiskFile log) throws IOException {
    if (hasDirtyEnd) {
      log.truncate(segments.active().logBytes);
      hasDirtyEnd = false;
    }
  }

  private void writeRemovals() throws IOException {
    for (Segment segment : touched) {
      // A segment without messages is about to be deleted.
      if (segment.removals.isEmpty() || isDead(segment)) {
        continue;
      }
      try (DiskFile file = disk.create(segment.removed)) {
        SegmentWriter writer = new SegmentWriter(file, segment.removedBytes);
        for (long sequence : segment.removals) {
          writer.write(Frame.encode(Frame.REMOVED, sequence, NO_PAYLOAD));
        }
        writer.flush();
        segment.removedBytes = writer.position();
      }
      segment.removedIsForced = false;
      segment.removals.clear();
    }
  }

  private boolean isDead(Segment segment) {
    return segment.live == 0 && !segments.isActive(segment);
  }

  private void roll() throws IOException {
    touched.add(segments.active());
    Segment next = create();
    segments.roll(next);
    segments.load(next);
  }

  private void tidy() throws IOException {
    touched.removeIf(segment -> segments.isActive(segment) || segment.excessBytes() == 0);
    long excessBytes = 0;
    for (Segment segment : touched) {
      excessBytes += segment.excessBytes();
    }
    // Queues are emptied from the front: what is half empty now is mostly empty soon.
    for (Segment segment : List.copyOf(touched)) {
      if (excessBytes > limits.wastedBytes() && segments.contains(segment)) {
        excessBytes -= segment.excessBytes();
        rewrite(withNeighbours(segment));
      }
    }
    touched.removeIf(segment -> !segments.contains(segment));
  }

  private void deleteDead() throws IOException {
    boolean deleted = false;
    for (Segment segment : List.copyOf(touched)) {
      if (isDead(segment)) {
        delete(segment);
        segments.remove(segment);
        touched.remove(segment);
        deleted = true;
      }
    }
    if (deleted) {
      disk.force(folder);
    }
  }

  /** Deletes the removals last: without them, the messages would be back. */
  private void delete(Segment segment) throws IOException {
    disk.delete(segment.log);
    disk.delete(segment.removed);
  }

  private List<Segment> withNeighbours(Segment segment) {
    List<Segment> run = new ArrayList<>(List.of(segment));
    long bytes = segment.liveBytes;
    int messages = segment.live;
    for (Segment next = segments.after(segment);
        !segments.isActive(next) && fit(bytes + next.liveBytes, messages + next.live);
        next = segments.after(next)) {
      run.add(next);
      bytes += next.liveBytes;
      messages += next.live;
    }
    for (Segment previous = segments.before(segment);
        previous != null && fit(bytes + previous.liveBytes, messages + previous.live);
        previous = segments.before(previous)) {
      run.add(0, previous);
      bytes += previous.liveBytes;
      messages += previous.live;
    }
    return run;
  }

  private boolean fit(long bytes, int messages) {
    return bytes <= limits.bytes() && messages <= limits.messages();
  }

  /**
   * Merges the remaining messages of neighbouring files into one file, which replaces the first.
   */
  private void rewrite(List<Segment> run) throws IOException {
    Segment first = run.get(0);
    Segment merged = new Segment(folder, first.first);
    List<Frame> frames = new ArrayList<>();
    for (Segment segment : run) {
      frames.addAll(readLive(segment));
      merged.absorb(segment);
    }
    long end = segments.after(run.get(run.size() - 1)).first;
    SegmentWriter.writeFile(
        disk,
        beside(first.log, TEMPORARY_SUFFIX),
        first.log,
        new SegmentHeader(first.first, end),
        frames);
    merged.logBytes = SegmentHeader.BYTES + merged.liveBytes;
    merged.messages = merged.live;
    run.forEach(segments::remove);
    segments.add(merged);
    disk.force(folder);
    // From here on the others, and what was removed, are never read again, even if they stay.
    disk.delete(first.removed);
    for (Segment segment : run.subList(1, run.size())) {
      delete(segment);
    }
  }

  private List<Frame> readLive(Segment segment) throws IOException {
    try {
      return SegmentContent.readLive(disk, segment);
    } catch (DamagedSegmentException e) {
      mend(segment);
      return SegmentContent.readLive(disk, segment);
    }
  }

  /** Makes durable all that is written, the removals included. */
  void force() throws IOException {
    for (Segment segment : segments.all()) {
      if (!segment.removedIsForced) {
        try (DiskFile file = disk.open(segment.removed)) {
          file.force();
        }
        segment.removedIsForced = true;
      }
    }
    segments.load(segments.active()).log.force();
    disk.force(folder);
  }
}
