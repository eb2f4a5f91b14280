package dev.reprise.delivery.shard;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.MessageId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An event or a request that a shard takes in. */
public sealed interface ShardInput {
  /**
   * An input to which somebody waits for an answer.
   *
   * @param <R> the answer's type
   */
  sealed interface Asks<R> extends ShardInput {
    /** Returns where the answer goes. */
    Reply<R> reply();
  }

  /** A subscription is new or has changed. Deliveries under way keep what was decided for them. */
  record Configure(SubscriptionSpec spec) implements ShardInput {}

  /** A subscription is gone; what it still holds is discarded, a part in each turn. */
  record Remove(long subscription) implements ShardInput {}

  /**
   * A message for some subscriptions of this shard.
   *
   * @param message the message
   * @param payload the payload as stored
   * @param subscriptions the numbers of the subscriptions; those that have gone are passed over
   * @param keyed whether an idempotency key stands behind the id, so that it may come again
   * @param reply completed with what was accepted, now or before
   */
  record Publish(
      MessageId message, byte[] payload, long[] subscriptions, boolean keyed, Reply<Accepted> reply)
      implements Asks<Accepted> {}

  /**
   * The deliveries of a message that a shard has accepted.
   *
   * @param deliveries how many deliveries; of a repetition, how many at the first time
   * @param repeated whether it had been accepted before, so that nothing new was done
   */
  record Accepted(int deliveries, boolean repeated) {}

  /**
   * Asks which message an idempotency key stands for.
   *
   * @param digest the digest of topic and key
   * @param fingerprint the digest of what is published
   * @param proposed the id to take if the key is new
   * @param reply completed with the id that the key stands for from now on; failed with {@link
   *     IdempotencyConflictException} if the key was used for something else
   */
  record Reserve(byte[] digest, long fingerprint, MessageId proposed, Reply<MessageId> reply)
      implements Asks<MessageId> {}

  /** An attempt has ended. */
  record Completed(Claim claim, AttemptOutcome outcome, long endedAtMillis) implements ShardInput {}

  /**
   * Dead letters go back to the pending deliveries.
   *
   * @param subscription the subscription's number
   * @param request which, how fast, how many at the most in this call
   * @param reply completed with how far it went
   */
  record Redrive(long subscription, SweepRequest request, Reply<SweepProgress> reply)
      implements Asks<SweepProgress> {}

  /** Dead letters are deleted; the ledger counts them as discarded from then on. */
  record Purge(long subscription, SweepRequest request, Reply<SweepProgress> reply)
      implements Asks<SweepProgress> {}

  /**
   * Makes due now what waits for a later retry; a pause that the endpoint asked for ends. The
   * retries made so far count on.
   *
   * @param subscription the subscription's number
   * @param message the one message meant; null for all
   * @param from where this part begins; null at the first part
   * @param limit how many pending deliveries this part may look at, from 1
   * @param reply completed with how far it went
   */
  record AttemptNow(
      long subscription,
      @Nullable MessageId message,
      @Nullable Position from,
      int limit,
      Reply<SweepProgress> reply)
      implements Asks<SweepProgress> {}

  /** Asks for what only memory knows of a subscription. */
  record Inspect(long subscription, Reply<EndpointHealth> reply) implements Asks<EndpointHealth> {}

  /**
   * A part of a long walk over dead letters.
   *
   * @param filter which dead letters
   * @param startedAtMillis when the walk began: what died later is not touched
   * @param from where this part begins; null at the first part
   * @param limit how many dead letters this part may look at, from 1
   * @param perSecond for a redrive, how many become due per second; 0 for all at once
   * @param before how many earlier parts have changed
   */
  record SweepRequest(
      DeadLetterFilter filter,
      long startedAtMillis,
      @Nullable Position from,
      int limit,
      double perSecond,
      long before) {}

  /** A place in an order of times: of pending deliveries by due time, of dead letters by death. */
  record Position(long atMillis, MessageId message) {}

  /**
   * The progress of one part.
   *
   * @param changed how many dead letters it changed
   * @param next where the next part begins; null at the end
   */
  record SweepProgress(int changed, @Nullable Position next) {}

  /**
   * The state of a subscription that is in memory only.
   *
   * @param inFlight attempts under way
   * @param limit attempts allowed at the same time just now
   * @param maxInFlight attempts allowed at the same time at best
   * @param limitReason why no more and no fewer are allowed just now
   * @param throttledMillis how long the throttle holds the next attempt, 0 if it does not
   * @param pausedUntilMillis until when the endpoint asked for silence, wall time; 0 if it did not
   * @param nextDueMillis the earliest due time among what waits, wall time, possibly too early; -1
   *     if nothing waits
   * @param messages the messages under way
   */
  record EndpointHealth(
      int inFlight,
      int limit,
      int maxInFlight,
      LimitReason limitReason,
      long throttledMillis,
      long pausedUntilMillis,
      long nextDueMillis,
      Set<MessageId> messages) {}

  /** An idempotency key was used again for something else. */
  final class IdempotencyConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IdempotencyConflictException(MessageId earlier) {
      super("idempotency key was used for message " + earlier + " with another content");
    }
  }

  /** The subscription has gone. */
  final class NoSubscriptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoSubscriptionException() {
      super("subscription was removed");
    }
  }
}
