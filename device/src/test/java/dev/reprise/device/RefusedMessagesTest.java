package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.NoRetry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the refusal of a message means for it, for the others and for the connection. */
class RefusedMessagesTest extends ScriptedDevice {
  /**
   * Refuses what the names say are forbidden, and takes the others, until there is nothing more.
   */
  private void answerAll(DeviceClient client, TransportException refusal) {
    int answered = 0;
    while (answered < transport.last().sent.size()) {
      ScriptedTransport.Sent sent = transport.last().sent.get(answered++);
      transport.last().capacity++;
      if (sent.message().id().startsWith("forbidden")) {
        sent.callback().onFailed(refusal);
      } else {
        sent.callback().onAcknowledged();
      }
      settle();
      for (int i = 0; i < 70 && answered == transport.last().sent.size(); i++) {
        time.advance(ofSeconds(1));
      }
    }
    assertThat(client.counters().waiting() + client.counters().inFlight()).isZero();
  }

  static List<TransportException> whatIsToldOfOneMessage() {
    return DeviceErrors.rows().stream()
        .filter(row -> row.protocol().equals("mqtt5-puback") || row.protocol().equals("amqp"))
        .map(
            row ->
                DeviceErrors.exception(
                    ErrorDetails.of(
                        new ErrorRow(
                            row.protocol(),
                            row.code(),
                            row.name(),
                            row.retryable(),
                            row.kind(),
                            ErrorScope.OPERATION))))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("whatIsToldOfOneMessage")
  void noRefusalOfAMessageEndsTheClient(TransportException refusal) throws Exception {
    DeviceClient client = connected();
    send(client, "forbidden");
    for (int i = 0; i < 20; i++) {
      for (ScriptedTransport.Sent sent : List.copyOf(transport.last().sent)) {
        sent.callback().onFailed(refusal);
      }
      time.advance(ofMinutes(2));
      transport.last().ready();
      settle();
      assertThat(client.status().state()).isNotEqualTo(DISCONNECTED);
    }
  }

  @ParameterizedTest
  @CsvSource({"mqtt5-puback, 0x87", "amqp, amqp:unauthorized-access"})
  void aForbiddenTopicRejectsItsMessagesAndTheOthersPass(String protocol, String code)
      throws Exception {
    DeviceClient client = connected();
    List<CompletableFuture<MessageOutcome>> stages =
        send(client, "forbidden-1", "good-1", "forbidden-2", "good-2");
    TransportException refusal = DeviceErrors.exception(protocol, code);
    answerAll(client, refusal);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
    assertThat(outcome(stages.get(0)))
        .isEqualTo(new MessageOutcome("forbidden-1", Kind.REJECTED, 1, refusal));
    assertThat(stages.stream().map(stage -> outcome(stage).kind()))
        .containsExactly(Kind.REJECTED, Kind.ACKNOWLEDGED, Kind.REJECTED, Kind.ACKNOWLEDGED);
    assertThat(transport.links).hasSize(1);
  }

  @Test
  void soDoSeveralForbiddenOnesBeforeTheFirstGoodOne() throws Exception {
    DeviceClient client = connected();
    send(client, IntStream.range(0, 9).mapToObj(i -> "forbidden-" + i).toArray(String[]::new));
    CompletableFuture<MessageOutcome> good = send(client, "good").get(0);
    answerAll(client, DeviceErrors.exception("mqtt5-puback", "0x87"));
    assertThat(outcome(good).isAcknowledged()).isTrue();
    assertThat(client.counters().rejected()).isEqualTo(9);
  }

  @Test
  void aForbiddenMessageOnDiskIsRejectedOnceAndNotAfterEachRestart(@TempDir Path folder)
      throws Exception {
    QueueSettings onDisk = QueueSettings.defaults().inFolder(folder);
    DeviceClient before = client(builder -> builder.queue(onDisk));
    for (int i = 0; i < 10; i++) {
      before.enqueue(Message.builder().id(i == 0 ? "forbidden" : "good-" + i).build());
    }
    settle();
    close(before);

    DeviceClient after = connected(builder -> builder.queue(onDisk));
    answerAll(after, DeviceErrors.exception("mqtt5-puback", "0x87"));
    close(after);
    assertThat(outcomes).hasSize(10);
    assertThat(outcomes.get(0).kind()).isEqualTo(Kind.REJECTED);

    DeviceClient last = connected(builder -> builder.queue(onDisk));
    assertThat(last.counters().recovered()).isZero();
    assertThat(transport.last().sent).isEmpty();
    close(last);
  }

  static List<TransportException> quotas() {
    return List.of(
        DeviceErrors.exception("amqp", "amqp:resource-limit-exceeded"),
        DeviceErrors.exception("amqp", "com.microsoft:quota-exceeded"),
        DeviceErrors.exception("http", "403"),
        DeviceErrors.exception("mqtt5-puback", "0x97"));
  }

  @ParameterizedTest
  @MethodSource("quotas")
  void aFullQueueAtTheHubLosesNoMessage(TransportException full) throws Exception {
    DeviceClient client = connected(builder -> builder.maxInFlight(64));
    transport.last().capacity = 1_000_000;
    String[] ids = IntStream.range(0, 400).mapToObj(i -> "m" + i).toArray(String[]::new);
    List<CompletableFuture<MessageOutcome>> stages = send(client, ids);
    int answered = 0;
    long fullUntilNanos = time.elapsed().plus(ofHours(20)).toNanos();
    while (client.counters().acknowledged() < 400) {
      boolean isFull = answered >= 100 && time.elapsed().toNanos() < fullUntilNanos;
      if (answered == transport.last().sent.size()) {
        assertThat(client.status().reason()).isEqualTo(StatusReason.QUOTA);
        time.advance(ofSeconds(1));
        continue;
      }
      ScriptedTransport.Sent sent = transport.last().sent.get(answered++);
      if (isFull) {
        sent.callback().onFailed(full);
      } else {
        sent.callback().onAcknowledged();
      }
      settle();
    }
    assertThat(stages).allMatch(stage -> outcome(stage).isAcknowledged());
    assertThat(outcomes).extracting(MessageOutcome::messageId).containsExactly(ids);
    assertThat(transport.links).hasSize(1);
    // What was under way, and then one in a minute.
    assertThat(client.counters().attempts()).isLessThan(400 + 64 + 20 * 60 + 20);
  }

  @ParameterizedTest
  @MethodSource("quotas")
  void norDoesItWithAPolicyThatNeverRetries(TransportException full) throws Exception {
    DeviceClient client = connected(builder -> builder.messageRetryPolicy(new NoRetry()));
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    transport.last().sent.get(0).callback().onFailed(full);
    time.advance(ofSeconds(2));
    transport.last().acknowledge(1);
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("a", Kind.ACKNOWLEDGED, 2, null));
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
  }

  @Test
  void aMessageWaitsForAQuotaNoLongerThanItMayLive() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> stage =
        client
            .send(Message.builder().id("a").timeToLive(ofMinutes(10)).build())
            .toCompletableFuture();
    settle();
    TransportException full = DeviceErrors.exception("amqp", "amqp:resource-limit-exceeded");
    int answered = 0;
    while (!stage.isDone()) {
      if (answered < transport.last().sent.size()) {
        transport.last().sent.get(answered++).callback().onFailed(full);
      }
      time.advance(ofSeconds(1));
    }
    assertThat(outcome(stage).kind()).isEqualTo(Kind.EXPIRED);
    assertThat(outcome(stage).cause()).isSameAs(full);
    assertThat(time.elapsed()).isBetween(ofMinutes(10), ofMinutes(11));
  }
}
