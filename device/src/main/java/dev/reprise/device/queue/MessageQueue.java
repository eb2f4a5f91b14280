package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages in the order in which they were accepted. Each is either waiting or in flight. Times are
 * monotonic nanoseconds as of {@link System#nanoTime()}; only differences mean something.
 *
 * <p>A message that was damaged where it is kept is lost: it is taken out for good, and counts no
 * more from then on. {@link #poll} and {@link #expire} tell of each such message once, with an
 * {@link UnreadableMessageException}; until then {@link #nextExpiryNanos} is now. That may be so
 * when no message waits any more. Any other {@link IOException} of theirs may pass, and leaves
 * everything as it was.
 *
 * <p>Not thread-safe: one thread uses it at a time.
 */
public interface MessageQueue extends AutoCloseable {
  /**
   * Adds a message at the end. When the queue is full, its drop policy decides: messages that wait
   * may have to give way, those in flight never. One that has to and is lost gives way, too, but it
   * is not among those that are returned: the next {@link #poll} or {@link #expire} tells. An
   * accepted message is durable after the next {@link #sync}, and may be handed out before.
   */
  Admission offer(Message message, long nowNanos);

  /**
   * Hands out the first message that waits: from now on it is in flight.
   *
   * @return null when none waits
   * @throws UnreadableMessageException when a message is lost, not necessarily the first; the next
   *     call goes on
   * @throws IOException when it cannot be read back now; it stays where it is
   */
  default @Nullable QueuedMessage poll() throws IOException {
    return poll(Long.MAX_VALUE);
  }

  /**
   * Does the same as {@link #poll()}, but leaves a message where it is that is larger.
   *
   * @param maxBytes the largest {@link Message#sizeBytes()} to hand out
   * @return null when none waits, or the first is larger
   */
  @Nullable QueuedMessage poll(long maxBytes) throws IOException;

  /**
   * Reads a message that is in flight once more.
   *
   * @throws IOException when it cannot be read now, or is lost; it is still in flight
   */
  Message read(long sequence) throws IOException;

  /**
   * Lets a message that is in flight wait again, in its old place. If it turned out meanwhile that
   * it could not be read back any more, it is lost.
   */
  void putBack(long sequence);

  /**
   * Takes a message out for good, whether it waits or is in flight; unknown ones are ignored, and a
   * lost message that was not reported yet is not reported any more. One that waits and cannot be
   * read back stays where it is, and a warning is logged.
   */
  void remove(long sequence);

  /**
   * Takes out, and returns, oldest first, messages that wait and whose time to live is over.
   *
   * @param most how many to return at most, at least 1; more may be left
   * @throws UnreadableMessageException when a message is lost, whether it has expired or not; the
   *     others stay where they are, and the next call goes on
   * @throws IOException when they cannot be read back now; they stay where they are
   */
  List<QueuedMessage> expire(long nowNanos, int most) throws IOException;

  /**
   * Returns a time at which {@link #expire} is worth calling, not later than when the next message
   * expires; {@link Long#MAX_VALUE} when none ever does.
   */
  long nextExpiryNanos(long nowNanos);

  /**
   * Returns how much of the time to live of a message in flight is left: its own, or the default of
   * the queue.
   *
   * @return {@link Long#MAX_VALUE} when it never expires, or is not in flight; 0 or less when its
   *     time is over
   */
  long remainingNanos(long sequence, long nowNanos);

  /**
   * Makes all changes durable, if the queue is. Offered messages are safe from then on, even from a
   * power failure. Removed messages stay removed when the process dies; only after a power failure
   * they may be back, and are sent a second time.
   *
   * @throws IOException when it cannot: then no message that was offered since the last sync is in
   *     the queue any more, and {@link #poll} returns none of them
   */
  void sync() throws IOException;

  /** Returns whether the queue outlives the process. */
  boolean isDurable();

  /** Returns how many messages it holds, waiting or in flight. */
  int messages();

  /** Returns how many of them are waiting. */
  int waiting();

  /** Returns the size of all its messages: the sum of {@link Message#sizeBytes()}. */
  long bytes();

  /** Frees its resources. Durable messages stay. */
  @Override
  void close();
}
