package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the messages of a queue, without bounds. An entry waits until it is taken; a taken entry is
 * either put back, in its old place, or discarded for good.
 */
interface Backlog<E extends Entry> {
  /** Adds a message behind all others. */
  E append(Message message, @Nullable Duration timeToLive, long ageNanos);

  /** Takes the first that waits. */
  @Nullable E takeFirst() throws IOException;

  /** Takes the first that waits of this priority. */
  @Nullable E takeFirst(Priority priority) throws IOException;

  /** Takes this one, if it waits. */
  @Nullable E take(long sequence) throws IOException;

  /** Takes at most so many that wait and have reached their expiry age, oldest first. */
  List<E> takeExpired(long ageNanos, int most) throws IOException;

  /**
   * Returns a time not later than the first expiry age of those that wait; {@link Entry#NEVER} for
   * none.
   */
  long nextExpiryAgeNanos();

  /**
   * Reads what belongs to an entry that is taken.
   *
   * @throws UnreadableMessageException when it is lost for good; it has to be discarded
   */
  Message read(E taken) throws IOException;

  /** Puts a message back to wait again; returns false if it was lost meanwhile. */
  boolean putBack(E taken);

  /** Returns, once, those that waited and turned out to be lost; the tally lacks them already. */
  List<Long> drainLost();

  void discard(E taken);

  /** Makes everything durable. When it throws, {@link #rollBack} has to follow. */
  void sync() throws IOException;

  /** Removes and returns the entries appended since the last sync, whether taken or not. */
  List<E> rollBack();

  boolean isDurable();

  void close();
}
