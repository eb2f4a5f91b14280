package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import dev.reprise.device.queue.ModelQueue.Item;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

/** Compares queues with {@link ModelQueue} over random operations. */
class QueueModelTest {
  private static final int STEPS = 300;
  private static final Instant WALL_START = Instant.parse("2026-03-01T00:00:00Z");
  private static final SegmentLimits SMALL = new SegmentLimits(1_000, 6, 300);
  private static final List<Priority> PRIORITIES = List.of(Priority.values());

  private SplittableRandom random = new SplittableRandom();
  private long startNanos;
  private long elapsedNanos;
  private QueueSettings settings = QueueSettings.defaults();
  private ModelQueue model = new ModelQueue(settings);
  private MessageQueue queue;
  private FaultyDisk disk = new FaultyDisk();
  private long highestSequence;
  private long highestSyncedSequence;

  @Property(tries = 100)
  void theQueueInMemoryDoesWhatTheModelDoes(@ForAll long seed) throws IOException {
    prepare(seed);
    queue = MessageQueues.open(settings);
    for (int step = 0; step < STEPS; step++) {
      step(random.nextInt(7));
      check();
    }
  }

  @Property(tries = 20)
  void theQueueOnDiskDoesWhatTheModelDoes(@ForAll long seed) throws IOException {
    useJournal(seed);
  }

  @Property(tries = 400)
  @Tag("slow")
  void theQueueOnDiskDoesWhatTheModelDoesOverAndOver(@ForAll long seed) throws IOException {
    useJournal(seed);
  }

  private void useJournal(long seed) throws IOException {
    prepare(seed);
    Path root = Files.createTempDirectory("queue");
    try {
      Path folder = root.resolve("first");
      queue = openJournal(folder);
      for (int step = 0; step < STEPS; step++) {
        int operation = random.nextInt(12);
        if (operation < 9) {
          step(operation);
        } else if (operation == 9) {
          failToSync();
        } else if (random.nextInt(4) == 0) {
          folder = reopen(folder, root.resolve(String.valueOf(step)), random.nextBoolean());
        }
        check();
      }
    } finally {
      queue.close();
      delete(root);
    }
  }

  private void prepare(long seed) {
    random = new SplittableRandom(seed);
    elapsedNanos = 0;
    highestSequence = 0;
    highestSyncedSequence = 0;
    // All times are whole milliseconds from here, and none of them is "never", the highest one.
    long wholeMillis = TimeUnit.MILLISECONDS.toNanos(random.nextLong(1L << 18));
    startNanos = random.nextBoolean() ? random.nextLong() : Long.MAX_VALUE - wholeMillis - 1;
    disk = new FaultyDisk();
    settings =
        new QueueSettings(
            1 + random.nextInt(40),
            200 + random.nextInt(4_000),
            List.of(DropPolicy.values()).get(random.nextInt(3)),
            random.nextBoolean() ? null : Duration.ofMillis(1 + random.nextInt(5_000)),
            null);
    model = new ModelQueue(settings);
  }

  private MessageQueue openJournal(Path folder) throws IOException {
    MessageQueue opened =
        MessageQueues.open(settings, disk, folder, SMALL, () -> WALL_START.plusNanos(elapsedNanos));
    opened.nextExpiryNanos(now());
    return opened;
  }

  private long now() {
    return startNanos + elapsedNanos;
  }

  private void step(int operation) throws IOException {
    switch (operation) {
      case 0, 1 -> offer();
      case 2 -> poll();
      case 3 -> putBack();
      case 4 -> remove();
      case 5 -> elapsedNanos += TimeUnit.MILLISECONDS.toNanos(random.nextInt(2_000));
      case 6 -> expire();
      default -> {
        queue.sync();
        synced();
      }
    }
  }

  private void synced() {
    model.sync();
    highestSyncedSequence = highestSequence;
  }

  private void offer() {
    Message message = anyMessage();
    List<Item> expected = model.offer(message, elapsedNanos);
    Admission admission = queue.offer(message, now());
    if (expected == null) {
      assertThat(admission).isInstanceOf(Admission.Refused.class);
      return;
    }
    Admission.Accepted accepted = (Admission.Accepted) admission;
    assertThat(accepted.sequence()).isGreaterThan(highestSequence);
    highestSequence = accepted.sequence();
    model.lastHas(accepted.sequence());
    assertSame(accepted.dropped(), expected);
  }

  private Message anyMessage() {
    Message.Builder message =
        Message.builder()
            .body(new byte[random.nextInt(random.nextInt(20) == 0 ? 2_000 : 100)])
            .priority(PRIORITIES.get(random.nextInt(3)));
    if (random.nextBoolean()) {
      message.timeToLive(Duration.ofMillis(1 + random.nextInt(8_000)));
    }
    if (random.nextInt(4) == 0) {
      message.contentType("text/plain; ü").property("b", "").property("a", "𝄞");
    }
    return message.build();
  }

  private void poll() throws IOException {
    Item expected = model.poll();
    QueuedMessage polled = queue.poll();
    assertSame(
        polled == null ? List.of() : List.of(polled),
        expected == null ? List.of() : List.of(expected));
  }

  private void putBack() {
    List<Item> inFlight = model.inFlight();
    if (!inFlight.isEmpty()) {
      Item item = inFlight.get(random.nextInt(inFlight.size()));
      item.inFlight = false;
      queue.putBack(item.sequence);
    }
  }

  private void remove() {
    List<Item> candidates = random.nextInt(3) == 0 ? model.items() : model.inFlight();
    long sequence =
        candidates.isEmpty()
            ? random.nextLong(highestSequence + 2)
            : candidates.get(random.nextInt(candidates.size())).sequence;
    model.remove(sequence);
    queue.remove(sequence);
  }

  private void expire() throws IOException {
    int most = 1 + random.nextInt(5);
    List<Item> all = model.expired(elapsedNanos);
    List<QueuedMessage> expired = queue.expire(now(), most);
    assertThat(expired).hasSize(Math.min(most, all.size()));
    List<Long> sequences = expired.stream().map(QueuedMessage::sequence).toList();
    assertSame(expired, all.stream().filter(item -> sequences.contains(item.sequence)).toList());
    sequences.forEach(model::remove);
    if (expired.size() < most) {
      // Else whoever waits for this time would turn in circles.
      long next = queue.nextExpiryNanos(now());
      assertThat(next == Long.MAX_VALUE || next - now() > 0).isTrue();
    }
  }

  private void failToSync() throws IOException {
    disk.failAfterWrites(random.nextInt(3), random.nextInt(60));
    boolean failed = false;
    try {
      queue.sync();
    } catch (IOException e) {
      failed = true;
    }
    disk.heal();
    if (failed) {
      model.rollBack();
    }
    // Which removals a failed sync has made durable is open until the next one.
    queue.sync();
    synced();
  }

  private Path reopen(Path folder, Path next, boolean crash) throws IOException {
    if (crash) {
      copy(folder, next);
      queue.close();
      model.crash();
      highestSequence = highestSyncedSequence;
    } else {
      queue.close();
      next = folder;
      synced();
      model.crash();
    }
    queue = openJournal(next);
    return next;
  }

  private void check() {
    assertThat(queue.messages()).isEqualTo(model.messages());
    assertThat(queue.waiting()).isEqualTo(model.waiting().size());
    assertThat(queue.bytes()).isEqualTo(model.bytes());
    for (Item item : model.waiting()) {
      if (item.expiresNanos != Long.MAX_VALUE) {
        long next = queue.nextExpiryNanos(now());
        assertThat(next).isNotEqualTo(Long.MAX_VALUE);
        assertThat(next - now()).isLessThanOrEqualTo(Math.max(0, item.expiresNanos - elapsedNanos));
      }
    }
  }

  private static void assertSame(List<QueuedMessage> actual, List<Item> expected) {
    assertThat(actual.stream().map(QueuedMessage::sequence).toList())
        .isEqualTo(expected.stream().map(item -> item.sequence).toList());
    assertThat(actual.stream().map(queued -> ModelQueue.content(queued.message())).toList())
        .isEqualTo(expected.stream().map(item -> ModelQueue.content(item.message)).toList());
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              path -> {
                try {
                  Files.delete(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
