package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.shard.ModelDelivery.Message;
import dev.reprise.delivery.shard.SimulatedStore.Change;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Compares what a turn wrote, answered and started with what {@link ShardModel} foresees. */
final class TurnCheck {
  private final ShardModel model;
  private final SimulatedStore store;
  private final Set<Message> touchedMessages = new HashSet<>();

  TurnCheck(ShardModel model, SimulatedStore store) {
    this.model = model;
    this.store = store;
  }

  /** A turn with these inputs is durable; what it wrote is {@code changes}. */
  void committed(List<ShardInput> inputs, long nowMillis, long nowNanos, List<Change> changes) {
    model.begin(nowMillis, nowNanos);
    touchedMessages.clear();
    forgotten(nowMillis, changes);
    removals(changes);
    drops(changes);
    model.committed(inputs);
    for (Change change : changes) {
      switch (change.key()[0]) {
        case Keys.PENDING -> delivery(change).pendingKeys += step(change);
        case Keys.DEAD_LETTER -> delivery(change).deadKeys += step(change);
        case Keys.RECEIPT -> receipt(change);
        case Keys.MINUTE -> model.minutes.changed(change);
        default -> {}
      }
    }
    for (ModelDelivery delivery : List.copyOf(model.touched)) {
      settle(delivery);
      touchedMessages.add(delivery.message);
    }
    for (Change change : changes) {
      if (change.key()[0] == Keys.HISTORY) {
        history(change);
      }
    }
    model.events.forEach(
        (key, event) -> require(store.get(key) != null, "history lacks %s: %s", key, event));
    touchedMessages.forEach(message -> payload(store, message));
    ledgers();
  }

  /** The answers of the turn have been given. */
  void answered() {
    model.replies.forEach(SimulatedReply::check);
  }

  /** Keys are forgotten when they are too old; a clock set back later does not bring them back. */
  private void forgotten(long nowMillis, List<Change> changes) {
    ShardSettings settings = model.settings;
    for (Change change : changes) {
      byte[] key = change.key();
      if (change.after() != null || change.before() == null) {
        continue;
      }
      if (key[0] == Keys.IDEMPOTENCY) {
        MessageId message = IdempotencyKeys.Entry.decode(change.before()).message();
        long age = nowMillis - message.publishedAtMillis();
        require(age > settings.idempotencyMillis(), "%s was forgotten early", key);
        model.reserved.remove(ByteBuffer.wrap(key, 1, key.length - 1).slice());
      } else if (key[0] == Keys.ACCEPTED) {
        long age = nowMillis - Keys.messageOnly(key).publishedAtMillis();
        long kept = settings.idempotencyMillis() + settings.sweepIntervalMillis();
        require(age > kept, "%s was forgotten early", key);
      }
    }
  }

  /** An id is known until its receipt has come, it is too old, or its subscription has gone. */
  private void receipt(Change change) {
    ByteBuffer key = ByteBuffer.wrap(change.key());
    AwaitedReceipt awaited = model.awaited.get(key);
    if (change.after() != null) {
      require(
          AwaitedReceipt.decode(change.after()).equals(awaited),
          "receipt %s stands for another: %s",
          change.key(),
          awaited);
    } else if (awaited != null) {
      require(
          awaited.deliveredMillis() < model.nowMillis - model.settings.historyMillis()
              || !model.subscriptions.containsKey(awaited.subscription()),
          "receipt was forgotten early: %s",
          awaited);
      model.awaited.remove(key);
    }
  }

  private static int step(Change change) {
    return (change.after() == null ? 0 : 1) - (change.before() == null ? 0 : 1);
  }

  private ModelDelivery delivery(Change change) {
    long number = Keys.subscription(change.key());
    ModelSubscription state = model.subscriptions.get(number);
    require(state != null, "subscription of %s is unknown", change.key());
    ModelDelivery delivery = state.all.get(Keys.message(change.key()));
    require(delivery != null, "delivery of %s is unknown", change.key());
    model.touched.add(delivery);
    return delivery;
  }

  private void removals(List<Change> changes) {
    for (Change change : changes) {
      byte kind = change.key()[0];
      boolean held = kind == Keys.PENDING || kind == Keys.DEAD_LETTER;
      if (change.after() != null || !held) {
        continue;
      }
      ModelSubscription state = model.subscriptions.get(Keys.subscription(change.key()));
      if (state != null && state.removing && state.removedTurn < model.turn) {
        ModelDelivery delivery = state.open.get(Keys.message(change.key()));
        require(delivery != null, "%s was discarded twice", change.key());
        model.discard(state, delivery);
      }
    }
    Set<Long> closed = new HashSet<>();
    for (ModelSubscription state : List.copyOf(model.subscriptions.values())) {
      boolean gone = store.get(Keys.ofSubscription(Keys.LEDGER, state.number)) == null;
      if (state.removing && state.removedTurn < model.turn && gone) {
        require(state.open.isEmpty(), "%s was closed with %s", state.number, state.open);
        model.subscriptions.remove(state.number);
        closed.add(state.number);
        model.closed = model.closed.plus(state.ledger());
        state.all.values().forEach(d -> touchedMessages.add(d.message));
        changes.stream()
            .filter(c -> c.key()[0] == Keys.PENDING || c.key()[0] == Keys.DEAD_LETTER)
            .filter(c -> Keys.subscription(c.key()) == state.number)
            .forEach(c -> require(c.after() == null, "%s outlives it", c.key()));
      }
    }
    changes.removeIf(
        c ->
            (c.key()[0] == Keys.PENDING || c.key()[0] == Keys.DEAD_LETTER)
                && closed.contains(Keys.subscription(c.key())));
    model.touched.removeIf(d -> closed.contains(d.subscription));
  }

  /** What was held for too long, or with too many others, is given up before all else. */
  private void drops(List<Change> changes) {
    int dropped = Code.EVENT.of(HistoryEvent.Kind.DROPPED);
    for (Change change : changes) {
      byte[] key = change.key();
      if (key[0] != Keys.HISTORY || change.after() == null || Keys.historyKind(key) != dropped) {
        continue;
      }
      ModelSubscription state = model.subscriptions.get(Keys.subscription(key));
      require(state != null, "dropped for nobody: %s", key);
      ModelDelivery delivery = state.open.get(Keys.historyMessage(key));
      require(delivery != null, "dropped, and not pending: %s", key);
      model.drop(state, delivery);
    }
  }

  /** The store shows the delivery in the one state that it is in. */
  private void settle(ModelDelivery delivery) {
    ModelSubscription state = model.subscriptions.get(delivery.subscription);
    if (delivery.unreadable && delivery.status == Status.PENDING && delivery.deadKeys == 1) {
      model.quarantine(state, delivery);
    } else if (delivery.status == Status.PENDING && delivery.pendingKeys == 0) {
      require(model.nowMillis > state.deadline(delivery), "lost or expired early: %s", delivery);
      require(!state.inFlight.containsKey(delivery.message.id), "expired in flight: %s", delivery);
      model.expire(state, delivery);
    }
    if (delivery.kept && delivery.deadKeys == 0) {
      long kept = model.settings.deadLetterMillis();
      require(
          model.settings.deadLetterBytes() > 0
              || (kept > 0 && model.nowMillis - delivery.diedAtMillis > kept),
          "dead letter lost or retired early: %s",
          delivery);
      model.delete(state, delivery, HistoryEvent.Kind.RETIRED);
    }
    boolean pending = delivery.status == Status.PENDING;
    require(
        delivery.pendingKeys == (pending ? 1 : 0) && delivery.deadKeys == (delivery.kept ? 1 : 0),
        "%s pending and %s dead records: %s",
        delivery.pendingKeys,
        delivery.deadKeys,
        delivery);
    record(store, delivery);
  }

  /** The stored record says what the model says. */
  static void record(SimulatedStore store, ModelDelivery delivery) {
    Message message = delivery.message;
    byte[] inline = message.shared() ? null : message.payload;
    if (delivery.status == Status.PENDING) {
      byte[] key = Keys.timed(Keys.PENDING, delivery.subscription, delivery.dueMillis, message.id);
      byte[] value = store.get(key);
      require(value != null, "not stored as due then: %s", delivery);
      if (delivery.unreadable) {
        return;
      }
      Pending stored = Pending.decode(key, value);
      DueReason.Kind kind = stored.reason().kind();
      require(
          stored.attempts() == delivery.attempts
              && stored.retries() == delivery.retries
              && stored.sinceMillis() == delivery.sinceMillis
              && (kind == DueReason.Kind.REQUESTED) == delivery.requested
              && (kind == DueReason.Kind.HELD) == delivery.held
              && (delivery.requested
                  || delivery.held
                  || ((kind == DueReason.Kind.RETRY) == (delivery.retries > 0)
                      && stored.reason().retry() == delivery.retries))
              && Arrays.equals(stored.payload(), inline),
          "stored as %s: %s",
          stored,
          delivery);
    } else if (delivery.kept) {
      byte[] key =
          Keys.timed(Keys.DEAD_LETTER, delivery.subscription, delivery.diedAtMillis, message.id);
      byte[] value = store.get(key);
      require(value != null, "not stored as having died then: %s", delivery);
      Dead stored = Dead.decode(key, value);
      require(
          stored.attempts() == delivery.attempts
              && stored.reason() == delivery.reason
              && (delivery.unreadable
                  ? stored.payload() != null
                  : Arrays.equals(stored.payload(), inline)),
          "stored as %s: %s",
          stored,
          delivery);
    }
  }

  /** A shared payload exists exactly while a delivery needs it. */
  static void payload(SimulatedStore store, Message message) {
    byte[] count = store.get(Keys.ofMessage(Keys.SHARE_COUNT, message.id));
    byte[] payload = store.get(Keys.ofMessage(Keys.PAYLOAD, message.id));
    if (!message.shared() || message.references == 0) {
      require(count == null && payload == null, "payload of %s is still there", message.id);
      return;
    }
    require(
        count != null && new RecordCodec.Reader(count).count() == message.references,
        "payload of %s is needed by %s",
        message.id,
        message.references);
    require(Arrays.equals(payload, message.payload), "payload of %s is damaged", message.id);
  }

  private void history(Change change) {
    byte[] key = change.key();
    MessageId message = Keys.historyMessage(key);
    if (change.after() != null) {
      ShardModel.ExpectedEvent expected = model.events.get(key);
      HistoryEvent event = HistoryRecord.decode(key, change.after());
      require(
          expected != null && ShardModel.agrees(expected, event.after()),
          "history of %s says %s, expected %s",
          message,
          event,
          expected);
      require(
          (event.due() != null) == (event.after().status() == Status.PENDING),
          "history of %s has the wrong reason: %s",
          message,
          event);
      return;
    }
    ModelSubscription state = model.subscriptions.get(Keys.subscription(key));
    if (state == null || state.removing) {
      return; // Nobody can look at it any more.
    }
    ModelDelivery delivery = state.all.get(message);
    require(delivery != null, "history of %s, which nobody published", message);
    // Since it ended, not since it was published: a redriven one may be older than the span.
    long ended = delivery.diedAtMillis;
    boolean old = ended < model.nowMillis - model.settings.historyMillis();
    int attempt = Keys.historyAttempt(key);
    boolean trimmed = attempt > 10 && attempt <= delivery.attempts - 100;
    boolean isOver = !delivery.isOpen() && delivery.changedTurn < model.turn;
    require(
        trimmed || (old && isOver) || model.historyMayGo,
        "history was removed early: %s",
        delivery);
  }

  private void ledgers() {
    for (ModelSubscription state : model.subscriptions.values()) {
      byte[] stored = store.get(Keys.ofSubscription(Keys.LEDGER, state.number));
      Ledger ledger = stored == null ? Ledger.EMPTY : Counters.decode(stored).toLedger();
      require(
          ledger.equals(state.ledger()),
          "ledger of %s is %s, expected %s",
          state.number,
          ledger,
          state.ledger());
      require(ledger.unexplained() == 0, "ledger of %s is %s", state.number, ledger);
      if (stored != null) {
        Suspension suspension = Counters.decode(stored).suspension;
        require(
            Objects.equals(suspension, state.suspension),
            "%s is suspended as %s, expected %s",
            state.number,
            suspension,
            state.suspension);
      }
      ReceiptCounts receipts =
          stored == null ? ReceiptCounts.NONE : Counters.decode(stored).toReceiptCounts();
      require(
          receipts.delivered() == state.receiptsDelivered
              && receipts.failed() == state.receiptsFailed,
          "receipts of %s are counted as %s",
          state.number,
          receipts);
    }
    byte[] closed = store.get(Keys.CLOSED_LEDGER);
    Ledger ledger = closed == null ? Ledger.EMPTY : Counters.decode(closed).toLedger();
    require(ledger.equals(model.closed), "closed ledger is %s not %s", ledger, model.closed);
  }

  /** The host starts these attempts. */
  void started(List<Claim> claims, long nowMillis, long nowNanos) {
    for (Claim claim : claims) {
      ModelSubscription state = model.subscriptions.get(claim.subscription());
      require(state != null && !state.removing, "attempt for a removed one: %s", claim);
      ModelDelivery delivery = state.open.get(claim.message());
      require(
          delivery != null && delivery.status == Status.PENDING,
          "attempt of what has ended: %s",
          claim);
      require(nowMillis >= delivery.dueMillis, "at %s, too early: %s", nowMillis, delivery);
      require(state.suspension == null, "while suspended: %s", delivery);
      require(nowMillis <= state.deadline(delivery), "after its lifetime: %s", delivery);
      require(claim.attempt() == delivery.attempts + 1, "attempt %s of %s", claim, delivery);
      require(Arrays.equals(claim.payload(), delivery.message.payload), "payload of %s", claim);
      require(nowMillis >= state.pausedUntilMillis, "in the endpoint's pause: %s", delivery);
      require(nowMillis >= state.refusals.notBeforeMillis(), "is held: %s", delivery);
      require(state.hasRoom(), "above the limit %s", state.concurrency.limit());
      require(model.mayHaveRoom(), "above the shard's limit: %s", delivery);
      require(state.inFlight.put(claim.message(), claim) == null, "in flight: %s", delivery);
      state.concurrency.occupied(state.inFlight.size(), nowNanos);
      model.inFlight++;
      model.inFlightBytes += claim.payload().length;
      throttle(state.spec.maxPerSecond(), state.starts, nowNanos, state.number);
      started(claim, delivery, nowMillis, nowNanos);
    }
  }

  /** The group of the subscription lets this attempt start. */
  private void started(Claim claim, ModelDelivery delivery, long nowMillis, long nowNanos) {
    ModelGroup group = model.group(model.subscriptions.get(claim.subscription()));
    require(claim.group().equals(group.spec.key()), "in another group: %s", claim);
    require(group.hasRoom(), "%s under way, above the limit of %s", group.inFlight, group.spec);
    require(nowMillis >= group.blockedUntilMillis, "while its group is blocked: %s", delivery);
    require(nowMillis >= group.refusals.notBeforeMillis(), "its group is held: %s", delivery);
    group.inFlight++;
    throttle(group.spec.maxPerSecond(), group.starts, nowNanos, claim.group());
    if (delivery.isRetry()) {
      require(group.payForRetry(nowNanos), "above the retry budget: %s", delivery);
    }
  }

  private static void throttle(long rate, ArrayDeque<Long> starts, long nowNanos, Object whose) {
    if (rate == 0) {
      return;
    }
    forgetOldStarts(starts, nowNanos);
    starts.add(nowNanos);
    require(
        starts.size() <= 10 * rate,
        "%s starts in ten seconds to %s, throttled to %s a second",
        starts.size(),
        whose,
        rate);
  }

  private static void forgetOldStarts(ArrayDeque<Long> starts, long nowNanos) {
    Long first;
    while ((first = starts.peek()) != null && nowNanos - first >= ModelSubscription.WINDOW_NANOS) {
      starts.poll();
    }
  }

  /** Nothing more happens now: what could be done has been done, and the alarm is set. */
  void quiet(long nowMillis, long nowNanos, long wakeAtMillis) {
    model.minutes.quiet(store, wakeAtMillis);
    if (!model.hasRoomForAnybody()) {
      model.subscriptions.values().forEach(s -> s.throttledSinceNanos = Long.MAX_VALUE);
      model.groups.values().forEach(g -> g.throttledSinceNanos = Long.MAX_VALUE);
      return;
    }
    Set<ModelGroup> hungry = new HashSet<>();
    for (ModelSubscription state : model.subscriptions.values()) {
      if (!state.removing) {
        quiet(state, nowMillis, nowNanos, wakeAtMillis, hungry);
      }
    }
    model.groups.values().forEach(group -> throttled(group, hungry.contains(group), nowNanos));
  }

  /** A throttled group for which something is due all the time uses what it may. */
  private static void throttled(ModelGroup group, boolean isHungry, long nowNanos) {
    group.throttledSinceNanos =
        isHungry ? Math.min(group.throttledSinceNanos, nowNanos) : Long.MAX_VALUE;
    long waited = nowNanos - group.throttledSinceNanos;
    forgetOldStarts(group.starts, nowNanos);
    require(
        !isHungry
            || waited < ModelSubscription.WINDOW_NANOS
            || group.starts.size() >= 10 * group.spec.maxPerSecond() - 1,
        "%s starts in ten seconds although %s",
        group.starts.size(),
        group.spec);
  }

  private void quiet(
      ModelSubscription state,
      long nowMillis,
      long nowNanos,
      long wakeAtMillis,
      Set<ModelGroup> hungry) {
    ModelDelivery head = head(state);
    if (head == null) {
      state.throttledSinceNanos = Long.MAX_VALUE;
      return;
    }
    long deadline = state.deadline(head);
    require(
        nowMillis <= Math.max(deadline, head.dueMillis),
        "at %s, past its lifetime and still there: %s",
        nowMillis,
        head);
    if (head.dueMillis <= nowMillis && deadline != Long.MAX_VALUE) {
      // A lifetime that was shortened meanwhile counts when the delivery is due.
      require(wakeAtMillis <= deadline + 1, "nobody wakes to expire %s", head);
    }
    Suspension suspension = state.suspension;
    if (suspension != null) {
      long dropsAt = suspension.dropsAtMillis(head.dueMillis);
      require(state.held() <= suspension.maxHeld(), "more is held than may be: %s", state.held());
      require(dropsAt > nowMillis, "at %s, held for too long: %s", nowMillis, head);
      require(wakeAtMillis <= dropsAt, "nobody wakes to drop %s", head);
      state.throttledSinceNanos = Long.MAX_VALUE;
      return;
    }
    ModelGroup group = model.group(state);
    boolean hasRoom = state.hasRoom() && group.hasRoom();
    long blockedUntil =
        LongStream.of(
                state.pausedUntilMillis,
                group.blockedUntilMillis,
                state.refusals.notBeforeMillis(),
                group.refusals.notBeforeMillis())
            .max()
            .getAsLong();
    boolean throttled = state.spec.maxPerSecond() > 0 || group.spec.maxPerSecond() > 0;
    // The last turn may have been a little earlier.
    long retryWait = head.isRetry() ? group.retryWaitMillis(nowNanos - 1_000_000) : 0;
    // A throttle wakes when it allows something, and a group looks then at what is due.
    boolean mayWakeLater =
        throttled && (group.spec.maxPerSecond() > 0 || head.dueMillis <= nowMillis);
    if (hasRoom) {
      long next = Math.max(head.dueMillis, blockedUntil);
      if (next <= nowMillis && retryWait > 0 && !throttled) {
        require(
            wakeAtMillis <= nowMillis + retryWait + 1,
            "sleeps until %s over %s, which waits for the retry budget for %s ms",
            wakeAtMillis,
            head,
            retryWait);
      } else if (!throttled) {
        require(next > nowMillis, "at %s nothing holds it back: %s", nowMillis, head);
      }
      require(
          next <= nowMillis || wakeAtMillis <= next || mayWakeLater,
          "sleeps until %s over %s, due at %s",
          wakeAtMillis,
          head,
          next);
    }
    boolean free = hasRoom && blockedUntil <= nowMillis && retryWait == 0;
    if (free && head.dueMillis <= nowMillis && state.spec.maxPerSecond() == 0) {
      hungry.add(group);
    }
    if (!free || head.dueMillis > nowMillis || group.spec.maxPerSecond() > 0) {
      state.throttledSinceNanos = Long.MAX_VALUE;
      return;
    }
    state.throttledSinceNanos = Math.min(state.throttledSinceNanos, nowNanos);
    long waited = nowNanos - state.throttledSinceNanos;
    forgetOldStarts(state.starts, nowNanos);
    require(
        waited < ModelSubscription.WINDOW_NANOS
            || state.starts.size() >= 10 * state.spec.maxPerSecond() - 1,
        "%s starts in ten seconds to %s although %s a second may",
        state.starts.size(),
        state.number,
        state.spec.maxPerSecond());
  }

  /** The delivery that is first in the order of due times and not in flight. */
  private static @Nullable ModelDelivery head(ModelSubscription state) {
    ModelDelivery head = null;
    for (ModelDelivery delivery : state.open.values()) {
      if (delivery.status != Status.PENDING || state.inFlight.containsKey(delivery.message.id)) {
        continue;
      }
      if (head == null
          || delivery.dueMillis < head.dueMillis
          || (delivery.dueMillis == head.dueMillis
              && delivery.message.id.compareTo(head.message.id) < 0)) {
        head = delivery;
      }
    }
    return head;
  }

  static String hex(byte[] key) {
    StringBuilder text = new StringBuilder().append((char) key[0]);
    for (int i = 1; i < key.length; i++) {
      text.append(String.format("%02x", key[i]));
    }
    return text.toString();
  }

  /** Reasons for which a dead letter may be looked for. */
  static final List<StopReason> REASONS =
      List.of(
          StopReason.ATTEMPTS,
          StopReason.NOT_RETRYABLE,
          StopReason.DEADLINE,
          StopReason.HINT_TOO_LONG);
}
