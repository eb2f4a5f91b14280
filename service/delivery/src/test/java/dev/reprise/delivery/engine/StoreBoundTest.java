package dev.reprise.delivery.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A store with a bound of some megabytes: history makes room, pending deliveries stay. */
@Tag("slow")
class StoreBoundTest {
  private static final long MIB = 1L << 20;
  private static final long BOUND = 64 * MIB;
  private static final int PAGE_BYTES = 1024;
  private static final NotificationPolicy NO_RETRY = NotificationPolicy.of(Presets.get("no-retry"));

  private record Waiting(Attempt claim, Consumer<AttemptOutcome> done) {}

  @TempDir Path temp;
  private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private final Random bodies = new Random(1);
  private volatile int status;
  private DeliveryEngine engine;

  private void open() {
    EngineSettings settings =
        new EngineSettings(
            temp.resolve("data"),
            1,
            ShardSettings.DEFAULT.withHoldAfter(0).withHistoryBytes(1 << 30),
            new RocksSettings(16 * MIB, 4 * MIB, 8 * MIB, 0).withMaxBytes(BOUND),
            Duration.ZERO);
    engine = DeliveryEngine.open(settings, catalog -> this::send);
  }

  @AfterEach
  void close() {
    if (engine != null) {
      engine.close();
    }
  }

  private void send(Attempt claim, Consumer<AttemptOutcome> done) {
    int answer = status;
    if (answer == 0) {
      waiting.add(new Waiting(claim, done));
    } else {
      done.accept(outcome(answer));
    }
  }

  /** Noise, which no table can make smaller. */
  private static AttemptOutcome outcome(int status) {
    byte[] page = new byte[PAGE_BYTES];
    ThreadLocalRandom.current().nextBytes(page);
    HttpFailure failure = status == 200 ? null : HttpFailure.status(status, null);
    return new AttemptOutcome(failure, status, "" + status, "192.0.2.1", page, 1_000_000);
  }

  private void endpointAnswers(int answer) {
    status = answer;
    Waiting next;
    while ((next = waiting.poll()) != null) {
      next.done().accept(outcome(answer));
    }
  }

  private Subscription subscribe() {
    engine.putTopic("orders", NO_RETRY);
    return engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/hook"));
  }

  private CompletableFuture<PublishReceipt> publish(int bytes) {
    byte[] body = new byte[bytes];
    bodies.nextBytes(body);
    return engine
        .publish(
            "orders",
            new Payload("", new byte[0], body),
            JsonMapper.shared().createObjectNode(),
            null)
        .toCompletableFuture();
  }

  /** Publishes so many; returns why one was refused, or null. */
  private String publish(int count, int bytes) {
    List<CompletableFuture<PublishReceipt>> published = new ArrayList<>();
    String refused = null;
    try {
      for (int i = 0; i < count; i++) {
        published.add(publish(bytes));
      }
    } catch (StoreException e) {
      assertThat(e.full()).as("%s", e.getMessage()).isTrue();
      refused = e.getMessage();
    }
    for (CompletableFuture<PublishReceipt> each : published) {
      try {
        each.orTimeout(300, TimeUnit.SECONDS).join();
      } catch (CompletionException e) {
        throw new AssertionError(e);
      }
    }
    return refused;
  }

  /** As long as something goes on, it is waited for. */
  private void await(String what, BooleanSupplier condition) {
    Await.value(what, () -> engine.ledger(), seen -> condition.getAsBoolean());
  }

  private void assertAgrees() {
    assertThat(engine.ledger().unexplained()).isZero();
    for (DeliveryReader reader : engine.readers()) {
      assertThat(reader.audit().agrees()).isTrue();
    }
  }

  @Test
  void publishesAreRefusedAtTheBoundUntilTheBacklogIsDelivered() {
    open();
    subscribe();
    String refused = null;
    while (refused == null) {
      refused = publish(64, 4000);
    }
    assertThat(refused)
        .matches(
            "the store has [\\d,]+ bytes \\([\\d.]+ MiB\\), and its bound \\(store-bytes\\) is "
                + Pattern.quote(AmountText.bytes(BOUND))
                + ": [\\d,]+ bytes.* more needed\\. Raise --store-bytes, .*");
    long accepted = engine.ledger().accepted();
    // Logs that no table has yet and tables that are being merged take the rest.
    assertThat(accepted * 4000).isGreaterThan(BOUND / 4);
    assertThat(engine.ledger().pending()).isEqualTo(accepted);
    assertAgrees();

    endpointAnswers(200);

    await("delivered", () -> engine.ledger().pending() == 0);
    await("room", () -> publish(1, 4000) == null);
    assertThat(engine.ledger().delivered()).isGreaterThanOrEqualTo(accepted);
    await("delivered", () -> engine.ledger().pending() == 0);
    assertAgrees();
  }

  @Test
  void theOldestHistoryMakesRoomForWhatIsNew() {
    open();
    Subscription orders = subscribe();
    status = 200;
    // Each delivery leaves more than 1 KiB of history: in all much more than the bound.
    for (int i = 0; i < 400; i++) {
      await("room", () -> publish(256, 100) == null);
    }
    await("delivered", () -> engine.ledger().pending() == 0);
    assertThat(engine.ledger().accepted() * PAGE_BYTES).isGreaterThan(BOUND * 3 / 2);
    await("history has gone", () -> engine.store().diskBytes() < BOUND);
    assertThat(engine.reader(orders).ledger(orders.number()).delivered())
        .isEqualTo(engine.ledger().accepted());
    assertAgrees();
  }

  @Test
  void deadLettersStayAtTheBound() {
    open();
    subscribe();
    status = 410;
    String refused = null;
    while (refused == null) {
      refused = publish(64, 30_000);
    }
    await("dead", () -> engine.ledger().pending() == 0);
    assertThat(engine.ledger().deadLettered()).isEqualTo(engine.ledger().accepted());
    assertAgrees();
  }
}
