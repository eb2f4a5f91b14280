package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.LimitReason;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.shard.ModelDelivery.Message;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a shard has to do, said a second time and more simply: everything is in memory and in
 * ordinary maps, and nothing is ever forgotten. It hears of a turn's inputs once their batch is
 * durable, foresees what must be in the store, and {@link TurnCheck} and {@link StoreAudit}
 * compare.
 *
 * <p>One thing is left to the shard: when it lets a delivery expire whose lifetime has passed.
 */
final class ShardModel {
  static final long MAX_PAUSE_MILLIS = 300_000;

  /** What a history record has to say. */
  record ExpectedEvent(Status status, long atMillis, @Nullable StopReason reason) {}

  /** What an idempotency key stands for. */
  record ReservedKey(ShardInput.Keyed keyed, long fingerprint) {
    MessageId message() {
      return keyed.message();
    }

    ShardInput.Reserved reserved(boolean repeated) {
      return new ShardInput.Reserved(keyed.message(), keyed.shards(), repeated);
    }
  }

  final ShardSettings settings;
  final ModelMinutes minutes;
  final Map<Long, ModelSubscription> subscriptions = new TreeMap<>();
  final Map<String, ModelGroup> groups = new HashMap<>();
  final Map<MessageId, Message> messages = new HashMap<>();
  final Map<MessageId, Integer> acceptedKeyed = new HashMap<>();
  final Map<ByteBuffer, AwaitedReceipt> awaited = new HashMap<>();
  final Map<ByteBuffer, ReservedKey> reserved = new HashMap<>();
  Ledger closed = Ledger.EMPTY;

  /** Whether history may go before its time: because of its bound, or because space was short. */
  boolean historyMayGo;

  int turn;
  long nowMillis;
  long nowNanos;
  int inFlight;
  long inFlightBytes;

  /** Deliveries that the last turn changed. */
  final Set<ModelDelivery> touched = new LinkedHashSet<>();

  final Map<byte[], ExpectedEvent> events = new TreeMap<>(Arrays::compareUnsigned);
  final List<SimulatedReply<?>> replies = new ArrayList<>();
  private List<ShardInput> deferred = new ArrayList<>();

  ShardModel(ShardSettings settings, MinuteSettings minutes) {
    this.settings = settings;
    this.minutes = new ModelMinutes(this, minutes);
    this.historyMayGo = settings.historyBytes() > 0;
  }

  /** These inputs have become durable. */
  void committed(List<ShardInput> inputs) {
    List<ShardInput> earlier = deferred;
    deferred = new ArrayList<>();
    earlier.forEach(this::foresee);
    inputs.forEach(this::foresee);
  }

  /** A new turn begins. */
  void begin(long nowMillis, long nowNanos) {
    this.nowMillis = nowMillis;
    this.nowNanos = nowNanos;
    turn++;
    for (ModelSubscription state : subscriptions.values()) {
      state.suspensionBefore = state.suspension;
      state.heldBefore = state.held();
    }
    touched.clear();
    events.clear();
    replies.clear();
  }

  /** A process over the same store, with what the catalog says now. */
  void restarted(
      List<SubscriptionSpec> specs,
      Collection<GroupSpec> groupSpecs,
      SimulatedStore store,
      long nowMillis) {
    this.nowMillis = nowMillis;
    deferred = new ArrayList<>();
    minutes.restarted(store);
    inFlight = 0;
    inFlightBytes = 0;
    Set<Long> configured = new HashSet<>();
    for (SubscriptionSpec spec : specs) {
      configured.add(spec.number());
      ModelSubscription known = subscriptions.get(spec.number());
      if (known == null) {
        known = new ModelSubscription(spec);
        subscriptions.put(spec.number(), known);
      } else {
        known.configure(spec);
        known.restart();
      }
      if (store.get(Keys.ofSubscription(Keys.LEDGER, spec.number())) == null) {
        created(known);
      }
    }
    for (ModelSubscription state : List.copyOf(subscriptions.values())) {
      if (configured.contains(state.number)) {
        continue;
      }
      if (store.get(Keys.ofSubscription(Keys.LEDGER, state.number)) == null) {
        // Nothing of it was ever durable.
        require(state.open.isEmpty() && state.accepted == 0, "the ledger of %s is gone", state);
        subscriptions.remove(state.number);
        continue;
      }
      state.restart();
      state.removing = true;
      state.removedTurn = turn;
    }
    for (ModelGroup group : groups.values()) {
      group.restart();
    }
    for (GroupSpec spec : groupSpecs) {
      group(spec.key()).configure(spec);
    }
    forgetUnusedGroups();
  }

  ModelGroup group(String key) {
    return groups.computeIfAbsent(key, k -> new ModelGroup(k, settings));
  }

  ModelGroup group(ModelSubscription state) {
    return group(state.spec.group());
  }

  private void forgetUnusedGroups() {
    Set<String> used = new HashSet<>();
    for (ModelSubscription state : subscriptions.values()) {
      if (!state.removing) {
        used.add(state.spec.group());
      }
    }
    groups
        .entrySet()
        .removeIf(
            entry ->
                !used.contains(entry.getKey())
                    && entry.getValue().inFlight == 0
                    && entry.getValue().isUnlimited());
  }

  boolean isIdle() {
    if (inFlight > 0 || !deferred.isEmpty()) {
      return false;
    }
    for (ModelSubscription state : subscriptions.values()) {
      if (state.removing || state.pending > 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether one more may start at all, whoever it is for. */
  boolean mayHaveRoom() {
    return inFlight < 2 * settings.maxInFlight()
        && (inFlight == 0 || inFlightBytes < settings.maxInFlightBytes());
  }

  /**
   * Whether one more may start even if all that are under way hang; {@code PlacesTest} is exact.
   */
  boolean hasRoomForAnybody() {
    return inFlight < Math.max(1, Math.min(Places.ENOUGH, settings.maxInFlight() / 4))
        && (inFlight == 0 || inFlightBytes < settings.maxInFlightBytes());
  }

  /** Fails with the message unless the condition holds. Keys among the arguments become text. */
  static void require(boolean holds, String message, @Nullable Object... arguments) {
    if (holds) {
      return;
    }
    Object[] shown = new Object[arguments.length];
    for (int i = 0; i < shown.length; i++) {
      shown[i] = arguments[i] instanceof byte[] key ? TurnCheck.hex(key) : arguments[i];
    }
    throw new AssertionError(String.format(message, shown));
  }

  private void foresee(ShardInput input) {
    if (input instanceof ShardInput.Publish publish) {
      publish(publish);
    } else if (input instanceof ShardInput.Taken taken) {
      taken.publishes().forEach(this::publish);
    } else if (input instanceof ShardInput.Completed completed) {
      complete(completed);
    } else if (input instanceof ShardInput.Received received) {
      receive(received);
    } else if (input instanceof ShardInput.Configure configure) {
      SubscriptionSpec spec = configure.spec();
      ModelSubscription known = subscriptions.get(spec.number());
      if (known == null) {
        known = new ModelSubscription(spec);
        subscriptions.put(spec.number(), known);
        created(known);
      } else {
        if (!known.spec.group().equals(spec.group())) {
          known.refusals.clear();
        }
        known.configure(spec);
        tryNow(known);
      }
      forgetUnusedGroups();
    } else if (input instanceof ShardInput.ConfigureGroup configure) {
      group(configure.spec().key()).configure(configure.spec());
      forgetUnusedGroups();
    } else if (input instanceof ShardInput.Unblock unblock) {
      ModelGroup group = groups.get(unblock.group());
      if (group != null) {
        group.blockedUntilMillis = 0;
      }
    } else if (input instanceof ShardInput.Resume resume) {
      resume(resume);
    } else if (input instanceof ShardInput.Remove remove) {
      ModelSubscription state = subscriptions.get(remove.subscription());
      if (state != null && !state.removing) {
        state.removing = true;
        state.removedTurn = turn;
        state.inFlight.clear();
        forgetUnusedGroups();
      }
    } else if (input instanceof ShardInput.Reserve reserve) {
      reserve(reserve);
    } else if (input instanceof ShardInput.Redrive redrive) {
      walk(input, redrive.subscription(), redrive.request(), reply(redrive.reply()));
    } else if (input instanceof ShardInput.Purge purge) {
      walk(input, purge.subscription(), purge.request(), reply(purge.reply()));
    } else if (input instanceof ShardInput.AttemptNow attemptNow) {
      attemptNow(attemptNow);
    } else if (input instanceof ShardInput.Cancel cancel) {
      cancel(cancel);
    } else if (input instanceof ShardInput.Moved moved) {
      moved(moved);
    } else if (input instanceof ShardInput.Suspend suspend) {
      suspend(suspend);
    } else if (input instanceof ShardInput.Release release) {
      release(release);
    } else if (input instanceof ShardInput.Inspect inspect) {
      inspect(inspect);
    }
  }

  /** Nothing of it was stored yet. */
  private void created(ModelSubscription state) {
    state.suspension =
        state.spec.startsSuspended()
            ? Suspension.of(Suspension.Cause.CREATION, nowMillis, "")
            : null;
  }

  private void suspend(ShardInput.Suspend request) {
    ModelSubscription state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      expect(reply(request.reply()), NoSubscriptionException.class);
      return;
    }
    Suspension before = state.suspension;
    if (before == null) {
      before = Suspension.of(Suspension.Cause.OPERATOR, nowMillis, "");
    }
    state.suspension =
        new Suspension(
            before.cause(),
            before.sinceMillis(),
            request.reason().isEmpty() ? before.reason() : request.reason(),
            request.maxAgeMillis(),
            request.maxHeld());
    expect(reply(request.reply()), state.suspension);
  }

  private void release(ShardInput.Release request) {
    ModelSubscription state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      expect(reply(request.reply()), NoSubscriptionException.class);
      return;
    }
    boolean wasHeld = released(state);
    expect(reply(request.reply()), state.suspension != null || wasHeld);
    if (state.suspension != null) {
      state.suspension = null;
      state.pausedUntilMillis = 0;
    }
  }

  /** Nothing of it is held any more for what was refused; whether anything was. */
  private boolean released(ModelSubscription state) {
    ModelRefusals ofGroup = group(state).refusals;
    boolean was = state.refusals.isHeld() || ofGroup.isHeld();
    state.refusals.clear();
    ofGroup.tryNow(nowMillis);
    return was;
  }

  private void resume(ShardInput.Resume request) {
    boolean was = false;
    for (ModelSubscription state : subscriptions.values()) {
      if (!state.removing && state.spec.group().equals(request.group())) {
        was |= released(state);
        group(state).refusals.clear();
      }
    }
    expect(reply(request.reply()), was);
  }

  private void tryNow(ModelSubscription state) {
    state.refusals.tryNow(nowMillis);
    group(state).refusals.tryNow(nowMillis);
  }

  private void cancel(ShardInput.Cancel request) {
    SimulatedReply<?> reply = reply(request.reply());
    ModelSubscription state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      expect(reply, NoSubscriptionException.class);
      return;
    }
    if (state.walkedTurn == turn) {
      deferred.add(request);
      return;
    }
    state.walkedTurn = turn;
    int seen = 0;
    int changed = 0;
    @Nullable Position next = null;
    for (ModelDelivery delivery : waiting(state, request.from())) {
      if (seen == request.limit()) {
        next = new Position(delivery.dueMillis, delivery.message.id);
        break;
      }
      seen++;
      if (request.message() != null && !request.message().equals(delivery.message.id)) {
        continue;
      }
      if (state.inFlight.containsKey(delivery.message.id)) {
        state.cancelled.add(delivery.message.id);
        changed++;
      } else if (!delivery.unreadable) {
        giveUp(state, delivery, StopReason.CANCELLED, nowMillis);
        event(delivery, HistoryEvent.Kind.CANCELLED, nowMillis);
        changed++;
      }
    }
    expect(reply, new SweepProgress(changed, next, seen));
  }

  private void moved(ShardInput.Moved request) {
    SimulatedReply<?> reply = reply(request.reply());
    ModelSubscription state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      expect(reply, NoSubscriptionException.class);
      return;
    }
    if (state.walkedTurn == turn) {
      deferred.add(request);
      return;
    }
    state.walkedTurn = turn;
    int moved = 0;
    for (Position letter : new LinkedHashSet<>(request.letters())) {
      ModelDelivery delivery = state.open.get(letter.message());
      if (delivery == null
          || !delivery.kept
          || delivery.changedTurn == turn
          || delivery.diedAtMillis != letter.atMillis()) {
        continue;
      }
      count(state, delivery.status, -1);
      count(state, Status.MOVED, 1);
      delivery.status = Status.MOVED;
      delivery.kept = false;
      close(state, delivery);
      change(delivery);
      expectEvent(
          delivery,
          HistoryEvent.Kind.MOVED,
          new ExpectedEvent(Status.MOVED, nowMillis, delivery.reason));
      moved++;
    }
    expect(reply, moved);
  }

  /** What the store showed as pending from this place on when the turn began. */
  private List<ModelDelivery> waiting(ModelSubscription state, @Nullable Position from) {
    return state.open.values().stream()
        .filter(d -> d.status == Status.PENDING && d.changedTurn < turn)
        .filter(
            d ->
                from == null
                    || d.dueMillis > from.atMillis()
                    || (d.dueMillis == from.atMillis()
                        && d.message.id.compareTo(from.message()) >= 0))
        .sorted(
            Comparator.<ModelDelivery>comparingLong(d -> d.dueMillis)
                .thenComparing(d -> d.message.id))
        .toList();
  }

  /** What was held for a suspended subscription was given up. */
  void drop(ModelSubscription state, ModelDelivery delivery) {
    Suspension suspension = state.suspensionBefore;
    require(suspension != null, "dropped without a suspension: %s", delivery);
    require(!state.inFlight.containsKey(delivery.message.id), "dropped in flight: %s", delivery);
    boolean isOver = state.heldBefore > suspension.maxHeld();
    require(
        isOver || suspension.dropsAtMillis(delivery.dueMillis) <= nowMillis,
        "dropped early: %s of %s, %s",
        delivery,
        state.heldBefore,
        suspension);
    state.heldBefore--;
    giveUp(state, delivery, StopReason.SUSPENDED, nowMillis);
    event(delivery, HistoryEvent.Kind.DROPPED, nowMillis);
  }

  private void attemptNow(ShardInput.AttemptNow request) {
    SimulatedReply<?> reply = reply(request.reply());
    ModelSubscription state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      expect(reply, NoSubscriptionException.class);
      return;
    }
    if (state.walkedTurn == turn) {
      deferred.add(request);
      return;
    }
    state.walkedTurn = turn;
    state.pausedUntilMillis = 0;
    tryNow(state);
    Position from =
        request.from() == null ? new Position(nowMillis + 1, new MessageId(0, 0)) : request.from();
    int seen = 0;
    int changed = 0;
    @Nullable Position next = null;
    for (ModelDelivery delivery : waiting(state, from)) {
      if (seen == request.limit()) {
        next = new Position(delivery.dueMillis, delivery.message.id);
        break;
      }
      seen++;
      boolean wanted = request.message() == null || request.message().equals(delivery.message.id);
      if (wanted && delivery.dueMillis > nowMillis && !delivery.unreadable) {
        delivery.dueMillis = nowMillis;
        delivery.requested = true;
        delivery.held = false;
        change(delivery);
        event(delivery, HistoryEvent.Kind.REQUESTED, nowMillis);
        changed++;
      }
    }
    expect(reply, new SweepProgress(changed, next, seen));
  }

  private void inspect(ShardInput.Inspect inspect) {
    ModelSubscription state = subscriptions.get(inspect.subscription());
    if (state == null || state.removing) {
      expect(reply(inspect.reply()), NoSubscriptionException.class);
      return;
    }
    Set<MessageId> inFlight = Set.copyOf(state.inFlight.keySet());
    int limit = state.concurrency.limit();
    int max = state.spec.maxInFlight();
    LimitReason reason = state.concurrency.reason();
    ModelGroup group = group(state);
    GroupHold hold = null;
    if (group.blockedUntilMillis > nowMillis) {
      String key = group.spec.key();
      hold = new GroupHold(key, group.blockReason, group.blockedUntilMillis);
    } else if (!group.hasRoom()) {
      String full = group.inFlight + " attempts under way, its limit";
      hold = new GroupHold(group.spec.key(), full, 0);
    }
    boolean isHeld = state.refusals.isHeld() || group.refusals.isHeld();
    GroupHold expectedHold = isHeld ? null : hold;
    long paused = state.pausedUntilMillis > nowMillis ? state.pausedUntilMillis : 0;
    SimulatedReply.Expectation expectation =
        answer -> {
          EndpointHealth health = (EndpointHealth) answer;
          require(
              health.messages().equals(inFlight)
                  && health.inFlight() == inFlight.size()
                  && health.limit() == limit
                  && health.maxInFlight() == max
                  && health.limitReason() == reason
                  && health.pausedUntilMillis() == paused
                  && (expectedHold == null || expectedHold.equals(health.groupHold())),
              "health is %s, expected in flight %s, limit %s because of %s, paused until %s, held"
                  + " %s",
              health,
              inFlight,
              limit,
              reason,
              paused,
              expectedHold);
        };
    expect(reply(inspect.reply()), expectation);
  }

  private static SimulatedReply<?> reply(Reply<?> reply) {
    return (SimulatedReply<?>) reply;
  }

  private void expect(SimulatedReply<?> reply, Object answer) {
    reply.expected = answer;
    replies.add(reply);
  }

  private void publish(ShardInput.Publish publish) {
    Integer before = publish.keyed() ? acceptedKeyed.get(publish.message()) : null;
    int accepted = 0;
    if (before == null) {
      Message message = messages.get(publish.message());
      for (long number : publish.subscriptions()) {
        ModelSubscription state = subscriptions.get(number);
        if (state != null && !state.removing) {
          ModelDelivery delivery = new ModelDelivery(number, message, turn, nowMillis);
          require(state.all.put(message.id, delivery) == null, "%s twice", delivery);
          state.open.put(message.id, delivery);
          state.accepted++;
          state.pending++;
          message.references++;
          touched.add(delivery);
          accepted++;
        }
      }
    }
    if (publish.keyed()) {
      acceptedKeyed.putIfAbsent(publish.message(), accepted);
    }
    expect(
        reply(publish.reply()),
        new ShardInput.Accepted(before == null ? accepted : before, before != null));
  }

  private void reserve(ShardInput.Reserve reserve) {
    ByteBuffer digest = ByteBuffer.wrap(reserve.digest());
    ReservedKey known = reserved.get(digest);
    if (known != null
        && known.message().publishedAtMillis() < nowMillis - settings.idempotencyMillis()) {
      known = null;
    }
    if (known == null) {
      ReservedKey fresh = new ReservedKey(reserve.proposed(), reserve.fingerprint());
      reserved.put(digest, fresh);
      expect(reply(reserve.reply()), fresh.reserved(false));
    } else if (known.fingerprint() == reserve.fingerprint()) {
      expect(reply(reserve.reply()), known.reserved(true));
    } else {
      expect(reply(reserve.reply()), IdempotencyConflictException.class);
    }
  }

  private void complete(ShardInput.Completed completed) {
    Claim claim = completed.claim();
    inFlight--;
    inFlightBytes -= claim.payload().length;
    answered(claim, completed);
    ModelSubscription state = subscriptions.get(claim.subscription());
    if (state == null || state.inFlight.remove(claim.message()) == null) {
      return;
    }
    ModelDelivery delivery = state.open.get(claim.message());
    long endedAt = Math.min(completed.endedAtMillis(), nowMillis);
    AttemptOutcome outcome = completed.outcome();
    boolean cancelled = state.cancelled.remove(claim.message());
    if (!outcome.made()) {
      state.concurrency.occupied(state.inFlight.size(), nowNanos);
      if (cancelled) {
        giveUp(state, delivery, StopReason.CANCELLED, nowMillis);
        event(delivery, HistoryEvent.Kind.CANCELLED, nowMillis);
      }
      return;
    }
    delivery.attempts++;
    state.attempts++;
    minutes.attempted(state.number);
    RetryInfo failure = outcome.failure();
    if (failure == null) {
      state.concurrency.succeeded(outcome.durationNanos(), nowNanos);
      endedOtherwise(state, claim);
      leave(state, delivery, Status.DELIVERED, null, endedAt);
      for (int part = 0; part < outcome.receiptIds().size(); part++) {
        awaited.put(
            ByteBuffer.wrap(Keys.receipt(claim.group(), outcome.receiptIds().get(part))),
            new AwaitedReceipt(state.number, claim.message(), delivery.attempts, part, endedAt));
      }
    } else {
      if (failure.isRetrySafe() != RetrySafety.NO) {
        state.concurrency.failed(nowNanos);
      }
      Duration hint = failure.retryAfter();
      if (failure.isThrottle() && hint != null) {
        state.pausedUntilMillis =
            Math.max(state.pausedUntilMillis, endedAt + Math.min(millis(hint), MAX_PAUSE_MILLIS));
      }
      boolean isGone = outcome.status() == 410 && state.spec.suspendsWhenGone();
      if (isGone && state.suspension == null) {
        state.suspension = Suspension.of(Suspension.Cause.ENDPOINT, nowMillis, outcome.summary());
      }
      if (cancelled) {
        giveUp(state, delivery, StopReason.CANCELLED, endedAt);
      } else {
        decide(state, delivery, failure, endedAt);
        heed(state, delivery, completed, isGone);
      }
    }
    state.concurrency.occupied(state.inFlight.size(), nowNanos);
    event(delivery, HistoryEvent.Kind.ATTEMPT, endedAt);
  }

  /** What a failure says of those that wait behind it. */
  private void heed(
      ModelSubscription state,
      ModelDelivery delivery,
      ShardInput.Completed completed,
      boolean isGone) {
    Claim claim = completed.claim();
    boolean isRefusal = delivery.reason == StopReason.NOT_RETRYABLE;
    if (settings.holdAfter() == 0 || (isRefusal && isGone)) {
      return;
    }
    if (!claim.group().equals(state.spec.group())) {
      return; // It tells of an endpoint that the subscription has left.
    }
    ModelGroup group = group(state);
    boolean wasHeld = state.refusals.isHeld() || group.refusals.isHeld();
    if (wasHeld) {
      state.refusals.tried(nowMillis);
      group.refusals.tried(state.number, nowMillis);
    }
    if (isRefusal && wasHeld) {
      takeBack(state, delivery);
    } else if (isRefusal) {
      int bound = settings.holdAfter();
      String code = Integer.toString(completed.outcome().status());
      code = code.equals("0") ? completed.outcome().summary() : code;
      state.refusals.refused(code, state.number, claim.message(), bound, bound, nowMillis);
      // The simulated endpoints answer with HTTP, which tells of a host and of no carrier.
      if (claim.group().startsWith("https://")) {
        group.refusals.refused(
            code, state.number, claim.message(), Math.max(2, bound), 1, nowMillis);
      }
    } else if (delivery.status != Status.PENDING && !wasHeld) {
      endedOtherwise(state, claim);
    }
  }

  /** It was given up; but it waits until something has got through. */
  private void takeBack(ModelSubscription state, ModelDelivery delivery) {
    count(state, delivery.status, -1);
    state.pending++;
    if (!delivery.isOpen()) {
      state.open.put(delivery.message.id, delivery);
      delivery.message.references++;
    }
    delivery.status = Status.PENDING;
    delivery.kept = false;
    delivery.reason = null;
    delivery.requested = false;
    delivery.held = true;
    long until =
        Math.max(state.refusals.notBeforeMillis(), group(state).refusals.notBeforeMillis());
    delivery.dueMillis = Math.max(nowMillis + 1, until);
    change(delivery);
  }

  private void endedOtherwise(ModelSubscription state, Claim claim) {
    if (claim.group().equals(state.spec.group())) {
      state.refusals.clear();
      group(state).refusals.clear();
    }
  }

  private void receive(ShardInput.Received received) {
    ByteBuffer key = ByteBuffer.wrap(Keys.receipt(received.group(), received.receiptId()));
    AwaitedReceipt receipt = awaited.remove(key);
    ModelSubscription state = receipt == null ? null : subscriptions.get(receipt.subscription());
    if (receipt == null || state == null || state.removing) {
      expect(reply(received.reply()), false);
      return;
    }
    expect(reply(received.reply()), true);
    if (received.delivered()) {
      state.receiptsDelivered++;
    } else {
      state.receiptsFailed++;
    }
    events.put(
        Keys.historyOfReceipt(
            state.number,
            receipt.message(),
            receipt.attempt(),
            Code.EVENT.of(HistoryEvent.Kind.RECEIPT),
            receipt.part()),
        new ExpectedEvent(Status.DELIVERED, receipt.deliveredMillis(), null));
  }

  /** What an outcome means for all that share the endpoint's host or carrier. */
  private void answered(Claim claim, ShardInput.Completed completed) {
    ModelGroup group = group(claim.group());
    group.inFlight--;
    AttemptOutcome outcome = completed.outcome();
    if (outcome.block() != null) {
      group.block(outcome.block(), Math.min(completed.endedAtMillis(), nowMillis));
    }
    boolean wasRetry = claim.pending().reason().kind() == DueReason.Kind.RETRY;
    if (outcome.failure() == null) {
      group.succeeded(wasRetry);
    } else if (!outcome.made() && wasRetry) {
      group.retryGivenBack();
    }
    forgetUnusedGroups();
  }

  private void decide(
      ModelSubscription state, ModelDelivery delivery, RetryInfo failure, long endedAt) {
    SubscriptionSpec spec = state.spec;
    Duration hint = failure.retryAfter();
    if (hint != null && hint.isNegative()) {
      hint = null;
    }
    if (failure.isRetrySafe() == RetrySafety.NO) {
      giveUp(state, delivery, StopReason.NOT_RETRYABLE, endedAt);
    } else if (delivery.retries >= spec.policy().maxRetries()) {
      giveUp(state, delivery, StopReason.ATTEMPTS, endedAt);
    } else if (hint != null && hint.compareTo(spec.policy().hintCeiling()) > 0) {
      giveUp(state, delivery, StopReason.HINT_TOO_LONG, endedAt);
    } else {
      // None of the simulated policies has jitter.
      Duration wait =
          Duration.ofNanos(spec.policy().backoff().range(delivery.retries + 1).highestNanos());
      if (hint != null && hint.compareTo(wait) > 0) {
        wait = hint;
      }
      long deadline = state.deadline(delivery);
      if (deadline != Long.MAX_VALUE
          && wait.compareTo(Duration.ofMillis(Math.max(0, deadline - endedAt))) > 0) {
        giveUp(state, delivery, StopReason.DEADLINE, endedAt);
        return;
      }
      delivery.retries++;
      delivery.requested = false;
      delivery.held = false;
      delivery.dueMillis = endedAt + millis(wait);
      change(delivery);
    }
  }

  /** Whole milliseconds, rounded up: never earlier than was decided. */
  private static long millis(Duration duration) {
    return duration.plusNanos(999_999).toMillis();
  }

  void giveUp(ModelSubscription state, ModelDelivery delivery, StopReason reason, long atMillis) {
    delivery.kept = !state.spec.discard();
    Status status =
        reason == StopReason.DEADLINE
            ? Status.EXPIRED
            : delivery.kept ? Status.DEAD_LETTERED : Status.DISCARDED;
    leave(state, delivery, status, reason, atMillis);
  }

  /** Its stored record could not be read. */
  void quarantine(ModelSubscription state, ModelDelivery delivery) {
    delivery.kept = true;
    leave(state, delivery, Status.DEAD_LETTERED, StopReason.UNREADABLE, nowMillis);
    event(delivery, HistoryEvent.Kind.UNREADABLE, nowMillis);
  }

  /** The lifetime passed while it waited. */
  void expire(ModelSubscription state, ModelDelivery delivery) {
    giveUp(state, delivery, StopReason.DEADLINE, nowMillis);
    event(delivery, HistoryEvent.Kind.EXPIRED, nowMillis);
  }

  private void leave(
      ModelSubscription state,
      ModelDelivery delivery,
      Status status,
      @Nullable StopReason reason,
      long atMillis) {
    state.pending--;
    count(state, status, 1);
    delivery.status = status;
    delivery.reason = reason;
    delivery.diedAtMillis = atMillis;
    if (!delivery.isOpen()) {
      close(state, delivery);
    }
    change(delivery);
  }

  private void close(ModelSubscription state, ModelDelivery delivery) {
    state.open.remove(delivery.message.id);
    delivery.message.references--;
  }

  private void change(ModelDelivery delivery) {
    delivery.changedTurn = turn;
    touched.add(delivery);
  }

  private static void count(ModelSubscription state, Status status, int by) {
    switch (status) {
      case PENDING -> state.pending += by;
      case DELIVERED -> state.delivered += by;
      case DEAD_LETTERED -> state.deadLettered += by;
      case DISCARDED -> state.discarded += by;
      case EXPIRED -> state.expired += by;
      case MOVED -> state.moved += by;
    }
  }

  /** A removed subscription has let go of a delivery. */
  void discard(ModelSubscription state, ModelDelivery delivery) {
    Status before = delivery.status;
    delivery.kept = false;
    if (before != Status.EXPIRED) {
      count(state, before, -1);
      count(state, Status.DISCARDED, 1);
      delivery.status = Status.DISCARDED;
    }
    close(state, delivery);
    change(delivery);
  }

  private void walk(ShardInput input, long number, SweepRequest request, SimulatedReply<?> reply) {
    ModelSubscription state = subscriptions.get(number);
    if (state == null || state.removing) {
      expect(reply, NoSubscriptionException.class);
      return;
    }
    if (state.walkedTurn == turn) {
      deferred.add(input);
      return;
    }
    state.walkedTurn = turn;
    int seen = 0;
    int changed = 0;
    @Nullable Position next = null;
    for (ModelDelivery delivery : deadLetters(state, request)) {
      if (seen == request.limit()) {
        next = new Position(delivery.diedAtMillis, delivery.message.id);
        break;
      }
      seen++;
      if (!chosen(delivery, request.filter())) {
        continue;
      }
      if (input instanceof ShardInput.Redrive && delivery.unreadable) {
        continue;
      }
      if (input instanceof ShardInput.Redrive) {
        redrive(state, delivery, request, request.before() + changed);
      } else {
        delete(state, delivery, HistoryEvent.Kind.PURGED);
      }
      changed++;
    }
    expect(reply, new SweepProgress(changed, next, seen));
  }

  /** A dead letter is deleted: by request, or because it was kept for long enough. */
  void delete(ModelSubscription state, ModelDelivery delivery, HistoryEvent.Kind kind) {
    if (delivery.reason != StopReason.DEADLINE) {
      count(state, Status.DEAD_LETTERED, -1);
      count(state, Status.DISCARDED, 1);
      delivery.status = Status.DISCARDED;
    }
    delivery.kept = false;
    close(state, delivery);
    change(delivery);
    expectEvent(delivery, kind, new ExpectedEvent(delivery.status, nowMillis, delivery.reason));
  }

  /** The dead letters that the walk stands before: those that were durable when the turn began. */
  private List<ModelDelivery> deadLetters(ModelSubscription state, SweepRequest request) {
    Comparator<ModelDelivery> order =
        Comparator.<ModelDelivery>comparingLong(d -> d.diedAtMillis)
            .thenComparing(d -> d.message.id);
    List<ModelDelivery> dead = new ArrayList<>();
    long end = Math.min(request.filter().diedToMillis(), request.startedAtMillis());
    Position from = request.from();
    for (ModelDelivery delivery : state.open.values()) {
      long died = delivery.diedAtMillis;
      boolean reached =
          from == null
              ? died >= request.filter().diedFromMillis()
              : died > from.atMillis()
                  || (died == from.atMillis()
                      && delivery.message.id.compareTo(from.message()) >= 0);
      if (delivery.kept && delivery.changedTurn < turn && reached && died < end) {
        dead.add(delivery);
      }
    }
    dead.sort(order);
    return dead;
  }

  private static boolean chosen(ModelDelivery delivery, DeadLetterFilter filter) {
    return (filter.reason() == null || filter.reason() == delivery.reason)
        && (filter.message() == null || filter.message().equals(delivery.message.id))
        && delivery.diedAtMillis >= filter.diedFromMillis()
        && (filter.attributes() == null
            || (!delivery.unreadable
                && filter.attributes().equals(ShardProgram.filterOf(delivery.message.kind))));
  }

  private void redrive(
      ModelSubscription state, ModelDelivery delivery, SweepRequest request, long index) {
    count(state, delivery.status, -1);
    state.pending++;
    double offset = request.perSecond() > 0 ? index * 1000.0 / request.perSecond() : 0;
    delivery.status = Status.PENDING;
    delivery.kept = false;
    delivery.reason = null;
    delivery.retries = 0;
    delivery.requested = false;
    delivery.held = false;
    delivery.dueMillis =
        request.perSecond() > 0
            ? Math.max(nowMillis, request.startedAtMillis() + (long) offset)
            : nowMillis;
    delivery.sinceMillis = delivery.dueMillis;
    change(delivery);
    event(delivery, HistoryEvent.Kind.REDRIVEN, nowMillis);
  }

  private void event(ModelDelivery delivery, HistoryEvent.Kind kind, long atMillis) {
    boolean pending = delivery.status == Status.PENDING;
    expectEvent(
        delivery,
        kind,
        new ExpectedEvent(
            delivery.status, pending ? delivery.dueMillis : atMillis, delivery.reason));
  }

  private void expectEvent(ModelDelivery delivery, HistoryEvent.Kind kind, ExpectedEvent event) {
    byte[] key =
        Keys.history(
            delivery.subscription, delivery.message.id, delivery.attempts, Code.EVENT.of(kind));
    events.put(key, event);
  }

  /** A history record says what the model says. */
  static boolean agrees(ExpectedEvent expected, DeliveryState after) {
    return expected.status() == after.status()
        && expected.atMillis() == after.atMillis()
        && expected.reason() == after.reason();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("in flight " + inFlight);
    for (ModelSubscription state : subscriptions.values()) {
      text.append("; subscription ").append(state.number).append(state.removing ? " goes, " : ", ");
      text.append(state.ledger()).append(", open ").append(state.open.values());
    }
    return text.toString();
  }
}
