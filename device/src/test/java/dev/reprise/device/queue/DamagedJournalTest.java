package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedJournalTest {
  private static final SegmentLimits LIMITS = new SegmentLimits(600, 100, 1L << 30);
  private static final int MESSAGES = 18;

  @TempDir Path folder;
  private final List<Path> logs = new ArrayList<>();
  private final List<byte[]> contents = new ArrayList<>();

  /** Where each message stands: which file, and its first byte and the one behind its last. */
  private record Place(int log, int from, int to) {}

  private final List<Place> places = new ArrayList<>();

  /** Writes three files, the last one of which has several messages. */
  @BeforeEach
  void write() throws IOException {
    try (MessageQueue queue = open()) {
      for (int i = 0; i < MESSAGES; i++) {
        queue.offer(Message.builder().id("m" + i).body("x".repeat(i)).build(), 0);
        queue.sync();
      }
    }
    try (Stream<Path> files = Files.list(folder)) {
      logs.addAll(files.filter(file -> file.toString().endsWith(".log")).sorted().toList());
    }
    for (int log = 0; log < logs.size(); log++) {
      byte[] content = Files.readAllBytes(logs.get(log));
      contents.add(content);
      for (Frame frame : FrameScan.of(content, SegmentHeader.BYTES).frames()) {
        places.add(new Place(log, frame.offset(), frame.end()));
      }
    }
    assertThat(logs.size()).isGreaterThanOrEqualTo(2);
    assertThat(places).hasSize(MESSAGES);
    assertThat(places.get(MESSAGES - 3).log).isEqualTo(logs.size() - 1);
  }

  private MessageQueue open() throws IOException {
    return MessageQueues.open(
        QueueSettings.defaults(), new FaultyDisk(), folder, LIMITS, InstantSource.system());
  }

  private void restore() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    for (int i = 0; i < logs.size(); i++) {
      Files.write(logs.get(i), contents.get(i));
    }
  }

  private List<String> readAll() throws IOException {
    List<String> ids = new ArrayList<>();
    try (MessageQueue queue = open()) {
      for (QueuedMessage next = queue.poll(); next != null; next = queue.poll()) {
        ids.add(next.message().id());
      }
    }
    return ids;
  }

  /** Returns all messages but those that have a byte in this stretch of this file. */
  private List<String> allBut(int log, int from, int to) {
    return IntStream.range(0, MESSAGES)
        .filter(
            i -> {
              Place place = places.get(i);
              return place.log != log || place.to <= from || place.from >= to;
            })
        .mapToObj(i -> "m" + i)
        .toList();
  }

  private boolean isSetAside(int log) {
    return Files.exists(Path.of(logs.get(log) + ".damaged"));
  }

  @Test
  void theLastFileMayEndAnywhereAndAllThatIsWholeIsKept() throws IOException {
    int last = logs.size() - 1;
    byte[] content = contents.get(last);
    for (int length = 0; length < content.length; length++) {
      restore();
      Files.write(logs.get(last), Arrays.copyOf(content, length));
      List<String> expected = allBut(last, length, content.length);

      assertThat(readAll()).as("cut at %d", length).isEqualTo(expected);
      assertThat(isSetAside(last)).isFalse();
      appendsAndKeeps(expected);
    }
  }

  private void appendsAndKeeps(List<String> expected) throws IOException {
    try (MessageQueue queue = open()) {
      queue.offer(Message.builder().id("new").build(), 0);
    }
    List<String> all = new ArrayList<>(expected);
    all.add("new");
    assertThat(readAll()).isEqualTo(all);
  }

  @Test
  void theLastFileMayEndInZeros() throws IOException {
    int last = logs.size() - 1;
    byte[] content = contents.get(last);
    for (int from = 0; from < content.length; from += 7) {
      restore();
      byte[] zeroed = content.clone();
      Arrays.fill(zeroed, from, zeroed.length, (byte) 0);
      Files.write(logs.get(last), zeroed);
      assertThat(readAll()).isEqualTo(allBut(last, from, content.length));
    }
  }

  @Test
  @Tag("slow")
  void aFlippedBitCostsOneMessageAndTheFileIsSetAside() {
    SeededRandom.check(
        random -> {
          try {
            for (int log = 0; log < logs.size(); log++) {
              for (int at = 0; at < contents.get(log).length; at++) {
                flip(log, at, random.nextInt(8));
              }
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void flip(int log, int at, int bit) throws IOException {
    restore();
    byte[] flipped = contents.get(log).clone();
    flipped[at] ^= (byte) (1 << bit);
    Files.write(logs.get(log), flipped);
    List<String> expected = allBut(log, at, at + 1);

    assertThat(readAll()).as("bit %d of byte %d of file %d", bit, at, log).isEqualTo(expected);
    // A write that was cut short looks like damage of the last message.
    boolean looksCut = log == logs.size() - 1 && at >= places.get(MESSAGES - 1).from;
    assertThat(isSetAside(log)).isEqualTo(!looksCut);
    if (!looksCut) {
      assertThat(Files.readAllBytes(Path.of(logs.get(log) + ".damaged"))).isEqualTo(flipped);
    }
    // What was mended stays mended.
    assertThat(readAll()).isEqualTo(expected);
  }

  @Test
  @Tag("slow")
  void aFileInTheMiddleMayBeCutToAnyLength() throws IOException {
    byte[] content = contents.get(0);
    for (int length = SegmentHeader.BYTES + 1; length < content.length; length++) {
      restore();
      Files.write(logs.get(0), Arrays.copyOf(content, length));
      boolean betweenMessages = places.contains(new Place(0, placeFrom(length), length));

      assertThat(readAll()).isEqualTo(allBut(0, length, content.length));
      assertThat(isSetAside(0)).isEqualTo(!betweenMessages);
    }
  }

  private int placeFrom(int end) {
    return places.stream()
        .filter(place -> place.log == 0 && place.to == end)
        .mapToInt(Place::from)
        .findFirst()
        .orElse(-1);
  }

  @Test
  @Tag("slow")
  void whatIsRemovedMayBeCutAnywhereAndOnlyBringsMessagesBack() throws IOException {
    try (MessageQueue queue = open()) {
      for (int i = 0; i < 3; i++) {
        queue.remove(queue.poll().sequence());
      }
    }
    Path removed = Path.of(logs.get(0).toString().replace(".log", ".removed"));
    byte[] content = Files.readAllBytes(removed);
    assertThat(content).hasSize(3 * Frame.HEAD_BYTES);
    for (int length = 0; length < content.length; length++) {
      restore();
      Files.write(removed, Arrays.copyOf(content, length));
      assertThat(readAll()).hasSize(MESSAGES - length / Frame.HEAD_BYTES);
      for (int bit = 0; bit < 8; bit++) {
        restore();
        byte[] flipped = content.clone();
        flipped[length] ^= (byte) (1 << bit);
        Files.write(removed, flipped);
        assertThat(readAll()).hasSize(MESSAGES - 2);
      }
    }
  }
}
