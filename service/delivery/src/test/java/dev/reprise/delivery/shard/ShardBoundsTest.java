package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static dev.reprise.delivery.shard.ShardHost.NO_RETRY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What a shard may take in at once, and what must not be able to stop it. */
class ShardBoundsTest {
  private static final ShardSettings SETTINGS = ShardSettings.DEFAULT;

  private static SubscriptionSpec spec(long number, long lifetimeMillis) {
    return new SubscriptionSpec(number, NO_RETRY, 0, lifetimeMillis, false, 64, "host " + number);
  }

  @Test
  void aTurnTakesInNoMoreThanItsBatchMayHoldAndTheRestFollows() {
    ShardHost host =
        new ShardHost(SETTINGS, new SubscriptionSpec(1, HOURLY, 1, 0, false, 1, "host"));
    for (int i = 0; i < 400; i++) {
      host.publishAt(host.nowMillis, 200_000, 1);
    }
    List<Long> batches = new ArrayList<>();
    do {
      batches.add(host.turn().writes().bytes());
    } while (host.wakeAtMillis <= host.nowMillis);

    assertThat(batches).allMatch(bytes -> bytes < 17 << 20).hasSizeGreaterThan(4);
    ShardReader reader = new ShardReader(host.store);
    assertThat(reader.ledger(1).accepted()).isEqualTo(400);
    assertThat(reader.recount().get(1L).agrees()).isTrue();
  }

  @Test
  void aSmallPayloadForManySubscriptionsIsStoredOnce() {
    SubscriptionSpec[] specs =
        LongStream.rangeClosed(1, 500)
            .mapToObj(number -> new SubscriptionSpec(number, HOURLY, 1, 0, false, 1, "host"))
            .toArray(SubscriptionSpec[]::new);
    ShardHost host = new ShardHost(SETTINGS, specs);
    host.run();
    host.publishAt(host.nowMillis, 900, LongStream.rangeClosed(1, 500).toArray());

    assertThat(host.turn().writes().bytes()).isLessThan(500 * 300);
  }

  @Test
  void aLifetimeCountsFromAcceptanceAlsoWhenTheKeyBringsAnOlderId() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 30_000));
    host.run();
    MessageId message = host.publishAt(host.nowMillis - 60_000, 10, 1);
    host.run();

    assertThat(host.started).as("attempted, not expired").hasSize(1);
    assertThat(new ShardReader(host.store).find(1, message).state().status())
        .isEqualTo(Status.PENDING);
  }

  @Test
  void aFilterWithANumberThatNoDoubleCanHoldStopsNoShard() {
    JsonMapper exact =
        JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    for (String condition : List.of("1e999", "1" + "0".repeat(400), "{\"anything-but\":1e999}")) {
      AttributeFilter filter =
          AttributeFilter.stored(exact.readTree("{\"n\":[" + condition + "]}"));
      assertThat(filter.matches(exact.readTree("{\"n\":5}"))).isEqualTo(condition.startsWith("{"));
      filter.matches(exact.readTree("{\"n\":1e999}"));
      filter.matches(exact.readTree("{\"n\":" + "9".repeat(400) + "}"));
    }
  }

  @Test
  void aRemovalGoesOnWhereItStopped() {
    ShardHost host =
        new ShardHost(SETTINGS, new SubscriptionSpec(1, HOURLY, 1, 0, false, 1, "host"));
    for (int i = 0; i < 5_000; i++) {
      host.publishAt(host.nowMillis, 10, 1);
    }
    host.run();
    host.specs.clear();
    long before = host.store.tombstonesPassed();
    host.give(new ShardInput.Remove(1));
    host.run();

    assertThat(new ShardReader(host.store).closedLedger().discarded()).isEqualTo(5_000);
    assertThat(host.store.tombstonesPassed() - before).isLessThan(1_000);
  }

  @Test
  void whatATurnHasPutOffCanBeRefused() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0));
    List<SweepProgress> answers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      host.give(
          new ShardInput.Purge(
              1,
              new SweepRequest(DeadLetterFilter.ALL, host.nowMillis, null, 10, 0, 0),
              new Reply<>() {
                @Override
                public void complete(SweepProgress answer) {
                  answers.add(answer);
                }

                @Override
                public void fail(Throwable error) {
                  throw new AssertionError(error);
                }
              }));
    }
    host.turn();
    assertThat(answers).hasSize(1);
    assertThat(host.shard().deferred()).hasSize(1);
    host.turn();
    assertThat(answers).hasSize(2);
    assertThat(host.shard().deferred()).isEmpty();
  }
}
