package dev.reprise.server.http;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/** A connection of a client, written by its own event loop and read by the thread that accepts. */
public final class ClientConnection {
  /** For so long the client may leave an answer unread before its connection is closed. */
  public static final int UNREAD_SECONDS = 75;

  private final Channel channel;
  private volatile long sinceNanos;
  private volatile int underWay;
  private volatile int unread;
  private volatile long headSinceNanos;

  /** From the opening, too, until the first head is complete. */
  private volatile boolean headArriving = true;

  private volatile boolean keyed;
  volatile boolean closing;

  ClientConnection(Channel channel, long nowNanos) {
    this.channel = channel;
    this.sinceNanos = nowNanos;
    this.headSinceNanos = nowNanos;
  }

  /** A byte of a request's head came; only the first of each head counts. */
  public void headBegan(long nowNanos) {
    if (!headArriving) {
      headSinceNanos = nowNanos;
      headArriving = true;
    }
  }

  /** The head of a request is complete. */
  public void headEnded() {
    headArriving = false;
  }

  /** A request has begun. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Written by one thread.
  public void began() {
    underWay++;
  }

  /** A request came with a key that is known. */
  public void keyed() {
    if (!keyed) {
      keyed = true;
    }
  }

  /** The answer to a request was handed over for writing. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Written by one thread.
  public void answered(long nowNanos) {
    underWay = Math.max(0, underWay - 1);
    unread++;
    sinceNanos = nowNanos;
  }

  /** An answer was written as a whole: the client reads. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Written by one thread.
  public void written(long nowNanos) {
    unread--;
    sinceNanos = nowNanos;
  }

  /** Returns since when nothing has happened, but that more of a head came. */
  long quietSinceNanos() {
    boolean headIsLater = headArriving && headSinceNanos - sinceNanos > 0;
    return headIsLater ? headSinceNanos : sinceNanos;
  }

  /** Returns the harm that closing it would do; 3 is too much. */
  int harm() {
    return (keyed ? 2 : 0) + (underWay > 0 ? 1 : 0);
  }

  /** Returns whether its time without a request to answer is up. */
  boolean isOverdue(long nowNanos, long idleNanos, long headNanos) {
    if (underWay > 0) {
      return false;
    }
    long most =
        unread > 0
            ? TimeUnit.SECONDS.toNanos(UNREAD_SECONDS)
            : headArriving ? headNanos : idleNanos;
    return nowNanos - quietSinceNanos() >= most;
  }

  Channel channel() {
    return channel;
  }
}
