package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/** Opens queues. */
public final class MessageQueues {
  private MessageQueues() {}

  /**
   * Opens a queue in memory, or, when the settings name a folder, the one in that folder.
   *
   * <p>A folder belongs to one queue at a time. Its files take at most twice what the messages
   * take, and about 1.5 MiB beside; none of it is needed on the heap, however many wait.
   *
   * <p>Whatever the death of a process or a full disk leaves unfinished is put right when the
   * folder is opened. Damage is something else: then an error is logged that names file and offset,
   * the file is kept under a name that ends in {@code .damaged}, and all messages that can still be
   * read are in the queue. Nothing deletes such a file.
   *
   * <p>Messages of an earlier process have waited for as long as the wall clock says. When it
   * cannot tell, because it went back or had not been set, their time to live begins anew.
   *
   * <p>Time for which the machine sleeps counts, too.
   *
   * @throws IOException when the folder cannot be used: it cannot be read or written, another
   *     client has it open, or a newer version of this library wrote it
   */
  public static MessageQueue open(QueueSettings settings) throws IOException {
    return open(settings, InstantSource.system());
  }

  /**
   * Opens a queue as {@link #open(QueueSettings)} does, on a clock of the caller's.
   *
   * @param wallClock what tells how long messages on disk had waited already; nothing else does
   * @throws IOException when the folder cannot be used
   */
  public static MessageQueue open(QueueSettings settings, InstantSource wallClock)
      throws IOException {
    return open(settings, wallClock, SleepClock.system());
  }

  static MessageQueue open(QueueSettings settings, InstantSource wallClock, SleepClock sleep)
      throws IOException {
    Path folder = settings.folder();
    if (folder == null) {
      return new BoundedQueue<>(settings, new MemoryBacklog(), new Tally(), sleep);
    }
    JournalBacklog backlog =
        JournalBacklog.open(new LocalDisk(), folder, SegmentLimits.DEFAULT, wallClock);
    return new BoundedQueue<>(settings, backlog, backlog.recovered(), sleep);
  }

  static MessageQueue open(
      QueueSettings settings, Disk disk, Path folder, SegmentLimits limits, InstantSource wallClock)
      throws IOException {
    JournalBacklog backlog = JournalBacklog.open(disk, folder, limits, wallClock);
    return new BoundedQueue<>(settings, backlog, backlog.recovered(), SleepClock.system());
  }
}
