package dev.reprise.core.http;

import java.net.http.HttpResponse;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Releases a result of an attempt that will not be read. */
final class Bodies {
  private Bodies() {}

  /** Lets go of the connection that an outcome of an attempt, or a body, may hold. */
  static void close(@Nullable Object discarded) {
    if (discarded instanceof HeldResponse held) {
      held.discard();
    } else if (discarded instanceof HttpResponse<?> response) {
      close(response.body());
    } else if (discarded instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("the body was not closed: " + e.getMessage(), e);
      }
    } else if (discarded instanceof Flow.Publisher<?> publisher) {
      publisher.subscribe(new Cancelling<>());
    }
  }

  /** Wants nothing of a publisher, and says so at once. */
  private static final class Cancelling<T> implements Flow.Subscriber<T> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(T item) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
