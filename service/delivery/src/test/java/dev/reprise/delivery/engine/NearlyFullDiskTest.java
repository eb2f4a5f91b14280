package dev.reprise.delivery.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * An engine on a disk that it has filled itself: a file system of its own, which only root may
 * mount. Endpoints answer each attempt with a page of noise.
 */
@Tag("slow")
class NearlyFullDiskTest {
  private static final long MIB = 1L << 20;
  private static final int PAGE_BYTES = 1024;
  private static final NotificationPolicy NO_RETRY = NotificationPolicy.of(Presets.get("no-retry"));

  private record Waiting(Attempt claim, Consumer<AttemptOutcome> done) {}

  @TempDir Path temp;
  private Path disk;
  private final ExecutorService endpoint = Executors.newSingleThreadExecutor();
  private final LinkedBlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
  private final Random bodies = new Random(1);
  private volatile int status;
  private DeliveryEngine engine;

  private void mount(int mib) throws Exception {
    disk = Files.createDirectory(temp.resolve("disk"));
    boolean mounted =
        run("mount", "-t", "tmpfs", "-o", "size=" + mib + "m", "tmpfs", disk.toString());
    assumeTrue(mounted, "SKIPPED: a full disk needs `mount -t tmpfs`, which needs root");
  }

  @BeforeEach
  void hang() {
    status = 0;
  }

  @AfterEach
  void unmount() throws Exception {
    status = 200;
    endpoint.shutdownNow();
    if (engine != null) {
      engine.close();
    }
    run("umount", "--lazy", disk.toString());
  }

  private void open() {
    waiting.clear();
    EngineSettings settings =
        new EngineSettings(
            disk.resolve("data"),
            1,
            ShardSettings.DEFAULT.withHoldAfter(0),
            new RocksSettings(16 * MIB, 4 * MIB, 8 * MIB, 24 * MIB),
            Duration.ZERO);
    engine = DeliveryEngine.open(settings, catalog -> this::send);
  }

  private void send(Attempt claim, Consumer<AttemptOutcome> done) {
    waiting.add(new Waiting(claim, done));
    answer();
  }

  /** What waits is answered, unless the endpoint hangs. */
  private void answer() {
    if (status != 0) {
      endpoint.execute(
          () -> {
            Waiting next;
            while ((next = waiting.poll()) != null) {
              next.done().accept(outcome());
            }
          });
    }
  }

  private AttemptOutcome outcome() {
    byte[] page = new byte[PAGE_BYTES];
    ThreadLocalRandom.current().nextBytes(page);
    HttpFailure failure = status == 200 ? null : HttpFailure.status(status, null);
    return new AttemptOutcome(failure, status, "" + status, "192.0.2.1", page, 1_000_000);
  }

  private void endpointAnswers(int status) {
    this.status = status;
    answer();
  }

  private Subscription subscribe(String topic) {
    engine.putTopic(topic, NO_RETRY);
    return engine.subscribe(topic, SubscriptionSettings.of("http://192.0.2.1/hook"));
  }

  private CompletionStage<PublishReceipt> publish(String topic, int bytes) {
    byte[] body = new byte[bytes];
    bodies.nextBytes(body);
    return engine.publish(
        topic, new Payload("", new byte[0], body), JsonMapper.shared().createObjectNode(), null);
  }

  /** RocksDB looks every five seconds whether a disk that was full has space again. */
  private boolean isAccepted(String topic) {
    try {
      publish(topic, 300).toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
      return true;
    } catch (StoreException e) {
      return refused(e);
    } catch (CompletionException e) {
      return refused(e.getCause());
    }
  }

  private static boolean refused(Throwable e) {
    assertThat(e).isInstanceOfSatisfying(StoreException.class, f -> assertThat(f.full()).isTrue());
    return false;
  }

  /** Publishes until the engine refuses for want of space; returns how many it accepted. */
  private int publishUntilFull(String topic, int bytes) {
    int accepted = 0;
    while (true) {
      List<CompletableFuture<PublishReceipt>> published = new ArrayList<>();
      try {
        for (int i = 0; i < 256; i++) {
          published.add(publish(topic, bytes).toCompletableFuture());
        }
      } catch (StoreException e) {
        assertThat(e.full()).as("%s", e.getMessage()).isTrue();
        return accepted + joinAll(published);
      }
      accepted += joinAll(published);
    }
  }

  private static int joinAll(List<CompletableFuture<PublishReceipt>> published) {
    int accepted = 0;
    for (CompletableFuture<PublishReceipt> each : published) {
      try {
        each.orTimeout(300, TimeUnit.SECONDS).join();
        accepted++;
      } catch (CompletionException e) {
        assertThat(e.getCause()).isInstanceOf(StoreException.class);
      }
    }
    return accepted;
  }

  /**
   * As long as something goes on, it is waited for; history that makes room moves files, and no
   * count.
   */
  private void await(String what, BooleanSupplier condition) {
    Await.value(what, () -> engine.ledger() + ", " + files(), seen -> condition.getAsBoolean());
  }

  /** What takes the space, but for RocksDB's diary, which grows while nothing else moves. */
  private String files() {
    try (Stream<Path> files = Files.walk(disk)) {
      return files
          .filter(file -> Files.isRegularFile(file) && !file.getFileName().startsWith("LOG"))
          .map(file -> file.getFileName() + " " + file.toFile().length())
          .collect(Collectors.joining(", "));
    } catch (IOException | UncheckedIOException e) {
      return e.toString();
    }
  }

  private void assertAgrees() {
    for (DeliveryReader reader : engine.readers()) {
      reader.recount().forEach((number, count) -> assertThat(count.agrees()).isTrue());
    }
  }

  @Test
  void aBacklogThatFilledTheDiskIsDeliveredToTheEnd() throws Exception {
    mount(80);
    open();
    subscribe("orders");
    // Small messages: the page that answers each of them is larger than the message was.
    int accepted = publishUntilFull("orders", 300);
    assertThat(accepted).isGreaterThan(20_000);

    endpointAnswers(200);

    await("drained", () -> engine.ledger().pending() == 0);
    // A publish that was refused in the middle of a write may have been stored all the same.
    assertThat(engine.ledger().delivered())
        .isEqualTo(engine.ledger().accepted())
        .isGreaterThanOrEqualTo(accepted);
    await("space", () -> engine.store().hasSpaceFor(0));
    await("publishing goes on", () -> isAccepted("orders"));
    assertAgrees();
  }

  @Test
  void aFullDiskIsStartedOnAndDeletionsMakeSpace() throws Exception {
    mount(80);
    open();
    Subscription orders = subscribe("orders");
    Subscription failing = subscribe("failing");
    int dead = 3_000;
    for (int i = 0; i < dead; i += 250) {
      List<CompletableFuture<PublishReceipt>> some = new ArrayList<>();
      for (int j = 0; j < 250; j++) {
        some.add(publish("failing", 900).toCompletableFuture());
      }
      assertThat(joinAll(some)).isEqualTo(250);
    }
    endpointAnswers(410);
    await("dead", () -> engine.ledger().deadLettered() == dead);
    endpointAnswers(0);
    publishUntilFull("orders", 900);
    engine.close();
    engine = null;
    // Somebody else takes the rest, but for 2 MiB and what the ballast is or was: filling the disk
    // may have taken it for a moment's compaction.
    boolean kept = Files.exists(disk.resolve("data").resolve("reprise.ballast"));
    long left = (kept ? 2 : 14) * MIB;
    fill(disk.resolve("rest"), Files.getFileStore(disk).getUsableSpace() - left);

    open();
    assertThatThrownBy(() -> publish("orders", 900)).isInstanceOf(StoreException.class);
    SweepProgress purged =
        engine
            .backlog(failing)
            .purge(new SweepRequest(DeadLetterFilter.ALL, engine.nowMillis(), null, dead, 0, 0))
            .toCompletableFuture()
            .orTimeout(300, TimeUnit.SECONDS)
            .join();
    assertThat(purged.changed()).isEqualTo(dead);
    engine.unsubscribe(orders.id());
    engine.deleteTopic("orders");
    await("deleted", () -> engine.ledger().pending() == 0);

    await("space", () -> engine.store().hasSpaceFor(0));
    endpointAnswers(200);
    await("publishing goes on", () -> isAccepted("failing"));
    await("delivered", () -> engine.ledger().delivered() >= 1);
    assertAgrees();
  }

  private static void fill(Path file, long bytes) throws IOException {
    byte[] block = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (long left = bytes; left > 0; left -= block.length) {
        out.write(block);
      }
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
