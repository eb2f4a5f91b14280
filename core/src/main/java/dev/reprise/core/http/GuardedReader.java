package dev.reprise.core.http;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * The caller's own reader of a body. An exception of the reader completes the future that the
 * caller waits for; otherwise it would be lost, as signals come from threads of the client or from
 * within the reader's requests.
 */
record GuardedReader(Flow.Subscriber<? super List<ByteBuffer>> reader, CompletableFuture<?> read)
    implements Flow.Subscriber<List<ByteBuffer>> {

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    guard(() -> reader.onSubscribe(subscription));
  }

  @Override
  public void onNext(List<ByteBuffer> piece) {
    guard(() -> reader.onNext(piece));
  }

  @Override
  public void onError(Throwable failure) {
    guard(() -> reader.onError(failure));
  }

  @Override
  public void onComplete() {
    guard(reader::onComplete);
  }

  private void guard(Runnable signal) {
    try {
      signal.run();
    } catch (Throwable broken) {
      read.completeExceptionally(broken);
    }
  }
}
