package dev.reprise.core.http;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether the body of a request can be sent again. A body that cannot is given to the first
 * attempt that begins to read it, and to no other, for hedges run side by side. Thread-safe.
 */
final class BodyUse {
  private final HttpRequest original;
  private final @Nullable BodyPublisher oneShot;
  private final AtomicReference<@Nullable OneShotBody> reader = new AtomicReference<>();

  BodyUse(HttpRequest original) {
    this.original = Objects.requireNonNull(original, "request");
    BodyPublisher body = original.bodyPublisher().orElse(null);
    // A body of known length is in memory or in a file; if it is not, the client notices that bytes
    // are missing the second time. Of any other we cannot know where it comes from, and one that is
    // empty the second time would be sent without anybody noticing.
    boolean isReplayable =
        body == null || body instanceof ReplayableBody || body.contentLength() >= 0;
    this.oneShot = isReplayable ? null : body;
  }

  /** Returns the request for one more attempt. */
  HttpRequest request() {
    if (oneShot == null) {
      return original;
    }
    return HttpRequest.newBuilder(original, (name, value) -> true)
        .method(original.method(), new OneShotBody(oneShot))
        .build();
  }

  /** Returns true when the body must not be sent twice. */
  boolean isOneShot() {
    return oneShot != null;
  }

  /** Returns true when sending a body that must not be sent twice has begun. */
  boolean isUsedUp() {
    return reader.get() != null;
  }

  /** The body as one attempt sees it. */
  private final class OneShotBody implements BodyPublisher {
    private final BodyPublisher body;

    OneShotBody(BodyPublisher body) {
      this.body = body;
    }

    @Override
    public long contentLength() {
      return body.contentLength();
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
      // The same attempt may ask again: the client follows redirects as it would without us.
      if (reader.compareAndSet(null, this) || reader.get() == this) {
        body.subscribe(subscriber);
        return;
      }
      subscriber.onSubscribe(NothingToRequest.INSTANCE);
      subscriber.onError(
          new IOException("the body can be sent only once, and another attempt sends it"));
    }
  }

  /** The subscription of a subscriber that gets an error at once. */
  private enum NothingToRequest implements Flow.Subscription {
    INSTANCE;

    @Override
    public void request(long count) {}

    @Override
    public void cancel() {}
  }
}
