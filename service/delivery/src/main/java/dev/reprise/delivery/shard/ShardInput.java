package dev.reprise.delivery.shard;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An event or a request that a shard takes in. */
public sealed interface ShardInput {
  /** Calls the method of a visitor that is for this kind of input. */
  void accept(Visitor visitor);

  /** Does something with each kind of input: a kind that it does not know does not compile. */
  interface Visitor {
    void visit(Configure input);

    void visit(ConfigureGroup input);

    void visit(Unblock input);

    void visit(Resume input);

    void visit(Remove input);

    void visit(Publish input);

    void visit(Reserve input);

    void visit(Taken input);

    void visit(Lost input);

    void visit(AcknowledgeLost input);

    void visit(OpenTaken input);

    void visit(Stands input);

    void visit(Completed input);

    void visit(Received input);

    void visit(Redrive input);

    void visit(Purge input);

    void visit(AttemptNow input);

    void visit(Cancel input);

    void visit(Moved input);

    void visit(Suspend input);

    void visit(Release input);

    void visit(Inspect input);

    void visit(PresentMinute input);
  }

  /**
   * An input for which a caller awaits an answer.
   *
   * @param <R> the answer's type
   */
  sealed interface Asks<R> extends ShardInput {
    /** Returns where the answer goes. */
    Reply<R> reply();
  }

  /** A subscription is new or has changed. Deliveries under way keep what was decided for them. */
  record Configure(SubscriptionSpec spec) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** A group has these limits from now on; a group that has none is as any other. */
  record ConfigureGroup(GroupSpec spec) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** A group is no longer blocked: its block ends at once. No error if there is none. */
  record Unblock(String group) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Refusals by a group, and by each of its subscriptions, are no reason any more to hold others.
   *
   * @param group the host or the carrier, as {@link SubscriptionSpec#group}
   * @param reply completed with whether anything was held for that
   */
  record Resume(String group, Reply<Boolean> reply) implements Asks<Boolean> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** A subscription is gone; what it still holds is discarded, a part in each turn. */
  record Remove(long subscription) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

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
      implements Asks<Accepted> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

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
   * @param proposed the message to take if the key is new
   * @param reply completed with the message that the key stands for from now on; failed with {@link
   *     IdempotencyConflictException} if the key was used for something else
   */
  record Reserve(byte[] digest, long fingerprint, Keyed proposed, Reply<Reserved> reply)
      implements Asks<Reserved> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * A message with an idempotency key.
   *
   * @param message its id
   * @param shards the shards that have subscriptions for it, ascending; a repetition goes to these
   *     and to no others
   */
  record Keyed(MessageId message, List<Integer> shards) {
    /** Copies the list. */
    public Keyed {
      shards = List.copyOf(shards);
    }
  }

  /**
   * The message that an idempotency key stands for.
   *
   * @param message the id of the message
   * @param shards as {@link Keyed#shards}; null where an older version has not noted them: all
   * @param repeated whether the key was known before
   */
  record Reserved(MessageId message, @Nullable List<Integer> shards, boolean repeated) {}

  /**
   * Messages that were accepted before, in a log: they can no longer be refused. The place in the
   * log is stored together with what follows from them ({@link Shard#takenUpTo}).
   *
   * @param publishes in the order of the log
   * @param position the place of the last one, from 0; ascending from one input to the next
   */
  record Taken(List<Publish> publishes, long position) implements ShardInput {
    /** Copies the list. */
    public Taken {
      publishes = List.copyOf(publishes);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Places in a log behind the one that the shard has taken, or will have by what it was given
   * before, are gone: the shard goes on behind them, and remembers it.
   *
   * @param first the first place that is gone
   * @param last the last one
   */
  record Lost(IntakeLog log, long first, long last) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * An operator has acknowledged everything that is lost.
   *
   * @param reply completed with whether some of it was not acknowledged before
   */
  record AcknowledgeLost(Reply<Boolean> reply) implements Asks<Boolean> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * The records of a second log up to a place have been put where they belong, and need not be
   * looked at again ({@link Shard#openTakenUpTo}). A place before one that is known changes
   * nothing.
   *
   * @param position the place of the last one, from 0
   */
  record OpenTaken(long position) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * An event has reported that the shard takes nothing of what waits for it, or that it goes on.
   *
   * @param stand null if it goes on
   */
  record Stands(@Nullable StandRecord stand) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** An attempt has ended. */
  record Completed(Claim claim, AttemptOutcome outcome, long endedAtMillis) implements ShardInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * A carrier reports how a message fared that it had taken. Comes after the outcome of the attempt
   * that has named the id.
   *
   * @param group the carrier, as {@link SubscriptionSpec#group}
   * @param receiptId the id, as {@link AttemptOutcome#receiptIds}
   * @param delivered whether the message, or this part of it, has reached its endpoint
   * @param status the protocol's status, 0 if there is none
   * @param summary one line for people
   * @param atMillis when that was, wall time
   * @param reply completed with whether this shard knows the id; it does so once
   */
  record Received(
      String group,
      String receiptId,
      boolean delivered,
      int status,
      String summary,
      long atMillis,
      Reply<Boolean> reply)
      implements Asks<Boolean> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Dead letters go back to the pending deliveries.
   *
   * @param subscription the subscription's number
   * @param request which, how fast, how many at the most in this call
   * @param reply completed with how far it went
   */
  record Redrive(long subscription, SweepRequest request, Reply<SweepProgress> reply)
      implements Asks<SweepProgress> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** Dead letters are deleted; the ledger counts them as discarded from then on. */
  record Purge(long subscription, SweepRequest request, Reply<SweepProgress> reply)
      implements Asks<SweepProgress> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

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
      implements Asks<SweepProgress> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Gives up what is pending. What is being attempted just now ends with that attempt: delivered,
   * or given up; if the process is killed meanwhile, it stays pending.
   *
   * @param subscription the subscription's number
   * @param message the one message meant; null for all
   * @param from where this part begins; null at the first part
   * @param limit how many pending deliveries this part may look at, from 1
   * @param reply completed with how far it went
   */
  record Cancel(
      long subscription,
      @Nullable MessageId message,
      @Nullable Position from,
      int limit,
      Reply<SweepProgress> reply)
      implements Asks<SweepProgress> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Another subscription has accepted these dead letters: they are counted as moved from now on.
   * Those that are none any more are passed over.
   *
   * @param subscription the subscription's number
   * @param letters when each died, and its message
   * @param reply completed with how many were moved
   */
  record Moved(long subscription, List<Position> letters, Reply<Integer> reply)
      implements Asks<Integer> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Suspends a subscription. One that is suspended keeps since when and why it is, and takes the
   * bounds.
   *
   * @param subscription the subscription's number
   * @param reason one line for people; may be empty
   * @param maxAgeMillis as {@link Suspension#maxAgeMillis}
   * @param maxHeld as {@link Suspension#maxHeld}
   * @param reply completed with how it is suspended
   */
  record Suspend(
      long subscription, String reason, long maxAgeMillis, long maxHeld, Reply<Suspension> reply)
      implements Asks<Suspension> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /**
   * Releases a subscription, also from what it or its group has refused; the answer is whether it
   * was suspended or held.
   */
  record Release(long subscription, Reply<Boolean> reply) implements Asks<Boolean> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** Asks for what only memory knows of a subscription. */
  record Inspect(long subscription, Reply<EndpointHealth> reply) implements Asks<EndpointHealth> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }

  /** Asks for the figures of the last minute that is not written yet. */
  record PresentMinute(long subscription, Reply<Optional<EndpointFigures>> reply)
      implements Asks<Optional<EndpointFigures>> {
    @Override
    public void accept(Visitor visitor) {
      visitor.visit(this);
    }
  }
}
