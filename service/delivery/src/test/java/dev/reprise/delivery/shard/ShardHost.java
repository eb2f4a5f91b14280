package dev.reprise.delivery.shard;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.testkit.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Drives one shard by hand: a test says what happens and when. Wall and monotonic time agree. */
final class ShardHost {
  static final long START = 1_700_000_000_000L;

  /** An hour between retries: long enough to be out of the way. */
  static final RetryPolicy HOURLY =
      new RetryPolicy(Backoff.fixed(Duration.ofHours(1)), 100, Duration.ofDays(1));

  static final RetryPolicy NO_RETRY = new RetryPolicy(Backoff.none(), 0, Duration.ZERO);

  final SimulatedStore store;
  final ShardSettings settings;
  final List<SubscriptionSpec> specs = new ArrayList<>();
  final List<GroupSpec> groups = new ArrayList<>();
  final List<Claim> started = new ArrayList<>();
  private final SeededRandom random = SeededRandom.of(1);
  private List<ShardInput> inbox = new ArrayList<>();
  private MinuteSettings minutes = MinuteSettings.DEFAULT;
  private Shard shard;
  long nowMillis = START;
  long wakeAtMillis;
  int turns;
  int lastWrites;

  ShardHost(ShardSettings settings, SubscriptionSpec... specs) {
    this(new SimulatedStore(/* countTombstones= */ true), settings, specs);
  }

  ShardHost(SimulatedStore store, ShardSettings settings, SubscriptionSpec... specs) {
    this.store = store;
    this.settings = settings;
    this.specs.addAll(List.of(specs));
    restart();
  }

  /** A new process that keeps figures by these settings. */
  ShardHost keepMinutes(MinuteSettings settings) {
    minutes = settings;
    restart();
    return this;
  }

  /** A new process over the same store. */
  void restart() {
    inbox.clear();
    started.clear();
    shard =
        new Shard(
            store, settings, minutes, random, specs, groups, nowMillis, nowMillis * 1_000_000);
  }

  Shard shard() {
    return shard;
  }

  ShardHost give(ShardInput input) {
    inbox.add(input);
    return this;
  }

  /** Turns until the shard wants to sleep. */
  void run() {
    do {
      turn();
    } while (wakeAtMillis <= nowMillis);
  }

  Turn turn() {
    List<ShardInput> inputs = inbox;
    inbox = new ArrayList<>();
    Turn turn = shard.turn(inputs, nowMillis, nowMillis * 1_000_000);
    turns++;
    lastWrites = turn.writes().size();
    if (!turn.writes().isEmpty()) {
      store.write(turn.writes());
    }
    turn.answers().forEach(Runnable::run);
    started.addAll(turn.attempts());
    wakeAtMillis = turn.wakeAtMillis();
    return turn;
  }

  /** A turn of a process that dies after it: whoever calls decides what becomes durable. */
  Turn lastTurn() {
    List<ShardInput> inputs = inbox;
    inbox = new ArrayList<>();
    return shard.turn(inputs, nowMillis, nowMillis * 1_000_000);
  }

  /** Sleeps as a host does: wakes whenever the shard asked for it. */
  void sleep(long millis) {
    long until = nowMillis + millis;
    while (wakeAtMillis <= until) {
      nowMillis = Math.max(nowMillis, wakeAtMillis);
      run();
    }
    nowMillis = until;
    run();
  }

  MessageId publish(long... subscriptions) {
    return publishAt(nowMillis, 3, subscriptions);
  }

  MessageId publishAt(long publishedMillis, int bodyBytes, long... subscriptions) {
    MessageId message = MessageId.create(publishedMillis, random);
    give(new ShardInput.Publish(message, payload(bodyBytes), subscriptions, false, ignored()));
    return message;
  }

  static byte[] payload(int bodyBytes) {
    byte[] attributes = "{\"kind\":\"order\"}".getBytes(StandardCharsets.UTF_8);
    return PayloadRecord.encode(new Payload("text/plain", attributes, new byte[bodyBytes]));
  }

  /** Ends the oldest attempt under way. */
  Claim end(@Nullable HttpFailure failure) {
    Claim claim = started.remove(0);
    end(claim, failure);
    return claim;
  }

  void end(Claim claim, @Nullable HttpFailure failure) {
    started.remove(claim);
    AttemptOutcome outcome =
        failure == null
            ? SimulatedEndpoint.success(1)
            : new AttemptOutcome(failure, failure.status(), failure.describe(), "", new byte[0], 1);
    give(new ShardInput.Completed(claim, outcome, nowMillis));
  }

  /** Ends an attempt in any way. */
  void end(Claim claim, AttemptOutcome outcome) {
    started.remove(claim);
    give(new ShardInput.Completed(claim, outcome, nowMillis));
  }

  Ledger ledger(long subscription) {
    return new ShardReader(store).ledger(subscription);
  }

  static <T> Reply<T> ignored() {
    return new Reply<>() {
      @Override
      public void complete(T answer) {}

      @Override
      public void fail(Throwable error) {
        throw new AssertionError(error);
      }
    };
  }

  /** Keeps what it is told. */
  static final class Kept<T> implements Reply<T> {
    @Nullable T answer;
    @Nullable Throwable error;

    @Override
    public void complete(T answer) {
      this.answer = answer;
    }

    @Override
    public void fail(Throwable error) {
      this.error = error;
    }
  }
}
