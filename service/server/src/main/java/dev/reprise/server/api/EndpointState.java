package dev.reprise.server.api;

import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.http.Answer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Asks shards for what only they know. A shard that cannot write for the moment does not answer;
 * people look at a service just then, so what the store knows is shown without it.
 */
final class EndpointState {
  private static final int MAX_WAIT_MILLIS = 1000;

  private final DeliveryEngine engine;
  private final Executor workers;

  EndpointState(DeliveryEngine engine, Executor workers) {
    this.engine = engine;
    this.workers = workers;
  }

  /** Goes on with the state of the subscription's endpoint, or with nothing, on a worker. */
  CompletionStage<Answer> with(
      Subscription subscription, Function<Optional<EndpointHealth>, Answer> answer) {
    return with(engine.backlog(subscription).health().thenApply(Optional::of), answer);
  }

  /** The same, of the shard alone that has a message. */
  CompletionStage<Answer> with(
      Subscription subscription,
      MessageId message,
      Function<Optional<EndpointHealth>, Answer> answer) {
    return with(engine.backlog(subscription).health(message).thenApply(Optional::of), answer);
  }

  /** Goes on with the states of the endpoints of a message's deliveries, by subscription number. */
  CompletionStage<Answer> withEach(
      List<Subscription> subscriptions,
      MessageId message,
      Function<Map<Long, EndpointHealth>, Answer> answer) {
    Map<Long, EndpointHealth> known = new ConcurrentHashMap<>();
    CompletableFuture<?>[] asked =
        subscriptions.stream()
            .map(
                each ->
                    engine
                        .backlog(each)
                        .health(message)
                        .thenAccept(health -> known.put(each.number(), health))
                        .toCompletableFuture()
                        // Of one that was deleted just now, the others are shown all the same.
                        .exceptionally(unknown -> null)
                        .completeOnTimeout(null, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(asked)
        .thenApplyAsync(done -> answer.apply(Map.copyOf(known)), workers);
  }

  /**
   * Goes on with the figures that each of the shards has not written yet, or with an empty list, on
   * a worker.
   */
  CompletionStage<Answer> withMinutes(
      Subscription subscription, Function<List<Optional<EndpointFigures>>, Answer> answer) {
    return with(
        engine.backlog(subscription).presentMinutes().thenApply(Optional::of),
        known -> answer.apply(known.orElse(List.of())));
  }

  private <T> CompletionStage<Answer> with(
      CompletionStage<Optional<T>> known, Function<Optional<T>, Answer> answer) {
    return known
        .toCompletableFuture()
        .completeOnTimeout(Optional.empty(), MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(EndpointState::unknown)
        .thenApplyAsync(answer, workers);
  }

  private static <T> Optional<T> unknown(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof NoSubscriptionException gone) {
      throw gone;
    }
    return Optional.empty();
  }
}
