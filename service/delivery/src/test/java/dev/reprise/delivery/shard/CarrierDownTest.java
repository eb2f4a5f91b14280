package dev.reprise.delivery.shard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A carrier with a window of 10 is down for an hour with many deliveries behind it, and comes back:
 * the shard and its store on virtual time, and the carrier's fault as the endpoints' modules keep
 * it.
 */
@Tag("slow")
class CarrierDownTest {
  private static final int SUBSCRIPTIONS = 1000;

  /** A million deliveries with {@code -Dcarrier.down.messages=1000}, in two minutes. */
  private static final int MESSAGES = Integer.getInteger("carrier.down.messages", 20);

  private static final String GROUP = "carrier smsc";
  private static final int WINDOW = 10;
  private static final long START = 1_700_000_000_000L;
  private static final long HOUR = Duration.ofHours(1).toMillis();

  /** The time of an attempt at an SMS centre that answers. */
  private static final long ANSWER_MILLIS = 20;

  private final PriorityQueue<Ending> endings =
      new PriorityQueue<>((a, b) -> Long.compare(a.atMillis, b.atMillis));
  private List<ShardInput> inbox = new ArrayList<>();
  private long nowMillis = START;
  private int inFlight;
  private int mostInFlight;
  private long givenBack;
  private long turns;

  private record Ending(long atMillis, Claim claim, AttemptOutcome outcome) {}

  @TempDir Path folder;

  @Test
  void anHourWithoutTheCarrierCostsNothing() {
    try (RocksStore store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0))) {
      run(store.view(1));
    }
  }

  private void run(Store store) {
    List<SubscriptionSpec> specs = new ArrayList<>();
    for (int number = 1; number <= SUBSCRIPTIONS; number++) {
      specs.add(
          new SubscriptionSpec(
              number, Presets.get(Protocol.SMS.preset()).toRetryPolicy(), 0, 0, false, 64, GROUP));
    }
    Shard shard =
        new Shard(
            store,
            ShardSettings.DEFAULT,
            new SplittableRandom(1),
            specs,
            List.of(new GroupSpec(GROUP, WINDOW, 0, 1)),
            nowMillis,
            nowMillis * 1_000_000);
    CarrierFault fault =
        new CarrierFault(
            CarrierFault.BACKOFF,
            new SplittableRandom(2),
            () -> nowMillis * 1_000_000,
            () -> nowMillis);
    fault.failed("cannot connect to 192.0.2.1:2775: connection refused");
    publish(MESSAGES, SUBSCRIPTIONS);
    while (nowMillis < START + HOUR) {
      turn(shard, store, fault, true, START + HOUR);
    }
    long all = (long) MESSAGES * SUBSCRIPTIONS;
    Ledger down = ledger(store);
    assertThat(down.pending()).isEqualTo(all);
    assertThat(down.attempts()).isZero();
    // A try every half minute with the window's claims, and a turn or two for each.
    assertThat(givenBack).isBetween(1200L, 3000L);
    assertThat(turns).isLessThan(1000);

    fault.recovered();
    inbox.add(new ShardInput.Unblock(GROUP));
    while (ledger(store).pending() > 0) {
      long until = nowMillis + Duration.ofMinutes(5).toMillis();
      while (nowMillis < until) {
        turn(shard, store, fault, false, until);
      }
    }
    Ledger end = ledger(store);
    assertThat(end.delivered()).isEqualTo(all);
    assertThat(end.attempts()).isEqualTo(all);
    assertThat(mostInFlight).isEqualTo(WINDOW);
  }

  private void publish(int messages, int subscriptions) {
    byte[] payload =
        PayloadRecord.encode(
            new Payload("text/plain", new byte[0], "Your order has shipped".getBytes(UTF_8)));
    long[] numbers = LongStream.rangeClosed(1, subscriptions).toArray();
    for (int i = 0; i < messages; i++) {
      inbox.add(
          new ShardInput.Publish(
              new MessageId(START << 16 | i, i), payload, numbers, false, NOBODY));
    }
  }

  private static final Reply<ShardInput.Accepted> NOBODY =
      new Reply<>() {
        @Override
        public void complete(ShardInput.Accepted answer) {
          // Nobody waits.
        }

        @Override
        public void fail(Throwable error) {
          throw new IllegalStateException(error);
        }
      };

  private void turn(Shard shard, Store store, CarrierFault fault, boolean down, long until) {
    List<ShardInput> inputs = inbox;
    inbox = new ArrayList<>();
    Turn turn = shard.turn(inputs, nowMillis, nowMillis * 1_000_000);
    turns++;
    if (!turn.writes().isEmpty()) {
      store.write(turn.writes());
    }
    turn.answers().forEach(Runnable::run);
    for (Claim claim : turn.attempts()) {
      attempt(claim, fault, down);
    }
    Ending next = endings.peek();
    long wake = Math.min(turn.wakeAtMillis(), next == null ? Long.MAX_VALUE : next.atMillis);
    if (inbox.isEmpty()) {
      nowMillis = Math.max(nowMillis, Math.min(wake, until));
    }
    while ((next = endings.peek()) != null && next.atMillis <= nowMillis) {
      endings.poll();
      inFlight--;
      inbox.add(new ShardInput.Completed(next.claim, next.outcome, nowMillis));
    }
  }

  /** What a carrier does that cannot connect, and one that can. */
  private void attempt(Claim claim, CarrierFault fault, boolean down) {
    inFlight++;
    mostInFlight = Math.max(mostInFlight, inFlight);
    AttemptOutcome refusal = fault.refusal();
    if (refusal == null && down) {
      AttemptOutcome.Block block = fault.failed("cannot connect to 192.0.2.1:2775: refused");
      refusal = AttemptOutcome.givenBack(block.reason(), block.time());
    }
    if (refusal != null) {
      givenBack++;
      endings.add(new Ending(nowMillis + 1, claim, refusal));
    } else {
      AttemptOutcome taken =
          new AttemptOutcome(
              null, 0, "0x00000000 ESME_ROK", "192.0.2.1:2775", new byte[0], ANSWER_MILLIS);
      endings.add(new Ending(nowMillis + ANSWER_MILLIS, claim, taken));
    }
  }

  private static Ledger ledger(Store store) {
    ShardReader reader = new ShardReader(store);
    Ledger sum = Ledger.EMPTY;
    for (int number = 1; number <= SUBSCRIPTIONS; number++) {
      sum = sum.plus(reader.ledger(number));
    }
    return sum;
  }
}
