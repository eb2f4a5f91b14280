package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalQueueTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir Path folder;
  private final FaultyDisk disk = new FaultyDisk();
  private QueueSettings settings = QueueSettings.defaults().withBounds(100_000, 1L << 30);
  private SegmentLimits limits = SegmentLimits.DEFAULT;
  private Instant wallTime = NOON;
  private MessageQueue queue;

  @BeforeEach
  void open() throws IOException {
    queue = MessageQueues.open(settings, disk, folder, limits, () -> wallTime);
    queue.nextExpiryNanos(0);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void reopen() throws IOException {
    queue.close();
    open();
  }

  private long offer(String id) {
    return offer(Message.builder().id(id).build());
  }

  private long offer(Message message) {
    return ((Admission.Accepted) queue.offer(message, 0)).sequence();
  }

  private static Message lasting(String id, Duration timeToLive) {
    return Message.builder().id(id).timeToLive(timeToLive).build();
  }

  private List<String> pollAll() throws IOException {
    List<String> ids = new ArrayList<>();
    for (QueuedMessage polled = queue.poll(); polled != null; polled = queue.poll()) {
      ids.add(polled.message().id());
    }
    return ids;
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private long diskBytes() throws IOException {
    long bytes = 0;
    for (Path file : files("")) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  @Test
  void keepsMessagesAndTheirOrderOverARestart() throws IOException {
    offer("a");
    long b = offer("b");
    offer("c");
    queue.poll();
    queue.remove(b);
    reopen();

    assertThat(queue.isDurable()).isTrue();
    assertThat(queue.waiting()).isEqualTo(2);
    assertThat(pollAll()).containsExactly("a", "c");
  }

  @Test
  void keepsAllThatAMessageSays() throws IOException {
    Message message =
        Message.builder()
            .id("ü𝄞")
            .body(new byte[] {0, -1, 7})
            .contentType("text/plain")
            .property("z", "1")
            .property("a", "")
            .priority(Priority.HIGH)
            .timeToLive(Duration.ofDays(1).plusNanos(3))
            .build();
    offer(message);
    reopen();

    QueuedMessage read = queue.poll();
    assertThat(ModelQueue.content(read.message())).isEqualTo(ModelQueue.content(message));
    assertThat(queue.bytes()).isEqualTo(message.sizeBytes());
  }

  @Test
  void aSyncForcesTheDiskOnceForAllMessagesAndNotAtAllForRemovals() throws IOException {
    int before = disk.forces();
    List<Long> sequences = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      sequences.add(offer("m" + i));
    }
    queue.sync();
    assertThat(disk.forces()).isEqualTo(before + 1);
    sequences.forEach(queue::remove);
    queue.sync();
    queue.sync();
    assertThat(disk.forces()).isEqualTo(before + 1);
  }

  @Test
  void handsOutWhatIsNotYetSynced() throws IOException {
    offer("a");
    assertThat(pollAll()).containsExactly("a");
  }

  @Test
  void givesNoSequenceTwiceEvenIfAllMessagesAreGone() throws IOException {
    long synced = offer("a");
    queue.sync();
    queue.remove(synced);
    reopen();
    long unsynced = offer("b");
    assertThat(unsynced).isGreaterThan(synced);
    queue.remove(unsynced);
    queue.sync();
    reopen();
    assertThat(offer("c")).isGreaterThan(unsynced);
  }

  @Test
  void aSecondQueueInTheSameFolderIsRefused() throws IOException {
    QueueSettings here = settings.inFolder(folder);
    assertThatThrownBy(() -> MessageQueues.open(here))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("folder " + folder + " is in use");

    queue.close();
    MessageQueues.open(here).close();
  }

  @Test
  void createsItsFolder() throws IOException {
    Path below = folder.resolve("a/b");
    try (MessageQueue other = MessageQueues.open(settings.inFolder(below))) {
      assertThat(other.messages()).isZero();
    }
    assertThat(below).isDirectory();
  }

  @Test
  void anInterruptedThreadLosesNothingAndStaysInterrupted() throws IOException {
    queue.close();
    Thread.currentThread().interrupt();
    try (MessageQueue real = MessageQueues.open(settings.inFolder(folder))) {
      real.offer(Message.of("a"), 0);
      real.sync();
      assertThat(real.poll()).isNotNull();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void refusesAFolderOfANewerVersionAndLeavesItAsItIs() throws IOException {
    offer("a");
    queue.close();
    Path log = files(".log").get(0);
    byte[] bytes = Files.readAllBytes(log);
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.wrap(bytes).putInt(8, 2).array(), 0, 28);
    Files.write(log, ByteBuffer.wrap(bytes).putInt(28, (int) crc.getValue()).array());

    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("format version of " + log + " is 2: must be 1");
    assertThat(Files.readAllBytes(log)).isEqualTo(bytes);
  }

  @Test
  void aFullDiskTakesBackWhatWasOfferedAndLaterAllIsWellAgain() throws IOException {
    offer("a");
    queue.sync();
    offer("b");
    queue.poll();
    offer("c");
    queue.poll();
    long bytes = Files.size(files(".log").get(0));
    disk.failAfterWrites(0, 50);

    assertThatThrownBy(queue::sync).hasMessage("No space left on device");
    assertThat(queue.messages()).isEqualTo(1);
    assertThat(queue.waiting()).isZero();
    assertThat(queue.poll()).isNull();
    assertThat(Files.size(files(".log").get(0))).isEqualTo(bytes);

    disk.heal();
    offer("d");
    queue.sync();
    reopen();
    assertThat(pollAll()).containsExactly("a", "d");
  }

  @Test
  void whatCannotBeForcedIsTakenBack() throws IOException {
    offer("a");
    queue.sync();
    offer("b");
    disk.failToForce();
    assertThatThrownBy(queue::sync).hasMessage("Input/output error");
    disk.heal();
    reopen();
    assertThat(pollAll()).containsExactly("a");
  }

  @Test
  void theRestOfAFailedWriteIsCutOffBeforeAnythingFollowsIt() throws IOException {
    offer(Message.builder().id("long").body(new byte[500]).build());
    disk.failAfterWrites(0, 400);
    disk.failToTruncate();
    assertThatThrownBy(queue::sync).hasMessage("No space left on device");
    disk.heal();
    disk.failToTruncate();
    offer("b");
    assertThatThrownBy(queue::sync).hasMessage("Input/output error");
    assertThat(queue.messages()).isZero();

    disk.heal();
    offer("c");
    queue.sync();
    reopen();
    assertThat(pollAll()).containsExactly("c");
    assertThat(files(".damaged")).isEmpty();
  }

  @Test
  void aRemovalThatCannotBeWrittenIsWrittenLater() throws IOException {
    long a = offer("a");
    offer("b");
    queue.sync();
    queue.remove(a);
    disk.failAfterWrites(0, 5);
    queue.sync();
    disk.heal();
    reopen();
    assertThat(pollAll()).containsExactly("b");
  }

  @Test
  void deletesFilesOfWhichAllMessagesAreGone() throws IOException {
    limits = new SegmentLimits(2_000, 100, 1L << 30);
    reopen();
    List<Long> sequences = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      sequences.add(offer("m" + i));
      queue.sync();
    }
    assertThat(files(".log").size()).isGreaterThan(3);
    sequences.forEach(queue::remove);
    queue.sync();
    assertThat(files(".log")).hasSize(1);
    assertThat(files(".removed").size()).isLessThanOrEqualTo(1);
  }

  @Test
  void makesRoomOnAFullDiskAsMessagesGoEvenWhileNewOnesFail() throws IOException {
    limits = new SegmentLimits(2_000, 20, 1L << 30);
    reopen();
    List<Long> sequences = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      sequences.add(offer("m" + i));
      queue.sync();
    }
    disk.failAfterWrites(0, 0);
    sequences.subList(0, 150).forEach(queue::remove);
    int before = files(".log").size();
    offer("new");

    assertThatThrownBy(queue::sync).hasMessage("No space left on device");
    assertThat(files(".log").size()).isLessThan(before / 2);
    disk.heal();
    reopen();
    assertThat(pollAll()).hasSize(50).startsWith("m150");
  }

  @Test
  void takesNoMoreDiskThanItsBoundEvenIfOldMessagesStay() throws IOException {
    limits = new SegmentLimits(4_096, 64, 8_192);
    reopen();
    List<Long> gone = new ArrayList<>();
    long liveBytes = 0;
    for (int i = 0; i < 3_000; i++) {
      long sequence = offer("message " + i);
      if (i % 50 == 0) {
        liveBytes += Frame.HEAD_BYTES + 14 + ("message " + i).length();
      } else {
        gone.add(sequence);
      }
      if (i % 5 == 0) {
        queue.sync();
        gone.forEach(queue::remove);
        gone.clear();
        queue.sync();
        int activeBytes = 4_096 + 5 * 45 + 64 * 17 + 5 * 17;
        long bound =
            2 * liveBytes + 8_192 + (long) SegmentHeader.BYTES * files(".log").size() + activeBytes;
        assertThat(diskBytes()).isLessThanOrEqualTo(bound);
      }
    }
    gone.forEach(queue::remove);
    queue.sync();
    assertThat(files(".log").size()).isLessThan(10);
    reopen();
    assertThat(pollAll()).hasSize(60).startsWith("message 0", "message 50");
  }

  @Test
  void whatDiedInTheMiddleOfMergingFilesIsFinishedByTheNextStart() throws IOException {
    limits = new SegmentLimits(500, 100, 1L << 30);
    reopen();
    List<Long> sequences = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      sequences.add(offer("m" + i));
      queue.sync();
    }
    for (int i = 0; i < 40; i++) {
      if (i % 8 != 0) {
        queue.remove(sequences.get(i));
      }
    }
    queue.sync();
    List<Path> before = files("");
    List<byte[]> contents = new ArrayList<>();
    for (Path file : before) {
      contents.add(Files.readAllBytes(file));
    }
    limits = new SegmentLimits(500, 100, 0);
    reopen();
    queue.sync();
    int merged = files(".log").size();
    queue.close();
    // The merged file is there, and none of those that it replaces is deleted yet.
    for (int i = 0; i < before.size(); i++) {
      if (!Files.exists(before.get(i))) {
        Files.write(before.get(i), contents.get(i));
      }
    }
    Files.write(folder.resolve("0000000000000000009.log.temporary"), new byte[100]);
    assertThat(files(".log").size()).isGreaterThan(merged);

    open();
    assertThat(files(".log")).hasSize(merged);
    assertThat(files(".temporary")).isEmpty();
    assertThat(pollAll()).containsExactly("m0", "m8", "m16", "m24", "m32");
  }

  @Test
  void timeToLiveGoesOnWhileTheProcessIsDown() throws IOException {
    settings = settings.withTimeToLive(Duration.ofSeconds(100));
    reopen();
    offer("default");
    offer(lasting("short", Duration.ofSeconds(10)));
    wallTime = NOON.plusSeconds(7);
    reopen();

    assertThat(queue.nextExpiryNanos(0)).isEqualTo(3 * SECOND);
    assertThat(queue.expire(3 * SECOND - 1, 10)).isEmpty();
    assertThat(queue.expire(3 * SECOND, 10)).hasSize(1);
    assertThat(queue.expire(93 * SECOND - 1, 10)).isEmpty();
    assertThat(queue.expire(93 * SECOND, 10)).hasSize(1);
  }

  @Test
  void whatExpiredWhileTheProcessWasDownIsToldOf() throws IOException {
    offer(lasting("a", Duration.ofSeconds(10)));
    wallTime = NOON.plusSeconds(3_600);
    reopen();
    assertThat(queue.nextExpiryNanos(5)).isEqualTo(5);
    assertThat(queue.expire(5, 10)).hasSize(1);
  }

  @Test
  void aWallClockThatWentBackGivesTheWholeTimeToLiveAndNoMore() throws IOException {
    offer(lasting("a", Duration.ofSeconds(10)));
    wallTime = Instant.EPOCH.plusSeconds(30);
    reopen();
    assertThat(queue.expire(10 * SECOND - 1, 10)).isEmpty();
    assertThat(queue.expire(10 * SECOND, 10)).hasSize(1);
  }

  @Test
  void whatWasAcceptedBeforeTheClockWasSetDoesNotExpireWhenItIs() throws IOException {
    wallTime = Instant.EPOCH.plusSeconds(30);
    reopen();
    offer(lasting("a", Duration.ofSeconds(10)));
    wallTime = NOON;
    reopen();
    assertThat(queue.expire(10 * SECOND - 1, 10)).isEmpty();
    assertThat(queue.expire(10 * SECOND, 10)).hasSize(1);
  }

  @Test
  void aWallClockThatLeapsWhileTheProcessRunsChangesNothing() throws IOException {
    limits = new SegmentLimits(200, 2, 1L << 30);
    reopen();
    for (int i = 0; i < 10; i++) {
      offer(lasting("m" + i, Duration.ofSeconds(10)));
      queue.sync();
      wallTime = wallTime.plusSeconds(100_000);
    }
    // Most files are not loaded any more, and read again.
    assertThat(queue.expire(10 * SECOND - 1, 100)).isEmpty();
    assertThat(queue.expire(10 * SECOND, 100)).hasSize(10);
  }

  @Test
  void closingTwiceIsClosingOnce() throws IOException {
    offer("a");
    queue.close();
    queue.close();
    open();
    assertThat(queue.messages()).isEqualTo(1);
  }
}
