package dev.reprise.device.transport.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The body of a request, on its way. It is written in pieces, as the system takes them: so it is
 * seen that bytes move, and when the last one has left. Thread-safe.
 */
final class Upload {
  /** A body that is not larger leaves in one piece, with the head. */
  private static final int PIECE_BYTES = 16 * 1024;

  private static final byte[] NOTHING = {};

  private volatile byte[] body;
  private final long bytes;
  private final Runnable onLeft;
  private final LinkSpeed speed;
  private final long timeoutNanos;
  private final AtomicBoolean leftIsTold = new AtomicBoolean();
  private volatile boolean begun;
  private volatile boolean whole;
  private volatile boolean moved;
  private volatile long beganNanos;
  private volatile long movedNanos;

  /** The number of bytes that the loop has handed to the channel. */
  private int written;

  private boolean isLastWritten;

  /**
   * A body that nothing is written of yet.
   *
   * @param onLeft called once when its last byte has left, on any thread
   * @param timeoutNanos the time for an answer
   */
  Upload(byte[] body, Runnable onLeft, LinkSpeed speed, long timeoutNanos) {
    this.body = body;
    this.bytes = body.length;
    this.onLeft = onLeft;
    this.speed = speed;
    this.timeoutNanos = timeoutNanos;
  }

  long bytes() {
    return bytes;
  }

  /** Returns whether its time must be measured from its last piece, not from its beginning. */
  boolean isLarge() {
    return bytes > PIECE_BYTES;
  }

  /** Returns whether all of it was written. */
  boolean isWhole() {
    return whole;
  }

  /** Returns whether bytes have moved since the last call, or may still be on their way. */
  boolean hasMoved() {
    boolean result = moved;
    moved = false;
    return result
        || (begun
            && !leftIsTold.get()
            && System.nanoTime() - beganNanos < speed.expectedNanos(bytes));
  }

  /** Returns whether nothing has moved or was answered for too long. */
  boolean isSilent(long nowNanos) {
    if (whole && nowNanos - beganNanos >= speed.expectedNanos(bytes)) {
      tellLeft();
    }
    if (nowNanos - deadlineNanos() < 0) {
      return false;
    }
    speed.silent(bytes, nowNanos - beganNanos);
    return true;
  }

  /** Returns when it has been silent for too long, unless something moves before. */
  long deadlineNanos() {
    long beganThen = beganNanos;
    if (!whole) {
      // The system takes nothing until a third of its buffer is free, which may be a megabyte.
      long learnedNanos = beganThen + speed.expectedNanos(bytes) - movedNanos;
      return movedNanos + Math.max(timeoutNanos, learnedNanos);
    }
    // What the system below holds takes as long as what came before it, or as was learned.
    long tookNanos = movedNanos - beganThen;
    long extraNanos =
        Math.max(Math.min(timeoutNanos, tookNanos), speed.expectedNanos(bytes) - tookNanos);
    return movedNanos + extraNanos + timeoutNanos;
  }

  /** The process stood still, and heard nothing meanwhile. */
  void stoodStill(long nowNanos) {
    movedNanos = nowNanos;
  }

  /** An answer has come. */
  void answered() {
    if (isLarge() && begun) {
      speed.answered(bytes, System.nanoTime() - beganNanos, timeoutNanos);
    }
  }

  /**
   * Begins to write it, behind the head of its request.
   *
   * @param request learns that all of it was written, or why not
   */
  void begin(Channel channel, ExchangeHandler request) {
    beganNanos = System.nanoTime();
    movedNanos = beganNanos;
    begun = true;
    proceed(channel, request);
  }

  /** Lets go of the body: the request has ended. */
  void release() {
    body = NOTHING;
  }

  /** Writes as many pieces as the channel holds without piling up; on its loop. */
  void proceed(Channel channel, ExchangeHandler request) {
    byte[] all = body;
    if (all.length != bytes || isLastWritten) {
      // Released: its channel is being closed. Or no more to write.
      return;
    }
    do {
      int length = Math.min(PIECE_BYTES, all.length - written);
      ByteBuf piece = Unpooled.wrappedBuffer(all, written, length);
      written += length;
      isLastWritten = written == all.length;
      boolean isLast = isLastWritten;
      channel
          .write(isLast ? new DefaultLastHttpContent(piece) : new DefaultHttpContent(piece))
          .addListener(
              done -> {
                if (!done.isSuccess()) {
                  request.notWritten(channel, done.cause());
                  return;
                }
                moves();
                if (isLast) {
                  finished();
                  request.written(channel);
                } else if (channel.isWritable()) {
                  proceed(channel, request);
                }
              });
    } while (!isLastWritten && channel.isWritable());
    channel.flush();
  }

  private void moves() {
    movedNanos = System.nanoTime();
    moved = true;
  }

  private void finished() {
    whole = true;
    if (speed.expectedNanos(bytes) == 0) {
      tellLeft();
    }
  }

  private void tellLeft() {
    if (leftIsTold.compareAndSet(false, true)) {
      onLeft.run();
    }
  }
}
