package dev.reprise.delivery.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.DeliveryListener;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Reports of two shards, each of which has a thread, on a subscription over both. */
class EngineListenerTest {
  private static final Suspension SUSPENSION = Suspension.of(Suspension.Cause.ENDPOINT, 1, "", 1);

  @TempDir Path folder;
  private DeliveryEngine engine;
  private Catalog catalog;
  private SuspensionChange suspended;
  private SuspensionChange released;

  @BeforeEach
  void subscribe() {
    EngineSettings settings =
        new EngineSettings(
            folder,
            2,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ZERO);
    engine = DeliveryEngine.open(settings, catalog -> (claim, done) -> {});
    catalog = engine.catalog();
    engine.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
    long number =
        engine
            .subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/hook").withShards(2))
            .number();
    suspended = new SuspensionChange(number, SUSPENSION);
    released = new SuspensionChange(number, null);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void each_change_is_told_by_the_first_shard() {
    List<SuspensionChange> told = new CopyOnWriteArrayList<>();
    EngineListener once = listener(told::add);
    once.suspensionChanged(suspended);
    once.suspensionChanged(suspended);
    once.suspensionChanged(released);
    once.suspensionChanged(released);
    once.suspensionChanged(suspended);
    assertThat(told).containsExactly(suspended, released, suspended);
  }

  @Test
  void what_is_told_last_was_noted_last() throws InterruptedException {
    List<SuspensionChange> told = new CopyOnWriteArrayList<>();
    AtomicReference<EngineListener> once = new AtomicReference<>();
    Thread other = new Thread(() -> once.get().suspensionChanged(released));
    once.set(
        listener(
            change -> {
              if (change.suspension() != null) {
                // This thread is slow: the other shard releases before it has told.
                other.start();
                while (other.isAlive() && other.getState() != Thread.State.BLOCKED) {
                  Thread.onSpinWait();
                }
              }
              told.add(change);
            }));
    once.get().suspensionChanged(suspended);
    other.join();
    assertThat(told).containsExactly(suspended, released);
  }

  @Test
  void a_listener_that_fails_stops_neither_shard_nor_delivery() {
    DeliveryListener failing =
        new DeliveryListener() {
          @Override
          public void attemptEnded(Attempt attempt, long begunAtMillis, AttemptOutcome outcome) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void gaveUp(GivenUp delivery) {
            throw new IllegalStateException("on purpose");
          }
        };
    DataFolder data = DataFolder.open(EngineSettings.in(folder.resolve("failing")), false);
    try (DeliveryEngine failed =
        new DeliveryEngine(
            data, (claim, done) -> done.accept(AttemptOutcome.refused("no")), failing)) {
      failed.start();
      failed.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
      failed.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/hook"));
      for (int i = 1; i <= 2; i++) {
        Payload payload = new Payload("text/plain", new byte[0], new byte[] {'1'});
        failed
            .publish("orders", payload, JsonMapper.shared().createObjectNode(), null)
            .toCompletableFuture()
            .orTimeout(5, TimeUnit.MINUTES)
            .join();
        int dead = i;
        Await.until("dead letters", failed::ledger, () -> failed.ledger().deadLettered() == dead);
      }
      assertThat(failed.failure()).isNull();
      assertThat(failed.inFlight()).isZero();
    }
  }

  private EngineListener listener(Consumer<SuspensionChange> changes) {
    DeliveryListener outside =
        new DeliveryListener() {
          @Override
          public void suspensionChanged(SuspensionChange change) {
            changes.accept(change);
          }
        };
    return new EngineListener(outside, catalog, subscription -> {});
  }
}
