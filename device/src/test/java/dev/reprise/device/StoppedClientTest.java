package dev.reprise.device;

import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordedLog;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.NoRetry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that stops says so to everybody who waits, and in the log. */
class StoppedClientTest extends ScriptedDevice {
  private RecordedLog log;

  @BeforeEach
  void record() {
    log = RecordedLog.open();
  }

  @AfterEach
  void stopRecording() {
    log.close();
  }

  private DeviceClient refused(DeviceClient client) {
    client.open();
    settle();
    transport.last().lose(refusedPassword);
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    return client;
  }

  private static void assertFailed(CompletableFuture<?> stage, TransportException cause) {
    assertThat(stage).isCompletedExceptionally();
    assertThatThrownBy(stage::join).hasCause(cause);
  }

  @Test
  void theFirstExampleDoesNotHangOnAWrongPassword() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    CompletableFuture<MessageOutcome> stage = client.send(Message.of("21.5")).toCompletableFuture();
    settle();
    transport.last().lose(refusedPassword);
    settle();
    assertFailed(stage, refusedPassword);
    assertThat(outcomes).isEmpty();
    assertThat(client.counters().waiting()).isEqualTo(1);
  }

  @Test
  void whoSendsAfterwardsIsToldAtOnce() throws Exception {
    DeviceClient client = refused(client(builder -> builder));
    assertFailed(send(client, "a").get(0), refusedPassword);
    CompletableFuture<Void> accepted =
        client.enqueue(Message.of("b")).thenAccept(unused -> {}).toCompletableFuture();
    settle();
    assertThat(accepted).isCompleted();
    assertThat(client.counters().waiting()).isEqualTo(2);
  }

  @Test
  void theMessagesAreKeptAndEndOnceWhenItIsOpenedAgain() throws Exception {
    DeviceClient client = client(builder -> builder);
    List<CompletableFuture<MessageOutcome>> before = send(client, "a", "b");
    refused(client);
    List<CompletableFuture<MessageOutcome>> stopped = send(client, "c");
    client.open();
    List<CompletableFuture<MessageOutcome>> after = send(client, "d");
    time.advance(ofSeconds(1));
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "c", "d");
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcomes).extracting(MessageOutcome::messageId).containsExactly("a", "b", "c", "d");
    assertThat(outcomes).allMatch(outcome -> outcome.kind() == Kind.ACKNOWLEDGED);
    assertThat(before).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(stopped).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(outcome(after.get(0)).isAcknowledged()).isTrue();
  }

  @Test
  void whatIsOnDiskStaysThereWhenTheClientIsClosedThen(@TempDir Path folder) throws Exception {
    QueueSettings onDisk = QueueSettings.defaults().inFolder(folder);
    DeviceClient client = client(builder -> builder.queue(onDisk));
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    refused(client);
    assertFailed(stage, refusedPassword);
    close(client);
    DeviceClient next = client(builder -> builder.queue(onDisk));
    assertThat(next.counters().recovered()).isEqualTo(1);
    close(next);
  }

  @Test
  void whoWaitsForAClientThatGivesUpIsToldToo() throws Exception {
    DeviceClient client = client(builder -> builder.connectionRetryPolicy(new NoRetry()));
    client.open();
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    transport.last().lose(lost);
    settle();
    assertFailed(stage, lost);
    assertThat(log.lines())
        .containsExactly(
            "WARN the client of test stops, and connects no more until it is opened again:"
                + " RETRY_EXPIRED, "
                + lost.getMessage());
  }

  @Test
  void theLogSaysOnceThatItStopsAndWhy() throws Exception {
    DeviceClient client = refused(client(builder -> builder));
    send(client, "a", "b");
    time.advance(ofHours(1));
    assertThat(log.lines())
        .containsExactly(
            "WARN the client of test stops, and connects no more until it is opened again:"
                + " CREDENTIAL, "
                + refusedPassword.getMessage());
    close(client);
    assertThat(log.lines()).hasSize(1);
  }

  @Test
  void theLogSaysOnceThatItIsRefusedAndTriesAgainSlowly() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    TransportException expired = DeviceErrors.exception("network", "tls-server-certificate");
    for (int i = 0; i < 5; i++) {
      transport.last().lose(expired);
      time.advance(ofHours(1));
    }
    assertThat(log.lines())
        .containsExactly(
            "WARN the client of test is refused, and tries again slowly: " + expired.getMessage());

    // After a connection it is news again.
    transport.last().ready();
    settle();
    transport.last().lose(expired);
    settle();
    assertThat(log.lines()).hasSize(2);
  }

  @Test
  void aLossThatPassesIsNoWarning() throws Exception {
    DeviceClient client = connected();
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    transport.last().ready();
    close(client);
    assertThat(log.lines()).isEmpty();
  }
}
