package dev.reprise.delivery.engine;

import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.body.Bodies;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.shard.ShardInput;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations on the deliveries of one subscription. Stages complete when the change is durable,
 * on a shard's thread: whoever goes on from there must not block. They fail with {@link
 * dev.reprise.delivery.NoSubscriptionException} once the subscription has gone.
 */
public final class Backlog {
  private final DeliveryEngine engine;
  private final Subscription subscription;
  private final long number;

  Backlog(DeliveryEngine engine, Subscription subscription) {
    this.engine = engine;
    this.subscription = subscription;
    this.number = subscription.number();
  }

  /** Returns the state that is in memory only. */
  public CompletionStage<EndpointHealth> health() {
    return ask(reply -> new ShardInput.Inspect(number, reply));
  }

  /** Returns the figures of the last minute that is not written yet, the present one or none. */
  public CompletionStage<Optional<EndpointFigures>> presentMinute() {
    return ask(reply -> new ShardInput.PresentMinute(number, reply));
  }

  /** Moves a part of the dead letters back to the pending deliveries. */
  public CompletionStage<SweepProgress> redrive(SweepRequest request) {
    return ask(reply -> new ShardInput.Redrive(number, request, reply));
  }

  /**
   * Hands a part of the dead letters over to another subscription, as messages of its own. The id
   * of each follows from the letter, so that a part that is repeated hands over nothing twice.
   *
   * @param request which; its pace is not heeded
   * @param target the other subscription, which must not be this one
   */
  public CompletionStage<SweepProgress> redriveTo(Subscription target, SweepRequest request) {
    return new LetterTransfer(engine, subscription, target).run(request);
  }

  /** Deletes a part of the dead letters. */
  public CompletionStage<SweepProgress> purge(SweepRequest request) {
    return ask(reply -> new ShardInput.Purge(number, request, reply));
  }

  /**
   * Makes a part of what waits for a later retry due now, and ends a pause that the endpoint asked
   * for.
   *
   * @param message the one message meant; null for all
   * @param from where this part begins; null at the first part
   * @param limit how many pending deliveries this part may look at, from 1
   */
  public CompletionStage<SweepProgress> attemptNow(
      @Nullable MessageId message, @Nullable Position from, int limit) {
    return ask(reply -> new ShardInput.AttemptNow(number, message, from, limit, reply));
  }

  /**
   * Gives up a part of what is pending; it becomes dead letters unless the subscription discards. A
   * delivery that is being attempted just now ends with that attempt.
   *
   * @param message the one message meant; null for all
   * @param from where this part begins; null at the first part
   * @param limit how many pending deliveries this part may look at, from 1
   */
  public CompletionStage<SweepProgress> cancel(
      @Nullable MessageId message, @Nullable Position from, int limit) {
    return ask(reply -> new ShardInput.Cancel(number, message, from, limit, reply));
  }

  /**
   * Suspends the subscription: it holds what is pending and what is published, within the bounds.
   * One that is suspended already takes the bounds.
   *
   * @param reason one line for people; may be empty
   * @param maxAge how long a delivery is held from when it is due, from 1 ms
   * @param maxHeld how many are held, from 0
   */
  public CompletionStage<Suspension> suspend(String reason, Duration maxAge, long maxHeld) {
    return ask(reply -> new ShardInput.Suspend(number, reason, maxAge.toMillis(), maxHeld, reply));
  }

  /** Releases the subscription; completes with whether it was suspended. */
  public CompletionStage<Boolean> release() {
    return ask(reply -> new ShardInput.Release(number, reply));
  }

  /**
   * Accepts a message for this subscription alone, whatever its filter says.
   *
   * @throws InvalidRequestException if the subscription's protocol cannot carry it
   * @throws OverloadedException if too much is waiting to be made durable
   * @throws EngineClosedException if the engine is stopping
   */
  public CompletionStage<PublishReceipt> publish(Payload payload) {
    String problem = Bodies.problem(payload, subscription.settings().protocol());
    if (problem != null) {
      throw new InvalidRequestException("body", payload.body().length + " bytes", problem);
    }
    return engine.publishTo(subscription, engine.nextMessage(), PayloadRecord.encode(payload));
  }

  private <T> CompletionStage<T> ask(Function<PendingReply<T>, ShardInput> input) {
    PendingReply<T> reply = new PendingReply<>();
    engine.submit(number, input.apply(reply));
    return reply.future;
  }
}
