package dev.reprise.reactor;

import dev.reprise.core.retry.Retry;
import java.util.Objects;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Tries a {@link Mono} again as a {@link Retry} decides: with its classifier, hints, budget,
 * deadline, attempt timeout, result rules, hedging and listeners.
 *
 * <pre>{@code
 * client.fetch(url).transform(RetryOperator.mono(retry));
 * }</pre>
 *
 * <p>Each attempt subscribes to the source once more, with the context of the subscriber. Waits run
 * on {@code Schedulers.parallel()}, and so do the subscriptions of later attempts; under {@code
 * StepVerifier.withVirtualTime} they take no time. Time and executor of the {@code Retry} are not
 * used. Cancelling cancels the attempt under way or the wait, and gives back what the retry cost.
 *
 * <p>There is none for a {@code Flux}: what it has emitted before it failed is out, and a retry
 * would emit it again. Try again what fetches a part: {@code pages.concatMap(page ->
 * fetch(page).transform(RetryOperator.mono(retry)))}, or the whole, with {@code collectList()}
 * before.
 */
public final class RetryOperator {
  private RetryOperator() {}

  /**
   * Returns the operator for {@link Mono#transform}. It may be kept and applied to any number of
   * sources; thread-safe.
   */
  public static <T> UnaryOperator<Mono<T>> mono(Retry retry) {
    Objects.requireNonNull(retry, "retry");
    Retry onSchedulers =
        retry.toBuilder().time(SchedulerTime.INSTANCE).executor(SchedulerTime.INSTANCE).build();
    return source ->
        Mono.deferContextual(
            context ->
                Mono.fromFuture(
                    () -> onSchedulers.callAsync(() -> source.contextWrite(context).toFuture())));
  }
}
