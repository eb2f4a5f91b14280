package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.backup.BackupException;
import dev.reprise.delivery.backup.BackupStream;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.host.FolderFormat;
import dev.reprise.delivery.host.RestoredFolder;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A running engine is backed up, and another one goes on from the backup. */
class BackupTest {
  private static final long MIB = 1L << 20;
  private static final NotificationPolicy NO_RETRY = NotificationPolicy.of(Presets.get("no-retry"));

  @TempDir Path temp;
  private final Set<Integer> arrived = ConcurrentHashMap.newKeySet();
  private volatile boolean stop;
  private volatile int status = 200;
  private DeliveryEngine engine;

  @AfterEach
  void close() {
    stop = true;
    if (engine != null) {
      engine.close();
    }
  }

  /** With so little memory, tables are written and logs used again every few hundred messages. */
  private DeliveryEngine open(Path folder) {
    EngineSettings settings =
        new EngineSettings(
            folder,
            2,
            ShardSettings.DEFAULT,
            new RocksSettings(8 * MIB, MIB, MIB, 0),
            Duration.ZERO);
    return DeliveryEngine.open(settings, catalog -> this::send);
  }

  private void send(Attempt claim, Consumer<AttemptOutcome> done) {
    String body = new String(PayloadRecord.decode(claim.payload()).body(), UTF_8);
    int number = Integer.parseInt(body.substring(0, body.indexOf(' ')));
    int answer = status;
    if (answer == 0) {
      return;
    }
    if (answer == 200) {
      arrived.add(number);
    }
    HttpFailure failure = answer == 200 ? null : HttpFailure.status(answer, null);
    done.accept(
        new AttemptOutcome(failure, answer, "" + answer, "192.0.2.1", new byte[0], 1_000_000));
  }

  private void publish(int number, int bytes) {
    Payload payload =
        new Payload("", new byte[0], (number + " " + "x".repeat(bytes)).getBytes(UTF_8));
    engine
        .publish("orders", payload, JsonMapper.shared().createObjectNode(), null)
        .toCompletableFuture()
        .orTimeout(300, TimeUnit.SECONDS)
        .join();
  }

  private void start() {
    engine = open(temp.resolve("data"));
    engine.putTopic("orders", NO_RETRY);
    engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/hook"));
  }

  private byte[] backup() throws IOException {
    try (BackupStream stream = engine.backup(() -> {})) {
      return stream.readAllBytes();
    }
  }

  private static RestoredFolder restore(byte[] backup, Path folder) throws IOException {
    return restore(new ByteArrayInputStream(backup), folder);
  }

  private static RestoredFolder restore(InputStream in, Path folder) throws IOException {
    return RestoredFolder.restore(in, folder, bytes -> {});
  }

  @Test
  @Tag("slow")
  void everythingAcknowledgedBeforeIsInIt() throws Exception {
    start();
    AtomicInteger next = new AtomicInteger();
    Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
    Semaphore more = new Semaphore(0);
    List<Thread> publishers =
        Stream.generate(() -> new Thread(() -> publishUntilStopped(next, acknowledged, more)))
            .limit(4)
            .toList();
    publishers.forEach(Thread::start);
    for (int i = 0; i < 12; i++) {
      // Half of the time everything fails, so that there are pending ones and dead letters.
      status = i % 2 == 0 ? 200 : 503;
      more.acquire(200);
      Set<Integer> before = new HashSet<>(acknowledged);
      Path folder = temp.resolve("restored-" + i);
      RestoredFolder restored;
      try (BackupStream stream = engine.backup(() -> {})) {
        // Much is written before the first byte is read: into the same logs, if they were shared.
        more.acquire(600);
        restored = restore(stream, folder);
      }
      assertThat(restored.agrees()).as("backup %d: %s", i, restored.ledger()).isTrue();
      assertThat(restored.ledger().accepted()).isGreaterThanOrEqualTo(before.size());
      assertThat(restored.topics()).isEqualTo(1);
      assertThat(restored.subscriptions()).isEqualTo(1);
      if (i == 11) {
        finish(publishers);
        assertGoesOn(folder, before);
      }
    }
  }

  private void publishUntilStopped(AtomicInteger next, Set<Integer> acknowledged, Semaphore more) {
    while (!stop) {
      int number = next.incrementAndGet();
      try {
        publish(number, number % 3 == 0 ? 8000 : 300);
      } catch (CompletionException | EngineClosedException e) {
        return;
      }
      acknowledged.add(number);
      more.release();
    }
  }

  private void finish(List<Thread> publishers) throws InterruptedException {
    stop = true;
    for (Thread publisher : publishers) {
      publisher.join(60_000);
    }
    engine.close();
  }

  /** What had arrived before may arrive again; what had not does. */
  private void assertGoesOn(Path folder, Set<Integer> before) {
    status = 200;
    engine = open(folder);
    Await.until("nothing is pending", engine::ledger, () -> engine.ledger().pending() == 0);
    Set<Integer> missing = new HashSet<>(before);
    missing.removeAll(arrived);
    // Those that failed are dead letters, which are kept.
    assertThat(missing.size()).isLessThanOrEqualTo((int) engine.ledger().deadLettered());
    assertThat(engine.ledger().unexplained()).isZero();
  }

  @Test
  void whatEndedAfterwardsIsAttemptedAgain() throws Exception {
    status = 0;
    start();
    publish(1, 10);
    byte[] backup = backup();
    publish(2, 10);
    engine.close();

    RestoredFolder restored = restore(backup, temp.resolve("restored"));
    assertThat(restored.ledger().pending()).isEqualTo(1);
    assertThat(restored.agrees()).isTrue();

    status = 200;
    engine = open(temp.resolve("restored"));
    Await.until("one is delivered", engine::ledger, () -> engine.ledger().delivered() == 1);
    assertThat(arrived).containsExactly(1);
  }

  @Test
  void oneIsMadeAtATimeAndItsSpaceIsGivenFree() throws Exception {
    start();
    Path copy = temp.resolve("data").resolve("reprise.copy");
    try (BackupStream first = engine.backup(() -> {})) {
      assertThat(first.read()).isGreaterThan(0);
      assertThat(copy).isDirectory();
      assertThatThrownBy(() -> engine.backup(() -> {}))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("there is a copy already");
    }
    assertThat(copy).doesNotExist();
    backup();
  }

  @Test
  void aStartDeletesWhatAKilledProcessLeft() throws Exception {
    start();
    engine.close();
    Path data = temp.resolve("data");
    for (String name : List.of("reprise.copy", "reprise.copy.tmp")) {
      Files.createDirectory(data.resolve(name));
      Files.writeString(data.resolve(name).resolve("000001.sst"), "x");
    }

    engine = open(data);

    assertThat(data.resolve("reprise.copy")).doesNotExist();
    assertThat(data.resolve("reprise.copy.tmp")).doesNotExist();
    assertThat(engine.catalog().topics()).hasSize(1);
  }

  @Test
  void theFolderIsTheOwnersAlone() throws Exception {
    start();
    Path restored = temp.resolve("a").resolve("restored");

    restore(backup(), restored);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(restored)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(restored)) {
      assertThat(files)
          .hasSizeGreaterThan(5)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"));
    }
  }

  @Test
  void aFolderThatIsNotEmptyIsRefusedByName() throws Exception {
    start();
    byte[] backup = backup();
    Path folder = Files.createDirectory(temp.resolve("used"));
    Files.writeString(folder.resolve("mine"), "precious");

    assertThatThrownBy(() -> restore(backup, folder))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("data folder " + folder + " is not empty, it has mine: ");
    assertThat(folder.resolve("mine")).hasContent("precious");

    assertThatThrownBy(() -> restore(backup, temp.resolve("data")))
        .hasMessageContaining("is not empty");
    Files.delete(folder.resolve("mine"));
    Files.createDirectory(folder.resolve("lost+found"));
    assertThat(restore(backup, folder).agrees()).isTrue();
  }

  @Test
  void aDamagedBackupLeavesTheFolderAsItWas() throws Exception {
    start();
    byte[] backup = backup();
    byte[] damaged = backup.clone();
    damaged[damaged.length - 2000] ^= 1;
    Path absent = temp.resolve("absent");
    Path empty = Files.createDirectory(temp.resolve("empty"));
    for (Path folder : List.of(absent, empty)) {
      assertThatThrownBy(() -> restore(damaged, folder)).isInstanceOf(BackupException.class);
      byte[] cut = Arrays.copyOf(backup, backup.length / 2);
      assertThatThrownBy(() -> restore(cut, folder))
          .isInstanceOf(BackupException.class)
          .hasMessageStartingWith("is not whole: it ends within ");
    }
    assertThat(absent).doesNotExist();
    assertThat(empty).isEmptyDirectory();
  }

  /** A restore that is killed leaves its files: never a store that lacks something. */
  @Test
  void aHalfRestoredFolderIsNotStartedOn() throws Exception {
    start();
    byte[] backup = backup();
    Path whole = temp.resolve("whole");
    restore(backup, whole);
    Path half = Files.createDirectory(temp.resolve("half"));
    try (Stream<Path> files = Files.list(whole)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sst")).toList()) {
        Files.copy(file, half.resolve(file.getFileName()));
      }
    }

    assertThatThrownBy(() -> open(half))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is damaged, in " + half.resolve("CURRENT"));
  }

  @Test
  void aBackupOfANewerFormatIsRefusedByName() throws Exception {
    start();
    Path folder = temp.resolve("restored");
    Path files = temp.resolve("files");
    restore(backup(), files);
    byte[] newer;
    try (BackupStream stream =
        BackupStream.of(files, FolderFormat.CURRENT + 1, Instant.EPOCH, () -> {})) {
      newer = stream.readAllBytes();
    }

    assertThatThrownBy(() -> restore(newer, folder))
        .isInstanceOf(BackupException.class)
        .hasMessageStartingWith(
            "was made by a newer version of Reprise (format " + (FolderFormat.CURRENT + 1) + ";");
    assertThat(folder).doesNotExist();
  }
}
