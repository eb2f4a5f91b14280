package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.host.FolderFormat;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Data folders that the last programs of older formats have written. Each has the topic {@code
 * orders} with four subscriptions and six messages, two of them long: the first subscription has
 * got all, those of the second are dead letters, the third has failed once, and attempts to the
 * fourth were under way.
 */
class FolderUpgradeTest {
  private static final int MESSAGES = 6;

  @TempDir Path temp;
  private final Map<Long, Set<String>> arrived = new ConcurrentHashMap<>();
  private DeliveryEngine engine;

  @AfterEach
  void close() {
    if (engine != null) {
      engine.close();
    }
  }

  private static Set<String> bodies() {
    Set<String> bodies = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < MESSAGES; i++) {
      bodies.add(body(i));
    }
    return bodies;
  }

  private static String body(int message) {
    return "message " + message + (message < 2 ? " " + "x".repeat(3000) : "");
  }

  private Path unpack(int format) throws IOException {
    Path folder = Files.createDirectory(temp.resolve("data"));
    try (InputStream in = getClass().getResourceAsStream("format-" + format + ".zip");
        ZipInputStream zip = new ZipInputStream(Objects.requireNonNull(in))) {
      ZipEntry entry;
      while ((entry = zip.getNextEntry()) != null) {
        Files.copy(zip, folder.resolve(entry.getName()));
      }
    }
    return folder;
  }

  /** Whatever their age, dead letters are kept. */
  private DeliveryEngine open(Path folder) {
    EngineSettings settings =
        new EngineSettings(
            folder,
            1,
            ShardSettings.DEFAULT.withDeadLetters(Duration.ZERO),
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ofSeconds(1));
    return DeliveryEngine.open(settings, catalog -> this::take);
  }

  private void take(Attempt claim, Consumer<AttemptOutcome> done) {
    String body = new String(PayloadRecord.decode(claim.payload()).body(), UTF_8);
    arrived.computeIfAbsent(claim.subscription(), n -> ConcurrentHashMap.newKeySet()).add(body);
    done.accept(new AttemptOutcome(null, 200, "200", "192.0.2.1", new byte[0], 1_000_000));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void everythingInAnOlderFolderGoesOn(int format) throws Exception {
    Path folder = unpack(format);

    engine = open(folder);

    Await.until("nothing is pending", engine::ledger, () -> engine.ledger().pending() == 0);
    assertThat(arrived).isEqualTo(Map.of(3L, bodies(), 4L, bodies()));
    assertThat(engine.ledger().accepted()).isEqualTo(4 * MESSAGES);
    assertThat(engine.ledger().delivered()).isEqualTo(3 * MESSAGES);
    assertDeadLettersGoOn();
    assertAgrees();
    assertThat(folder.resolve(FolderFormat.FILE)).hasContent("" + FolderFormat.CURRENT);

    engine.close();
    engine = open(folder);
    assertThat(engine.ledger().delivered()).isEqualTo(4 * MESSAGES);
    assertAgrees();
  }

  private void assertDeadLettersGoOn() {
    Subscription second = subscription(2);
    DeliveryReader reader = engine.reader(second);
    DeliveryReader.Page<Position> dead =
        reader.deadLetters(second.number(), DeadLetterFilter.ALL, null, 10, 100);
    List<String> kept = new ArrayList<>();
    for (StoredDelivery each : dead.items()) {
      StoredDelivery whole = Objects.requireNonNull(reader.find(second.number(), each.message()));
      kept.add(new String(Objects.requireNonNull(whole.payload()).body(), UTF_8));
      assertThat(whole.attempts()).isEqualTo(1);
      assertThat(whole.history()).hasSize(1);
      assertThat(whole.last()).contains("410");
    }
    assertThat(kept).containsExactlyInAnyOrderElementsOf(bodies());
    engine
        .backlog(second)
        .redrive(new SweepRequest(DeadLetterFilter.ALL, engine.nowMillis(), null, 10, 0, 0))
        .toCompletableFuture()
        .orTimeout(300, TimeUnit.SECONDS)
        .join();
    Await.until(
        "all are delivered", engine::ledger, () -> engine.ledger().delivered() == 4 * MESSAGES);
    assertThat(arrived.get(2L)).isEqualTo(bodies());
  }

  private Subscription subscription(long number) {
    return Objects.requireNonNull(engine.catalog().findSubscription(number));
  }

  private void assertAgrees() {
    assertThat(engine.ledger().unexplained()).isZero();
    for (DeliveryReader reader : engine.readers()) {
      assertThat(reader.audit().agrees()).isTrue();
    }
  }
}
