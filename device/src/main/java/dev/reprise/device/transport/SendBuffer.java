package dev.reprise.device.transport;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The messages that a connection was handed and that have not left the process yet, in their order.
 * It takes no more while there are many bytes: what waits in the queue of the client can still
 * expire, and costs no memory. Thread-safe.
 */
public final class SendBuffer {
  /**
   * The size of the buffer of the system below, in bytes. What it holds cannot be told from what
   * the other side has, so it must be sent within the time for an acknowledgement over a slow link,
   * too. Linux doubles it.
   */
  public static final int SOCKET_BYTES = 64 * 1024;

  /** The largest piece that a message is written in, so that each piece shows that bytes move. */
  public static final int PIECE_BYTES = 16 * 1024;

  /** One message more is taken below this, however large it is. */
  private static final int ROOM_BYTES = 64 * 1024;

  /** One message. */
  public static final class Entry {
    private final SendCallback callback;
    private final int bytes;

    private Entry(SendCallback callback, int bytes) {
      this.callback = callback;
      this.bytes = bytes;
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private boolean wanted;
  private boolean moved;

  /** Returns whether another message may be handed over. */
  public synchronized boolean hasRoom() {
    boolean room = bytes < ROOM_BYTES;
    wanted |= !room;
    return room;
  }

  /** Adds a message of this size behind the others. */
  public synchronized Entry add(SendCallback callback, int sizeBytes) {
    Entry entry = new Entry(callback, sizeBytes);
    entries.add(entry);
    bytes += sizeBytes;
    return entry;
  }

  /** Bytes of a message were written to the socket. */
  public synchronized void moved() {
    moved = true;
  }

  /** Returns whether bytes of messages were written since the last call. */
  public synchronized boolean hasMoved() {
    boolean result = moved;
    moved = false;
    return result;
  }

  /**
   * The last byte of the first message was written to the socket.
   *
   * @return whether there is room again that somebody had asked for in vain
   */
  public boolean left() {
    Entry first;
    synchronized (this) {
      moved = true;
      first = entries.poll();
      if (first == null) {
        return false;
      }
      bytes -= first.bytes;
    }
    first.callback.onLeft();
    return isWantedRoom();
  }

  /**
   * A message will not be sent: there is no way to say it.
   *
   * @return as {@link #left}
   */
  public boolean remove(Entry entry) {
    synchronized (this) {
      if (!entries.remove(entry)) {
        return false;
      }
      bytes -= entry.bytes;
    }
    return isWantedRoom();
  }

  private synchronized boolean isWantedRoom() {
    if (!wanted || bytes >= ROOM_BYTES) {
      return false;
    }
    wanted = false;
    return true;
  }
}
