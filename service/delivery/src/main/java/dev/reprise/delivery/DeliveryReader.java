package dev.reprise.delivery;

import dev.reprise.core.StopReason;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Answers questions about the deliveries of a shard, without disturbing it. Thread-safe. */
public interface DeliveryReader {
  /**
   * A part of a listing.
   *
   * @param items what was found
   * @param next where to go on; null at the end
   * @param seen how many records were looked at for it
   * @param <P> how places in this listing are named
   */
  record Page<P>(List<StoredDelivery> items, @Nullable P next, int seen) {}

  /**
   * All ledgers of the shard, of one moment.
   *
   * @param open the ledgers of subscriptions that exist, by number
   * @param closed the sum of those that were removed
   */
  record Ledgers(Map<Long, Ledger> open, Ledger closed) {}

  /**
   * The result of counting the records themselves. Pending deliveries and dead letters have
   * records; what has been delivered or discarded has none any more, and what has expired has one
   * only if it is kept: those figures are counters, and so are the attempts.
   *
   * @param ledger the ledger as it was kept
   * @param pendingRecords pending deliveries in the store
   * @param deadRecords dead letters in the store that were given up
   * @param expiredRecords dead letters in the store whose lifetime passed
   * @param unreadableRecords how many of these deliveries, dead letters and ledgers cannot be read
   */
  record Recount(
      Ledger ledger,
      long pendingRecords,
      long deadRecords,
      long expiredRecords,
      long unreadableRecords) {
    /** Returns how many records of deliveries were looked at. */
    public long records() {
      return pendingRecords + deadRecords + expiredRecords + unreadableRecords;
    }

    /** Returns the sum of both. */
    public Recount plus(Recount other) {
      return new Recount(
          ledger.plus(other.ledger),
          pendingRecords + other.pendingRecords,
          deadRecords + other.deadRecords,
          expiredRecords + other.expiredRecords,
          unreadableRecords + other.unreadableRecords);
    }

    /** Returns whether the ledger is explained by the records, to the last delivery. */
    public boolean agrees() {
      return ledger.unexplained() == 0
          && ledger.pending() == pendingRecords
          && ledger.deadLettered() == deadRecords
          && ledger.expired() >= expiredRecords
          && unreadableRecords == 0;
    }
  }

  /**
   * A message whose shared payload is not stored exactly while deliveries need it.
   *
   * @param message the message
   * @param stored whether the payload is there
   * @param counted how many deliveries need it by the stored count
   * @param needed how many deliveries do need it
   */
  record WrongPayload(MessageId message, boolean stored, long counted, long needed) {}

  /**
   * A count of all records of the shard.
   *
   * @param subscriptions by number
   * @param wrongPayloads shared payloads that are missing, counted wrongly or not needed; not all
   *     of them if they are many
   */
  record Audit(Map<Long, Recount> subscriptions, List<WrongPayload> wrongPayloads) {
    /** Returns whether everything is as it should be. */
    public boolean agrees() {
      return wrongPayloads.isEmpty() && subscriptions.values().stream().allMatch(Recount::agrees);
    }
  }

  /** Returns one delivery with its payload and history; null if there is none. */
  @Nullable StoredDelivery find(long subscription, MessageId message);

  /** Returns pending deliveries, those due first at the front. */
  Page<Position> pending(long subscription, @Nullable Position from, int limit);

  /**
   * Reports when pending deliveries were published, in wall time; those due first at the front.
   *
   * @param most the number of deliveries after which it ends
   * @return how many it has reported
   */
  int pendingSince(long subscription, int most, LongConsumer publishedAtMillis);

  /**
   * Returns dead letters that {@code filter} chooses, oldest first. Looks at no more than {@code
   * maxSeen} of them, so that a filter that chooses few still answers soon.
   */
  Page<Position> deadLetters(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int limit, int maxSeen);

  /**
   * The dead letters of one reason.
   *
   * @param count how many
   * @param oldestMillis when the first of them was given up, wall time
   * @param newestMillis when the last of them was given up, wall time
   */
  record ReasonCount(long count, long oldestMillis, long newestMillis) {
    /** Returns the sum of both. */
    public ReasonCount plus(ReasonCount other) {
      return new ReasonCount(
          count + other.count,
          Math.min(oldestMillis, other.oldestMillis),
          Math.max(newestMillis, other.newestMillis));
    }
  }

  /**
   * A part of a count of dead letters.
   *
   * @param reasons by the reason why they were given up
   * @param next where to go on; null at the end
   * @param seen how many records were looked at
   */
  record DeadLetterSummary(
      Map<StopReason, ReasonCount> reasons, @Nullable Position next, int seen) {}

  /**
   * Counts dead letters that {@code filter} chooses, by reason.
   *
   * @param maxSeen how many may be looked at, from 1
   */
  DeadLetterSummary summary(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int maxSeen);

  /**
   * A count of pending deliveries.
   *
   * @param due those whose time has come
   * @param later those that wait for a later retry
   * @param seen how many were looked at, those due first at the front
   * @param next where to go on; null at the end
   */
  record PendingCount(int due, int later, int seen, @Nullable Position next) {}

  /**
   * Counts pending deliveries.
   *
   * @param maxSeen how many may be looked at, from 1
   */
  PendingCount countPending(
      long subscription, long nowMillis, @Nullable Position from, int maxSeen);

  /**
   * A part of the dead letters, with what can be delivered of each.
   *
   * @param items what was found; a letter without a readable payload is not among them
   * @param next where to go on; null at the end
   * @param seen how many records were looked at
   */
  record Letters(List<Letter> items, @Nullable Position next, int seen) {}

  /**
   * A dead letter.
   *
   * @param position when it died, and its message
   * @param payload the payload as stored
   */
  record Letter(Position position, byte[] payload) {}

  /**
   * Returns dead letters that {@code filter} chooses, oldest first, with their payloads.
   *
   * @param limit how many may be looked at, from 1
   */
  Letters letters(long subscription, DeadLetterFilter filter, @Nullable Position from, int limit);

  /**
   * Returns deliveries that have a history, newest message first; with a status only those. Looks
   * at no more than {@code maxSeen} of them.
   */
  Page<MessageId> attempted(
      long subscription,
      DeliveryState.@Nullable Status status,
      @Nullable MessageId before,
      int limit,
      int maxSeen);

  /** Returns the ledgers of all subscriptions that exist, by number. */
  Map<Long, Ledger> ledgers();

  /**
   * Returns all ledgers, none of them missed or counted twice because it is being closed just now.
   */
  Ledgers allLedgers();

  /** Returns the ledger of one subscription; empty if it has never been given a message. */
  Ledger ledger(long subscription);

  /**
   * Returns what is kept with the ledger of one subscription, of one moment: its ledger, what is
   * held for it and whether its endpoint fails.
   */
  SubscriptionFigures figures(long subscription);

  /** Returns what is kept with the ledgers of all subscriptions that exist, by number. */
  Map<Long, SubscriptionFigures> figures();

  /** Returns the reports on what one subscription was delivered; none if it is unknown. */
  ReceiptCounts receipts(long subscription);

  /** Returns how often messages may have come twice to one subscription; none if it is unknown. */
  RepeatCounts repeats(long subscription);

  /** Returns the sums over all subscriptions that there are and were, read at once. */
  ShardTotals totals();

  /**
   * Returns what was deleted of a log before the shard had taken it in; none in a single service.
   */
  LostIntake lostIntake(IntakeLog log);

  /** Returns how a subscription is suspended and what is held for it; null if it is not. */
  @Nullable HeldDeliveries held(long subscription);

  /**
   * Returns the figures of minutes in order, those that begin from {@code fromMillis} and before
   * {@code toMillis}, wall time. The present minute is not among them.
   *
   * @param limit the most minutes that are read
   */
  List<EndpointFigures> minutes(long subscription, long fromMillis, long toMillis, int limit);

  /** Takes the attempts of a minute. */
  interface MinuteAttempts {
    /**
     * Takes one minute.
     *
     * @param fromMillis when it began, wall time
     * @param delivered attempts that succeeded
     * @param retried attempts that failed and are followed by another
     * @param givenUp attempts after which a delivery was given up
     */
    void minute(long fromMillis, long delivered, long retried, long givenUp);
  }

  /**
   * Reports the attempts of minutes in order, those that begin from {@code fromMillis} and before
   * {@code toMillis}, wall time: what {@link #minutes} has, for less. The present minute is not
   * among them.
   */
  default void attempts(long subscription, long fromMillis, long toMillis, MinuteAttempts out) {
    for (EndpointFigures each : minutes(subscription, fromMillis, toMillis, Integer.MAX_VALUE)) {
      out.minute(each.fromMillis(), each.delivered(), each.retried(), each.givenUp());
    }
  }

  /** Returns the sum of the ledgers of subscriptions that were removed. */
  Ledger closedLedger();

  /** Counts every record, by subscription: {@link #audit} without the payloads. */
  Map<Long, Recount> recount();

  /**
   * Counts every record and compares shared payloads with those that need them. Reads one state of
   * the store, or if something is wrong with a payload a second one; takes seconds for millions.
   */
  Audit audit();
}
