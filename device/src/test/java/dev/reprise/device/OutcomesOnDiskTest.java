package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.queue.QueuedMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * At every moment at which an outcome is told, looks at what a process that is killed just then
 * would leave on disk: not the message whose end was told.
 */
class OutcomesOnDiskTest extends ScriptedDevice {
  @TempDir Path folder;

  private final List<String> toldTwiceAfterAKill = new ArrayList<>();
  private int kills;

  private void onOutcome(MessageOutcome outcome) {
    outcomes.add(outcome);
    if (leftOnDisk().contains(outcome.messageId())) {
      toldTwiceAfterAKill.add(outcome.kind() + " " + outcome.messageId());
    }
  }

  private Set<String> leftOnDisk() {
    Path copy = folder.resolve("killed-" + kills++);
    Set<String> ids = new HashSet<>();
    try (Stream<Path> files = Files.list(folder.resolve("queue"))) {
      Files.createDirectory(copy);
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
      try (MessageQueue queue = MessageQueues.open(QueueSettings.defaults().inFolder(copy))) {
        QueuedMessage left;
        while ((left = queue.poll()) != null) {
          ids.add(left.message().id());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ids;
  }

  private DeviceClient onDisk(int maxMessages) throws IOException {
    return connected(
        builder ->
            builder
                .queue(
                    QueueSettings.defaults()
                        .inFolder(folder.resolve("queue"))
                        .withBounds(maxMessages, 1_000_000)
                        .withDropPolicy(DropPolicy.DROP_OLDEST))
                .maxInFlight(5)
                .onOutcome(this::onOutcome));
  }

  @Test
  void aBacklogThatDrainsIsToldOnceWheneverTheProcessDies() throws Exception {
    DeviceClient client = onDisk(100);
    for (int i = 0; i < 40; i++) {
      client.enqueue(Message.builder().id("m" + i).build());
    }
    settle();
    for (int answered = 0; answered < 40; answered++) {
      ScriptedTransport.Sent sent = transport.last().sent.get(answered);
      if (answered % 10 == 9) {
        sent.callback().onFailed(tooLarge);
      } else {
        sent.callback().onAcknowledged();
      }
      time.advance(ofMillis(1));
    }
    assertThat(outcomes).hasSize(40);
    assertThat(toldTwiceAfterAKill).isEmpty();
    close(client);
  }

  @Test
  void soAreThoseThatExpireAndThoseThatGiveWay() throws Exception {
    DeviceClient client = onDisk(10);
    transport.last().capacity = 0;
    for (int i = 0; i < 15; i++) {
      client.enqueue(Message.builder().id("m" + i).timeToLive(ofSeconds(5)).build());
      settle();
    }
    time.advance(ofSeconds(6));
    assertThat(outcomes).extracting(MessageOutcome::kind).contains(Kind.DROPPED, Kind.EXPIRED);
    assertThat(outcomes).hasSize(15);
    assertThat(toldTwiceAfterAKill).isEmpty();
    close(client);
  }

  @Test
  void aStageIsCompletedNoEarlierThanTheListenerIsTold() throws Exception {
    DeviceClient client = onDisk(10);
    List<Set<String>> left = new ArrayList<>();
    var unused =
        client
            .send(Message.builder().id("a").build())
            .whenComplete((outcome, thrown) -> left.add(leftOnDisk()));
    settle();
    transport.last().acknowledge(0);
    settle();
    assertThat(left).containsExactly(Set.of());
    close(client);
  }

  @Test
  void whatEndedInTheLastTurnIsToldWhenTheClientIsClosed() throws Exception {
    DeviceClient client = onDisk(10);
    client.enqueue(Message.builder().id("a").build());
    settle();
    transport.last().acknowledge(0);
    close(client);
    assertThat(outcomes).extracting(MessageOutcome::kind).containsExactly(Kind.ACKNOWLEDGED);
    assertThat(toldTwiceAfterAKill).isEmpty();
  }
}
