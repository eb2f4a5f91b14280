package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what a folder holds.
 *
 * <p>A write that the death of the process cut short leaves a torn end of the last file; it was
 * never acknowledged, and is cut off. Anything else that cannot be read is damage: a copy of the
 * file is set aside under a name of its own, an error is logged that names file and offset, and all
 * that can be read is kept. A device that nobody can get at goes on sending, and what it lost can
 * be seen.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final Pattern LOG_NAME = Pattern.compile("\\d{19}\\" + Segment.LOG_SUFFIX);

  private final Disk disk;
  private final Path folder;
  private final ExpiryClock clock;
  private final Segments segments;
  private final Tally tally = new Tally();
  private long lastSequence;

  Recovery(Disk disk, Path folder, ExpiryClock clock) {
    this.disk = disk;
    this.folder = folder;
    this.clock = clock;
    this.segments = new Segments(disk, clock);
  }

  /** Reads the folder. To be called once. */
  void run() throws IOException {
    List<Segment> found = find();
    List<@Nullable SegmentHeader> headers = new ArrayList<>();
    // Before anything is changed: a folder of a newer version stays as it is.
    for (Segment segment : found) {
      headers.add(header(segment));
    }
    sweep(found);
    long coveredTo = 0;
    for (int i = 0; i < found.size(); i++) {
      Segment segment = found.get(i);
      boolean isLast = i == found.size() - 1;
      if (segment.first < coveredTo) {
        delete(segment);
        continue;
      }
      SegmentHeader header = headers.get(i);
      coveredTo = header == null ? 0 : header.end();
      recover(segment, isLast, isLast ? 0 : found.get(i + 1).first);
    }
  }

  private List<Segment> find() throws IOException {
    List<Segment> found = new ArrayList<>();
    for (Path path : disk.list(folder).stream().sorted().toList()) {
      String name = String.valueOf(path.getFileName());
      if (LOG_NAME.matcher(name).matches()) {
        String first = name.substring(0, name.length() - Segment.LOG_SUFFIX.length());
        found.add(new Segment(folder, Long.parseLong(first)));
      }
    }
    return found;
  }

  /** Deletes temporary files that a killed process has left behind. */
  private void sweep(List<Segment> found) throws IOException {
    Set<Path> known = new HashSet<>();
    found.forEach(segment -> known.add(segment.removed));
    for (Path path : disk.list(folder)) {
      String name = String.valueOf(path.getFileName());
      if (name.endsWith(Journal.TEMPORARY_SUFFIX)
          || (name.endsWith(Segment.REMOVED_SUFFIX) && !known.contains(path))) {
        disk.delete(path);
      }
    }
  }

  private @Nullable SegmentHeader header(Segment segment) throws IOException {
    try (DiskFile file = disk.open(segment.log)) {
      int length = (int) Math.min(file.size(), SegmentHeader.BYTES);
      return SegmentHeader.decode(file.read(0, length), segment.log);
    }
  }

  private void delete(Segment segment) throws IOException {
    disk.delete(segment.log);
    disk.delete(segment.removed);
  }

  private void recover(Segment segment, boolean isLast, long end) throws IOException {
    SegmentContent content = SegmentContent.read(disk, segment);
    lastSequence = Math.max(lastSequence, Math.max(segment.first - 1, content.highestSequence()));
    // A file that was never finished has never held a message.
    if (!isLast && content.file().length <= SegmentHeader.BYTES) {
      delete(segment);
      return;
    }
    String damage = content.damage();
    if (damage != null && isLast && !content.hasGaps()) {
      LOG.warn("{}: the end of an unfinished write is cut off {}", segment, damage);
      cutOff(segment, content);
    } else if (damage != null) {
      content = setAside(segment, content, damage, new SegmentHeader(segment.first, end));
    }
    cutOffRemovals(segment, content);
    count(segment, content);
    segments.add(segment);
  }

  private void cutOff(Segment segment, SegmentContent content) throws IOException {
    try (DiskFile file = disk.open(segment.log)) {
      if (content.header() == null) {
        file.write(0, new SegmentHeader(segment.first, 0).encode(), SegmentHeader.BYTES);
      }
      file.truncate(content.scan().end());
      file.force();
    }
  }

  /** Keeps the damaged file under another name, and its readable messages under its own. */
  private SegmentContent setAside(
      Segment segment, SegmentContent content, String damage, SegmentHeader header)
      throws IOException {
    LOG.error(
        "{} is damaged {}. The {} messages of it that can be read are kept; the file as it was is"
            + " now {}",
        segment,
        damage,
        content.live().size(),
        DamagedFile.of(segment));
    DamagedFile.write(disk, folder, segment, content.file());
    // A header that is lost cannot tell that later files are contained in this one.
    List<Frame> frames =
        content.scan().frames().stream()
            .filter(frame -> header.end() == 0 || frame.sequence() < header.end())
            .toList();
    Path temporary = Journal.beside(segment.log, Journal.TEMPORARY_SUFFIX);
    SegmentWriter.writeFile(disk, temporary, segment.log, header, frames);
    disk.force(folder);
    return SegmentContent.read(disk, segment);
  }

  private void cutOffRemovals(Segment segment, SegmentContent content) throws IOException {
    segment.removedBytes = content.removals().end();
    if (content.removalsFileBytes() > segment.removedBytes) {
      LOG.warn(
          "{}: what follows offset {} cannot be read; some messages may be sent again",
          segment.removed,
          segment.removedBytes);
      try (DiskFile file = disk.open(segment.removed)) {
        file.truncate(segment.removedBytes);
      }
    }
    for (FrameScan.Gap gap : content.removals().gaps()) {
      LOG.error(
          "{} is damaged at offset {}: {} bytes; some messages may be sent again",
          segment.removed,
          gap.offset(),
          gap.bytes());
    }
  }

  private void count(Segment segment, SegmentContent content) {
    segment.logBytes = content.scan().end();
    for (Frame frame : content.live()) {
      Stored stored = LoadedSegment.stored(frame, clock);
      segment.add(stored);
      tally.added(stored.priority(), stored.sizeBytes());
    }
    segment.messages = content.scan().frames().size();
  }

  Segments segments() {
    return segments;
  }

  Tally tally() {
    return tally;
  }

  /** Returns the highest sequence that was ever given out, or 0. */
  long lastSequence() {
    return lastSequence;
  }
}
