package dev.reprise.delivery.engine;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.SubscriptionShards;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations on the deliveries of one subscription. One that is spread over several shards is
 * asked in all of them; walks over its deliveries go through one shard after the other, and a place
 * says by its message in which one it is. Stages complete when the change is durable, on a shard's
 * thread: actions that depend on them must not block. They fail with {@link
 * dev.reprise.delivery.NoSubscriptionException} once the subscription has gone.
 */
public final class Backlog {
  private final DeliveryEngine engine;
  private final Subscription subscription;
  private final long number;
  private final SubscriptionShards shards;

  Backlog(DeliveryEngine engine, Subscription subscription) {
    this.engine = engine;
    this.subscription = subscription;
    this.number = subscription.number();
    this.shards = engine.shardsOf(subscription);
  }

  /** Returns the state that is in memory only. */
  public CompletionStage<EndpointHealth> health() {
    return askAll((part, reply) -> new ShardInput.Inspect(number, reply), EndpointHealth::plus);
  }

  /** Returns the same of the shard alone that a message belongs to. */
  public CompletionStage<EndpointHealth> health(MessageId message) {
    return ask(shards.partOf(message), reply -> new ShardInput.Inspect(number, reply));
  }

  /**
   * Returns the figures of the last minute that is not written yet, the present one or none, of
   * each of its shards, as {@link DeliveryEngine#readers(Subscription)} has them.
   */
  public CompletionStage<List<Optional<EndpointFigures>>> presentMinutes() {
    return askEach((part, reply) -> new ShardInput.PresentMinute(number, reply));
  }

  /** Moves a part of the dead letters back to the pending deliveries. */
  public CompletionStage<SweepProgress> redrive(SweepRequest request) {
    return walk(request, (part, asked) -> ask(part, r -> new ShardInput.Redrive(number, asked, r)));
  }

  /**
   * Hands a part of the dead letters over to another subscription, as messages of its own. The id
   * of each follows from the letter, so that a part that is repeated hands over nothing twice.
   *
   * @param request which; its pace is not heeded
   * @param target the other subscription, which must not be this one
   */
  public CompletionStage<SweepProgress> redriveTo(Subscription target, SweepRequest request) {
    // One shard in each call: it reads, which must not be done where the stages of shards go on.
    int part = part(request);
    return new LetterTransfer(engine, subscription, shards.shard(part), target)
        .run(from(request, SubscriptionShards.within(request.from())))
        .thenApply(progress -> untilNext(request, part, progress));
  }

  /**
   * Counts a part of the dead letters that a redrive would move. Blocks.
   *
   * @param request which; its pace is not heeded
   */
  public SweepProgress count(SweepRequest request) {
    int part = part(request);
    DeliveryReader.Page<Position> page =
        engine
            .reader(shards.shard(part))
            .deadLetters(
                number,
                request.bounded(),
                SubscriptionShards.within(request.from()),
                request.limit(),
                request.limit());
    return untilNext(
        request, part, new SweepProgress(page.items().size(), page.next(), page.seen()));
  }

  /** Deletes a part of the dead letters. */
  public CompletionStage<SweepProgress> purge(SweepRequest request) {
    return walk(request, (part, asked) -> ask(part, r -> new ShardInput.Purge(number, asked, r)));
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
    return walk(
        message,
        from,
        limit,
        (part, place, most) ->
            ask(part, r -> new ShardInput.AttemptNow(number, message, place, most, r)));
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
    return walk(
        message,
        from,
        limit,
        (part, place, most) ->
            ask(part, r -> new ShardInput.Cancel(number, message, place, most, r)));
  }

  /**
   * Suspends the subscription: it holds what is pending and what is published, within the bounds.
   * One that is suspended already takes the bounds.
   *
   * @param reason one line for people; may be empty
   * @param maxAge how long a delivery is held from when it is due, from 1 ms
   * @param maxHeld how many are held, from 0; each shard holds its share
   */
  public CompletionStage<Suspension> suspend(String reason, Duration maxAge, long maxHeld) {
    return askAll(
        (part, reply) ->
            new ShardInput.Suspend(
                number, reason, maxAge.toMillis(), shards.share(maxHeld, part), reply),
        Suspension::plus);
  }

  /** Releases the subscription; completes with whether it was suspended. */
  public CompletionStage<Boolean> release() {
    return askAll((part, reply) -> new ShardInput.Release(number, reply), Boolean::logicalOr);
  }

  /**
   * Accepts a message for this subscription alone, whatever its filter says.
   *
   * @throws InvalidRequestException if the subscription's protocol cannot carry it
   * @throws OverloadedException if too much is waiting to be made durable
   * @throws EngineClosedException if the engine is stopping
   */
  public CompletionStage<PublishReceipt> publish(Payload payload) {
    String problem = MessageBodies.problem(payload, subscription.settings().protocol());
    if (problem != null) {
      throw new InvalidRequestException("body", payload.body().length + " bytes", problem);
    }
    return engine.publishTo(subscription, engine.nextMessage(), PayloadRecord.encode(payload));
  }

  // --- one shard, all of them, one after the other ------------------------------------------

  private <T> CompletableFuture<T> ask(int part, Function<Reply<T>, ShardInput> input) {
    PendingReply<T> reply = new PendingReply<>();
    engine.submit(shards.shard(part), input.apply(reply));
    return reply.future;
  }

  /** Asks all shards; completes with the sum of their answers, or fails if one does. */
  private <T> CompletionStage<T> askAll(
      BiFunction<Integer, Reply<T>, ShardInput> input, BinaryOperator<T> plus) {
    return askEach(input).thenApply(all -> all.stream().reduce(plus).orElseThrow());
  }

  private <T> CompletionStage<List<T>> askEach(BiFunction<Integer, Reply<T>, ShardInput> input) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (int i = 0; i < shards.count(); i++) {
      int part = i;
      answers.add(ask(part, reply -> input.apply(part, reply)));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
  }

  /** A part of a walk in one shard, from a place on, over at most so many deliveries. */
  private interface Step {
    CompletionStage<SweepProgress> run(int part, @Nullable Position from, int limit);
  }

  private CompletionStage<SweepProgress> walk(
      SweepRequest request,
      BiFunction<Integer, SweepRequest, CompletionStage<SweepProgress>> step) {
    long[] changed = {request.before()};
    return walk(
        request.filter().message(),
        request.from(),
        request.limit(),
        (part, from, limit) ->
            step.apply(
                    part,
                    new SweepRequest(
                        request.filter(),
                        request.startedAtMillis(),
                        from,
                        limit,
                        request.perSecond(),
                        changed[0]))
                .thenApply(
                    progress -> {
                      changed[0] += progress.changed();
                      return progress;
                    }));
  }

  /** A message is in one shard only. */
  private CompletionStage<SweepProgress> walk(
      @Nullable MessageId message, @Nullable Position from, int limit, Step step) {
    if (message != null) {
      return step.run(shards.partOf(message), SubscriptionShards.within(from), limit);
    }
    return walk(new SweepProgress(0, from == null ? shards.beginning(0) : from, 0), limit, step);
  }

  private CompletionStage<SweepProgress> walk(SweepProgress before, int limit, Step step) {
    Position from = before.next();
    if (from == null || before.seen() >= limit) {
      return CompletableFuture.completedFuture(before);
    }
    int part = shards.partAt(from);
    return step.run(part, SubscriptionShards.within(from), limit - before.seen())
        .thenCompose(
            progress -> {
              SweepProgress sum =
                  new SweepProgress(
                      before.changed() + progress.changed(),
                      progress.next(),
                      before.seen() + progress.seen());
              // Within a shard, its own bounds end a part, however many are left.
              return progress.next() == null
                  ? walk(untilNext(part, sum), limit, step)
                  : CompletableFuture.completedFuture(sum);
            });
  }

  /** The part with which a request begins; a message is in one only. */
  private int part(SweepRequest request) {
    MessageId message = request.filter().message();
    return message == null ? shards.partAt(request.from()) : shards.partOf(message);
  }

  private SweepProgress untilNext(SweepRequest request, int part, SweepProgress progress) {
    return request.filter().message() == null ? untilNext(part, progress) : progress;
  }

  /** After the end of one shard comes the next. */
  private SweepProgress untilNext(int part, SweepProgress progress) {
    return progress.next() == null && part + 1 < shards.count()
        ? new SweepProgress(progress.changed(), shards.beginning(part + 1), progress.seen())
        : progress;
  }

  private static SweepRequest from(SweepRequest request, @Nullable Position from) {
    return new SweepRequest(
        request.filter(),
        request.startedAtMillis(),
        from,
        request.limit(),
        request.perSecond(),
        request.before());
  }
}
