package dev.reprise.core.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response that may yet be discarded for a retry. The caller's own handler must not
 * see it before that is decided: it may write a file, and the next response into the same one.
 *
 * <p>Bodies of such responses are short. A body within the limit is read as a part of the attempt,
 * so that the connection is free before the wait. The rest of a longer one stays unread until the
 * caller reads it or it is cancelled.
 *
 * <p>First the client is the only one who calls, then also who reads. Signals that come before the
 * reader has got what was held wait for that; from then on they are passed on.
 */
final class HeldBody implements BodySubscriber<HeldBody>, Flow.Subscription {
  /**
   * The number of bytes that are read before the response is passed on or discarded, but for the
   * last piece.
   */
  static final int LIMIT_BYTES = 64 * 1024;

  private final CompletableFuture<HeldBody> held = new CompletableFuture<>();
  private final List<ByteBuffer> buffers = new ArrayList<>();
  private long heldBytes;
  private volatile Flow.@Nullable Subscription source;
  private volatile Flow.@Nullable Subscriber<? super List<ByteBuffer>> reader;
  private volatile boolean cancelled;

  // Guarded by this.
  private boolean passesOn;
  private boolean ended;
  private @Nullable Throwable failure;
  private long wanted;

  @Override
  public CompletionStage<HeldBody> getBody() {
    return held;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    if (cancelled) {
      subscription.cancel();
    } else {
      subscription.request(1);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> piece) {
    Flow.Subscriber<? super List<ByteBuffer>> target = reader;
    if (target != null) {
      target.onNext(piece);
      return;
    }
    for (ByteBuffer buffer : piece) {
      buffers.add(buffer);
      heldBytes += buffer.remaining();
    }
    if (heldBytes < LIMIT_BYTES) {
      requestMore(1);
    } else {
      held.complete(this);
    }
  }

  @Override
  public void onError(Throwable thrown) {
    end(thrown);
    held.completeExceptionally(thrown);
  }

  @Override
  public void onComplete() {
    end(null);
    held.complete(this);
  }

  private void end(@Nullable Throwable thrown) {
    synchronized (this) {
      ended = true;
      failure = thrown;
      if (!passesOn) {
        return;
      }
    }
    tellEnd();
  }

  /** Hands everything to the reader. Called once at most, after {@link #getBody} is complete. */
  void readBy(Flow.Subscriber<? super List<ByteBuffer>> subscriber) {
    reader = subscriber;
    subscriber.onSubscribe(this);
    // An end needs no request.
    if (buffers.isEmpty()) {
      passOn(0);
    }
  }

  /** The reader wants more. */
  @Override
  public void request(long count) {
    if (count <= 0) {
      cancel();
      Flow.Subscriber<? super List<ByteBuffer>> target = reader;
      if (target != null) {
        target.onError(new IllegalArgumentException("count is " + count + ": must be >= 1"));
      }
      return;
    }
    boolean isFirst;
    synchronized (this) {
      if (passesOn) {
        isFirst = false;
      } else {
        isFirst = wanted == 0;
        wanted = count > Long.MAX_VALUE - wanted ? Long.MAX_VALUE : wanted + count;
        if (!isFirst || buffers.isEmpty()) {
          return;
        }
      }
    }
    Flow.Subscriber<? super List<ByteBuffer>> target = reader;
    if (isFirst && target != null) {
      target.onNext(List.copyOf(buffers));
      passOn(1);
    } else {
      requestMore(count);
    }
  }

  /**
   * Lets the reader and the client talk to each other from now on.
   *
   * @param given how many of the pieces that the reader requested it has received
   */
  private void passOn(int given) {
    long more;
    boolean isOver;
    synchronized (this) {
      passesOn = true;
      isOver = ended;
      more = wanted - given;
    }
    if (isOver) {
      tellEnd();
    } else if (more > 0) {
      requestMore(more);
    }
  }

  private void tellEnd() {
    Flow.Subscriber<? super List<ByteBuffer>> target = reader;
    Throwable thrown;
    synchronized (this) {
      thrown = failure;
    }
    if (target == null || cancelled) {
      return;
    }
    if (thrown == null) {
      target.onComplete();
    } else {
      target.onError(thrown);
    }
  }

  private void requestMore(long count) {
    Flow.Subscription from = source;
    if (from != null) {
      from.request(count);
    }
  }

  /** Lets go of the rest, and with it of the connection when there is a rest. */
  @Override
  public void cancel() {
    cancelled = true;
    Flow.Subscription from = source;
    if (from != null) {
      from.cancel();
    }
  }
}
