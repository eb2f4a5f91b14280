package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.testkit.SeededRandom;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process in the middle of things, again and again, and looks at what it leaves. */
@Tag("slow")
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

  /** Lets it print so many lines; wherever it is then, it dies. */
  private void runAndKill(SeededRandom random) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                QueueProcess.class.getName(),
                folder.toString(),
                String.valueOf(random.nextLong()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader reader = process.inputReader()) {
      int lines = 1 + random.nextInt(2_000);
      for (int i = 0; i < lines; i++) {
        String line = reader.readLine();
        assertThat(line).as("line %d of a process that does not end by itself", i).isNotNull();
        note(line);
      }
      // Not by the process itself: that would close the stream, and lose what is in it.
      boolean unused = process.toHandle().destroyForcibly();
      drain(reader);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** What it said before it died counts as well; a line without an end does not. */
  private void drain(BufferedReader reader) {
    StringBuilder rest = new StringBuilder();
    try {
      for (int c = reader.read(); c >= 0; c = reader.read()) {
        rest.append((char) c);
      }
    } catch (IOException e) {
      // The stream of a killed process may end like this.
    }
    int end = rest.lastIndexOf("\n");
    if (end >= 0) {
      rest.substring(0, end).lines().forEach(this::note);
    }
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
    try (MessageQueue queue = QueueProcess.open(folder)) {
      for (QueuedMessage next = queue.poll(); next != null; next = queue.poll()) {
        String id = promised.get(next.sequence());
        if (id != null) {
          assertThat(next.message().id()).isEqualTo(id);
        }
        found.add(next.sequence());
        promised.put(next.sequence(), next.message().id());
      }
    }
    assertThat(found).isSorted().doesNotHaveDuplicates().doesNotContainAnyElementsOf(gone);
    Set<Long> lost = new HashSet<>(promised.keySet());
    found.forEach(lost::remove);
    assertThat(doubtful).as("may be missing").containsAll(lost);
    lost.forEach(promised::remove);
    gone.addAll(lost);
    doubtful.clear();
  }
}
