package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import dev.reprise.policy.ThrottlePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which shards a subscription has, and how many it may have, of eight. */
class SubscriptionShardsTest {
  private static final NotificationPolicy NO_RETRY = NotificationPolicy.of(Presets.get("no-retry"));
  private static final SubscriptionSettings SPREAD =
      SubscriptionSettings.of("http://192.0.2.1/hook").withShards(4);

  @TempDir Path folder;
  private DeliveryEngine engine;

  @BeforeEach
  void open() {
    EngineSettings settings =
        new EngineSettings(
            folder,
            8,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ZERO);
    engine = DeliveryEngine.open(settings, catalog -> (claim, done) -> {});
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void a_message_is_in_one_of_the_shards_in_a_row() {
    SubscriptionShards shards = SubscriptionShards.of(new Subscription(6, "orders", SPREAD, 0), 8);
    assertThat(IntStream.range(0, 8).map(shards::partIn))
        .containsExactly(2, 3, -1, -1, -1, -1, 0, 1);
    SplittableRandom random = new SplittableRandom(3);
    int[] messages = new int[4];
    for (int i = 0; i < 4000; i++) {
      MessageId message = MessageId.create(i, random);
      int part = shards.partOf(message);
      messages[part]++;
      assertThat(shards.shardOf(message)).isEqualTo(shards.shard(part));
      assertThat(shards.partIn(shards.shard(part))).isEqualTo(part);
      assertThat(shards.partAt(shards.beginning(part))).isEqualTo(part);
    }
    assertThat(IntStream.of(messages)).allMatch(of -> of > 800 && of < 1200);
  }

  @Test
  void shares_are_a_limit_together() {
    SubscriptionShards shards = SubscriptionShards.of(new Subscription(1, "orders", SPREAD, 0), 8);
    assertThat(IntStream.range(0, 4).mapToLong(part -> shards.share(10, part)))
        .containsExactly(3L, 3L, 2L, 2L);
  }

  @Test
  void more_shards_than_there_are_is_refused() {
    engine.putTopic("orders", NO_RETRY);
    assertThatThrownBy(() -> engine.subscribe("orders", SPREAD.withShards(9)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("shards is 9: must be at most 8, the number of shards that there are");
    assertThat(engine.catalog().subscriptions()).isEmpty();
  }

  @Test
  void a_limit_that_cannot_be_divided_is_refused() {
    NotificationPolicy slow = new NotificationPolicy(null, new ThrottlePolicy(3), false);
    engine.putTopic("orders", slow);
    assertThatThrownBy(() -> engine.subscribe("orders", SPREAD))
        .hasMessage("shards is 4: must be at most the throttle's maxReceivesPerSecond, which is 3");
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = engine.subscribe("orders", SPREAD);
    assertThatThrownBy(() -> engine.putTopic("orders", slow))
        .hasMessage(
            "throttlePolicy.maxReceivesPerSecond is 3: must be at least 4, the number of shards of"
                + " subscription orders-1");
    assertThat(engine.catalog().topic("orders").topic().policy()).isEqualTo(NO_RETRY);
    assertThatThrownBy(
            () -> engine.changeSubscription(subscription.id(), before -> before.withShards(5)))
        .hasMessage(
            "shards is 5: must stay 4, as it was chosen when the subscription was created: make"
                + " another subscription");
  }
}
