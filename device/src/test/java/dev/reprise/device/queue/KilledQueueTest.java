package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process in the middle of things, again and again, and looks at what it leaves. */
@Tag("slow")
@Timeout(300)
class KilledQueueTest {
  private static final int KILLS = 12;

  @TempDir Path folder;

  /** The ids of those that must be there, by sequence. */
  private final Map<Long, String> promised = new TreeMap<>();

  /** Those that may be there, or not: the process died between the removal and its sync. */
  private final Set<Long> doubtful = new HashSet<>();

  private final Set<Long> gone = new HashSet<>();
  private long highest;

  @Test
  void nothingThatWasSyncedIsLostAndNothingThatWasRemovedComesBack() {
    SeededRandom.check(
        random -> {
          try {
            for (int kill = 0; kill < KILLS; kill++) {
              runAndKill(random);
              check();
            }
            assertThat(gone).hasSizeGreaterThan(KILLS);
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** Lets it say so many bytes; wherever it is then, it dies. What it said by then counts. */
  private void runAndKill(SeededRandom random) throws IOException, InterruptedException {
    // Not through a pipe: while one is read, the JDK empties it when the process dies, and what it
    // takes may never be seen.
    Path said = folder.resolve("said");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                QueueProcess.class.getName(),
                queueFolder().toString(),
                String.valueOf(random.nextLong()))
            .redirectOutput(said.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      long bytes = 1L + random.nextInt(40_000);
      while (Files.size(said) < bytes) {
        assertThat(process.waitFor(2, TimeUnit.MILLISECONDS)).as("it ends by itself").isFalse();
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    String all = Files.readString(said);
    // A line without an end does not count.
    all.substring(0, all.lastIndexOf('\n') + 1).lines().forEach(this::note);
  }

  private Path queueFolder() {
    return folder.resolve("queue");
  }

  private void note(String line) {
    char what = line.charAt(0);
    String[] words = line.substring(1).split(" ", 2);
    long sequence = Long.parseLong(words[0]);
    if (what == '+') {
      assertThat(sequence).isGreaterThan(highest);
      highest = sequence;
      promised.put(sequence, words[1]);
    } else if (what == '?') {
      doubtful.add(sequence);
    } else {
      promised.remove(sequence);
      doubtful.remove(sequence);
      gone.add(sequence);
    }
  }

  private void check() throws IOException {
    List<Long> found = new ArrayList<>();
    try (MessageQueue queue = QueueProcess.open(queueFolder())) {
      for (QueuedMessage next = queue.poll(); next != null; next = queue.poll()) {
        String id = promised.get(next.sequence());
        if (id != null) {
          assertThat(next.message().id()).isEqualTo(id);
        }
        found.add(next.sequence());
        promised.put(next.sequence(), next.message().id());
      }
    }
    // It may have died before anything was gone.
    assertThat(found).isSorted().doesNotHaveDuplicates().noneMatch(gone::contains);
    Set<Long> lost = new HashSet<>(promised.keySet());
    found.forEach(lost::remove);
    assertThat(doubtful).as("may be missing").containsAll(lost);
    lost.forEach(promised::remove);
    gone.addAll(lost);
    doubtful.clear();
  }
}
