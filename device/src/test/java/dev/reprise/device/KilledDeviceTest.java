package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.message.Message;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueuedMessage;
import dev.reprise.fixtures.Mosquitto;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a device that drains its queue on disk, again and again: no outcome is told twice. */
@Tag("slow")
class KilledDeviceTest {
  private static final int MESSAGES = 50_000;
  private static final int OUTCOMES_BEFORE_A_KILL = 1_000;

  @TempDir Path folder;

  @Test
  void aBacklogThatDrainsThroughKillsIsToldOnce() throws Exception {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      String hub = "mqtt://localhost:" + broker.port() + "?version=5";
      enqueue(hub);
      Set<String> told = new HashSet<>();
      int left = MESSAGES;
      for (int kill = 0; kill < 3 && left > 0; kill++) {
        for (String id : toldUntilKilled(hub, Math.min(left, OUTCOMES_BEFORE_A_KILL))) {
          assertThat(told.add(id)).as("%s is told once", id).isTrue();
        }
        List<String> onDisk = leftOnDisk();
        assertThat(onDisk).doesNotContainAnyElementsOf(told);
        left = onDisk.size();
      }
    }
  }

  private void enqueue(String hub) throws Exception {
    try (DeviceClient client =
        DeviceClient.builder(HubProfiles.fromUri(URI.create(hub), "device-1"))
            .queue(DeviceProcess.settings(folder.resolve("queue")))
            .build()) {
      List<CompletableFuture<?>> stored = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        stored.add(client.enqueue(Message.builder().id("m-" + i).build()).toCompletableFuture());
      }
      CompletableFuture.allOf(stored.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
    }
  }

  /** Returns the ids of which the process told the end before it was killed. */
  private List<String> toldUntilKilled(String hub, int outcomes) throws Exception {
    Path said = folder.resolve("said");
    Process process = start(hub, said);
    try {
      while (lines(said).size() < outcomes) {
        assertThat(process.waitFor(2, TimeUnit.MILLISECONDS)).as("it ends by itself").isFalse();
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    List<String> told = lines(said);
    assertThat(told).allMatch(line -> line.startsWith("ACKNOWLEDGED "));
    return told.stream().map(line -> line.substring("ACKNOWLEDGED ".length())).toList();
  }

  private List<String> leftOnDisk() throws Exception {
    List<String> ids = new ArrayList<>();
    try (MessageQueue queue = MessageQueues.open(DeviceProcess.settings(folder.resolve("queue")))) {
      for (QueuedMessage next = queue.poll(); next != null; next = queue.poll()) {
        ids.add(next.message().id());
      }
    }
    return ids;
  }

  private Process start(String hub, Path said) throws Exception {
    // Not through a pipe: what the JDK takes out of one when the process dies may never be seen.
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            DeviceProcess.class.getName(),
            hub,
            folder.resolve("queue").toString())
        .redirectOutput(said.toFile())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** A line without an end does not count. */
  private static List<String> lines(Path said) throws Exception {
    String all = Files.readString(said);
    return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
  }
}
