package dev.reprise.spring;

import dev.reprise.core.retry.CheckedSupplier;
import dev.reprise.core.retry.Retry;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Calls a Kotlin {@code suspend fun}. To advice, Spring shows such a function as one that returns a
 * {@link Mono}, and makes the caller wait for it without a thread: in the caller's coroutine
 * context but for its job, with what is in its Reactor context (a transaction, who is logged in)
 * put into that of the Mono. The Mono is cancelled when the caller is.
 */
final class SuspendingCall {
  /** The class of the mark that a function returns whose result is still to come. */
  private static final String SUSPENDED = "kotlin.coroutines.intrinsics.CoroutineSingletons";

  private SuspendingCall() {}

  /**
   * Returns the call as a Mono, of which each attempt has the context of the whole.
   *
   * @param attempt proceeds, and returns what Spring makes of the function: a Mono
   */
  static Mono<Object> of(
      RetriedMethod method, Retry retry, CheckedSupplier<@Nullable Object, Exception> attempt) {
    return Mono.deferContextual(
            context ->
                Mono.fromFuture(
                    () -> retry.callAsync(() -> started(method, attempt.get(), context))))
        .map(method::requireDone);
  }

  private static CompletableFuture<Object> started(
      RetriedMethod method, @Nullable Object returned, ContextView context) {
    if (returned instanceof Mono<?> mono) {
      return mono.<Object>map(result -> result).contextWrite(context).toFuture();
    }
    if (returned != null && returned.getClass().getName().equals(SUSPENDED)) {
      throw new IllegalStateException(
          method
              + ": is a suspend fun that was called past Spring's proxy, so it cannot be retried");
    }
    // Other advice may answer at once.
    return CompletableFuture.completedFuture(returned);
  }
}
