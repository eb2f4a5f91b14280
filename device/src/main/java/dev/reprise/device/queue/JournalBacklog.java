package dev.reprise.device.queue;

import dev.reprise.common.file.FolderInUseException;
import dev.reprise.common.file.FolderLock;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps messages on disk; they outlive the process. Knows where each is that waits. */
final class JournalBacklog implements Backlog<Stored> {
  private static final Logger LOG = LoggerFactory.getLogger(JournalBacklog.class);
  private static final String LOCK_FILE = "lock";

  private final FolderLock lock;
  private final ExpiryClock clock;
  private final Segments segments;
  private final Tally tally;
  private final SegmentRepair repair;
  private final Journal journal;

  /** The messages that were appended since the last sync and are not gone. */
  private final Map<Long, Stored> fresh = new LinkedHashMap<>();

  private boolean closed;

  private JournalBacklog(
      FolderLock lock, Disk disk, Path folder, SegmentLimits limits, InstantSource wallClock)
      throws IOException {
    this.lock = lock;
    this.clock = new ExpiryClock(wallClock);
    Recovery recovery = new Recovery(disk, folder, clock);
    recovery.run();
    this.segments = recovery.segments();
    this.tally = recovery.tally();
    this.repair = new SegmentRepair(disk, folder, clock, segments, tally);
    this.journal = new Journal(disk, folder, limits, segments, repair, recovery.lastSequence());
    clock.acceptsFrom(recovery.lastSequence() + 1);
  }

  /** Opens the folder, which is created if need be. */
  static JournalBacklog open(Disk disk, Path folder, SegmentLimits limits, InstantSource wallClock)
      throws IOException {
    createFolder(disk, folder.toAbsolutePath());
    FolderLock lock = lock(folder);
    try {
      return new JournalBacklog(lock, disk, folder, limits, wallClock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static FolderLock lock(Path folder) throws IOException {
    try {
      return FolderLock.of(folder, LOCK_FILE);
    } catch (FolderInUseException e) {
      throw new IOException(
          e.getMessage()
              + ": another client has this queue open; each client needs a folder of its own",
          e);
    }
  }

  /** Creates a folder and syncs its parents, without which a power failure could remove it. */
  private static void createFolder(Disk disk, Path folder) throws IOException {
    Path parent = folder.getParent();
    if (parent == null || Files.isDirectory(folder)) {
      return;
    }
    createFolder(disk, parent);
    Files.createDirectories(folder);
    disk.force(parent);
  }

  /** Returns the amount that it held when it was opened. */
  Tally recovered() {
    return tally;
  }

  @Override
  public Stored append(Message message, @Nullable Duration timeToLive, long ageNanos) {
    byte[] payload = StoredMessage.encode(message, clock.begin(timeToLive, ageNanos));
    long sequence = journal.nextSequence();
    byte[] frame = Frame.encode(Frame.MESSAGE, sequence, payload);
    Stored stored =
        new Stored(
            sequence,
            message.priority(),
            message.sizeBytes(),
            frame.length,
            Lifetimes.expiryAge(ageNanos, timeToLive));
    journal.append(sequence, frame);
    fresh.put(sequence, stored);
    Segment active = segments.active();
    active.add(stored);
    loadedActive().waiting.add(stored);
    return stored;
  }

  private LoadedSegment loadedActive() {
    LoadedSegment loaded = segments.active().loaded;
    if (loaded == null) {
      throw new IllegalStateException("the queue is closed");
    }
    return loaded;
  }

  @Override
  public @Nullable Stored takeFirst() throws IOException {
    for (Segment segment : segments.all()) {
      if (segment.waiting.total() > 0) {
        Waiting<Stored> waiting = journal.load(segment).waiting;
        Stored first = waiting.first();
        // Messages that it counted may have turned out to be lost.
        if (first != null) {
          return take(segment, waiting, first);
        }
      }
    }
    return null;
  }

  @Override
  public @Nullable Stored takeFirst(Priority priority) throws IOException {
    for (Segment segment : segments.all()) {
      if (segment.waiting.of(priority) > 0) {
        Waiting<Stored> waiting = journal.load(segment).waiting;
        Stored first = waiting.first(priority);
        if (first != null) {
          return take(segment, waiting, first);
        }
      }
    }
    return null;
  }

  @Override
  public @Nullable Stored take(long sequence) throws IOException {
    Segment segment = segments.of(sequence);
    if (segment == null) {
      return null;
    }
    Waiting<Stored> waiting = journal.load(segment).waiting;
    Stored stored = waiting.get(sequence);
    return stored == null ? null : take(segment, waiting, stored);
  }

  /** Takes one that waits. Whatever may throw, such as for a lack of memory, comes before. */
  private static Stored take(Segment segment, Waiting<Stored> waiting, Stored stored) {
    segment.taken.add(stored.sequence());
    waiting.take(stored.sequence());
    segment.waitsNoMore(stored);
    return stored;
  }

  @Override
  public List<Stored> takeExpired(long ageNanos, int most) throws IOException {
    ArrayList<Stored> taken = new ArrayList<>();
    try {
      for (Segment segment : segments.all()) {
        if (segment.earliestExpiryAgeNanos > ageNanos) {
          continue;
        }
        Waiting<Stored> waiting = journal.load(segment).waiting;
        for (Stored expired : waiting.expired(ageNanos)) {
          if (taken.size() == most) {
            return taken;
          }
          taken.ensureCapacity(taken.size() + 1);
          taken.add(take(segment, waiting, expired));
        }
        segment.earliestExpiryAgeNanos = waiting.firstExpiryAgeNanos();
      }
    } catch (Throwable e) {
      taken.forEach(this::putBack);
      throw e;
    }
    return taken;
  }

  @Override
  public long nextExpiryAgeNanos() {
    long next = Entry.NEVER;
    for (Segment segment : segments.all()) {
      next = Math.min(next, segment.earliestExpiryAgeNanos);
    }
    return next;
  }

  @Override
  public Message read(Stored taken) throws IOException {
    byte[] unsynced = journal.unsynced(taken.sequence());
    if (unsynced != null) {
      return StoredMessage.decode(Frame.at(unsynced, 0).payload());
    }
    Segment segment = segmentOf(taken);
    try {
      return readable(taken, journal.load(segment)).read(taken);
    } catch (DamagedSegmentException e) {
      journal.mend(segment);
      return readable(taken, journal.load(segment)).read(taken);
    }
  }

  /** Loading a segment may show that a message of it is lost. */
  private LoadedSegment readable(Stored taken, LoadedSegment loaded)
      throws UnreadableMessageException {
    if (repair.isLost(taken)) {
      throw new UnreadableMessageException(taken.sequence());
    }
    return loaded;
  }

  @Override
  public List<Long> drainLost() {
    return repair.drainLost();
  }

  private Segment segmentOf(Stored stored) {
    Segment segment = segments.of(stored.sequence());
    if (segment == null) {
      throw new IllegalStateException("there is no message " + stored.sequence());
    }
    return segment;
  }

  @Override
  public boolean putBack(Stored taken) {
    if (repair.forget(taken)) {
      return false;
    }
    Segment segment = segmentOf(taken);
    Long sequence = taken.sequence();
    // Whatever may throw comes before.
    if (segment.loaded != null) {
      segment.loaded.waiting.add(taken);
    }
    segment.taken.remove(sequence);
    segment.waits(taken);
    return true;
  }

  @Override
  public void discard(Stored taken) {
    if (repair.forget(taken)) {
      return;
    }
    Segment segment = segmentOf(taken);
    journal.remove(segment, taken.sequence());
    fresh.remove(taken.sequence());
    segment.loses(taken);
  }

  @Override
  public void sync() throws IOException {
    journal.sync();
    fresh.clear();
  }

  @Override
  public List<Stored> rollBack() {
    List<Stored> lost = List.copyOf(fresh.values());
    Segment active = segments.active();
    for (Stored stored : lost) {
      if (loadedActive().waiting.take(stored.sequence()) != null) {
        active.waitsNoMore(stored);
      }
      active.loses(stored);
    }
    fresh.clear();
    journal.rollBack();
    return lost;
  }

  @Override
  public boolean isDurable() {
    return true;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      sync();
      journal.force();
    } catch (IOException e) {
      LOG.warn("A queue could not be written to the end when it was closed", e);
    }
    segments.close();
    lock.close();
  }
}
