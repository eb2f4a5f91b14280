package dev.reprise.delivery.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a subscription over two shards, each of which has a thread. */
class ToldOnceTest {
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
    AtomicReference<Catalog> opened = new AtomicReference<>();
    engine =
        DeliveryEngine.open(
            settings,
            catalog -> {
              opened.set(catalog);
              return (claim, done) -> {};
            });
    catalog = opened.get();
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
    ToldOnce once = new ToldOnce(telling(told::add), catalog);
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
    AtomicReference<ToldOnce> once = new AtomicReference<>();
    Thread other = new Thread(() -> once.get().suspensionChanged(released));
    once.set(
        new ToldOnce(
            telling(
                change -> {
                  if (change.suspension() != null) {
                    // This thread is slow: the other shard releases before it has told.
                    other.start();
                    while (other.isAlive() && other.getState() != Thread.State.BLOCKED) {
                      Thread.onSpinWait();
                    }
                  }
                  told.add(change);
                }),
            catalog));
    once.get().suspensionChanged(suspended);
    other.join();
    assertThat(told).containsExactly(suspended, released);
  }

  private static AttemptSender telling(Consumer<SuspensionChange> listener) {
    return new AttemptSender() {
      @Override
      public void send(Attempt claim, Consumer<AttemptOutcome> done) {}

      @Override
      public void suspensionChanged(SuspensionChange change) {
        listener.accept(change);
      }
    };
  }
}
