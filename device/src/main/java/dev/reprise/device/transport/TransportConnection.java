package dev.reprise.device.transport;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection, or the attempt to make one. No method blocks. Methods are called by one thread at a
 * time, but not always the same one.
 */
public interface TransportConnection {
  /**
   * Returns how many messages may be handed over now: what the other side grants and its protocol
   * allows, less what is under way. 0 before the connection is ready. When it rises from 0, {@link
   * ConnectionListener#onWritable} is called, unless an outcome of a message is told anyway.
   */
  int capacity();

  /**
   * Sends a message; called only when there is {@link #capacity}. The connection sends messages in
   * the order in which they are handed over. When the connection is lost or closed before the
   * outcome is known, the callback is not called: the caller keeps the message.
   *
   * @param message its {@link Message#timeToLive} is how much of it is left now, or null; a
   *     protocol that can passes it on, rounded up
   * @param attempt which attempt for this message it is, counted from 1
   */
  void send(Message message, int attempt, SendCallback callback);

  /**
   * Returns whether bytes of messages have been written to the socket since the last call: then the
   * other side is not silent, however slow the link is. Frames that carry nothing of a message do
   * not count. Asked now and then while messages are under way.
   */
  default boolean hasMoved() {
    return false;
  }

  /**
   * Returns what an attempt that is not ready waits for, when that is more than an answer: such as
   * leave to send. Asked when the time for connecting is over; null counts as a timeout.
   */
  default @Nullable TransportException whyNotReady() {
    return null;
  }

  /**
   * Puts a new credential in place of the one that is about to end, without a new connection, if
   * the protocol can do it. The result is reported by {@link ConnectionListener#onRenewed}, or the
   * connection is lost.
   *
   * @return false when it takes a new connection; then nothing has happened
   */
  default boolean renew(Credential credential) {
    return false;
  }

  /**
   * Asks for commands on a ready connection that was made without them, or was refused them. The
   * answer is told by {@link ConnectionListener#onSubscribed}, or the connection is lost. One made
   * with {@link ConnectRequest#receivesCommands} asks while it connects, without this call.
   */
  void subscribe();

  /**
   * Returns where the events of the connection happen, if that is a thread which outlives it and
   * serves others too: then the client does its own work there as well, which never blocks. Asked
   * when the connection is ready.
   *
   * @return null when the client is to use threads of its own
   */
  default @Nullable Executor executor() {
    return null;
  }

  /**
   * Returns whether the other side has taken messages, in a protocol whose connections do not last:
   * then what is called a loss is one failed request, and says little about the next one. So the
   * retries start over, and the first is not spread as after a lost connection. Asked when the
   * connection is lost.
   */
  default boolean isProven() {
    return false;
  }

  /** Ends the connection or the attempt, and frees its resources. May be called more than once. */
  void close();
}
