package dev.reprise.device.transport.http;

import dev.reprise.device.transport.SendCallback;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, on its way. The client takes it in pieces, as fast as the system takes
 * them from it: so it is seen that bytes move, and when the last one has left. Thread-safe.
 */
final class Upload implements HttpRequest.BodyPublisher {
  /** A body that is not larger leaves in one piece, with the head. */
  private static final int ONE_PIECE_BYTES = 16 * 1024;

  private volatile HttpRequest.BodyPublisher body;
  private volatile Flow.@Nullable Subscription pieces;
  private final long bytes;
  private final SendCallback callback;
  private final LinkSpeed speed;
  private final long timeoutNanos;
  private final AtomicBoolean leftIsTold = new AtomicBoolean();
  private volatile boolean begun;
  private volatile boolean whole;
  private volatile boolean moved;
  private volatile long beganNanos;
  private volatile long movedNanos = System.nanoTime();

  Upload(byte[] body, SendCallback callback, LinkSpeed speed, long timeoutNanos) {
    this.body = HttpRequest.BodyPublishers.ofByteArray(body);
    this.bytes = body.length;
    this.callback = callback;
    this.speed = speed;
    this.timeoutNanos = timeoutNanos;
  }

  /** Returns whether its time must be measured from its last piece, not from its beginning. */
  boolean isLarge() {
    return bytes > ONE_PIECE_BYTES;
  }

  /** The request was handed to the client, which does not ask for a body that is empty. */
  void sent() {
    if (bytes == 0) {
      finished();
    }
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

  /** Returns the failure of a request that nothing moves for, or null while there is time left. */
  @Nullable HttpTimeoutException silence(long nowNanos) {
    if (whole && nowNanos - beganNanos >= speed.expectedNanos(bytes)) {
      tellLeft();
    }
    if (nowNanos - deadlineNanos() < 0) {
      return null;
    }
    if (!begun) {
      return new HttpConnectTimeoutException("no connection");
    }
    speed.silent(bytes, nowNanos - beganNanos);
    return new HttpTimeoutException("no answer");
  }

  /** Returns when it has been silent for too long, unless something moves before. */
  long deadlineNanos() {
    long beganThen = beganNanos;
    if (!whole) {
      // The system takes nothing until a third of its buffer is free, which may be a megabyte.
      long learnedNanos = begun ? beganThen + speed.expectedNanos(bytes) - movedNanos : 0;
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

  @Override
  public long contentLength() {
    return bytes;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    beganNanos = System.nanoTime();
    movedNanos = beganNanos;
    begun = true;
    body.subscribe(
        new Flow.Subscriber<>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            pieces = subscription;
            subscriber.onSubscribe(new Demand());
          }

          @Override
          public void onNext(ByteBuffer piece) {
            moves();
            subscriber.onNext(piece);
          }

          @Override
          public void onError(Throwable failure) {
            subscriber.onError(failure);
          }

          @Override
          public void onComplete() {
            finished();
            subscriber.onComplete();
          }
        });
  }

  /**
   * Lets go of the body: the request has ended. A connection of the JDK's client holds the first
   * request that was made on it for as long as it is open.
   */
  void release() {
    body = HttpRequest.BodyPublishers.noBody();
    pieces = null;
  }

  /** The subscription that the client holds in place of that to the pieces. */
  private final class Demand implements Flow.Subscription {
    @Override
    public void request(long count) {
      Flow.Subscription wanted = pieces;
      if (wanted != null) {
        wanted.request(count);
      }
    }

    @Override
    public void cancel() {
      Flow.Subscription wanted = pieces;
      if (wanted != null) {
        wanted.cancel();
      }
    }
  }

  private void moves() {
    movedNanos = System.nanoTime();
    moved = true;
  }

  private void finished() {
    moves();
    whole = true;
    if (speed.expectedNanos(bytes) == 0) {
      tellLeft();
    }
  }

  private void tellLeft() {
    if (leftIsTold.compareAndSet(false, true)) {
      callback.onLeft();
    }
  }
}
