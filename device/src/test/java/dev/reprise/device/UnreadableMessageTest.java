package dev.reprise.device;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.message.NotDeliveredException;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.queue.UnreadableMessageException;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk loses a message that waits while the client is open, in virtual time. */
class UnreadableMessageTest {
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  @TempDir Path folder;

  private final VirtualTime time = new VirtualTime();
  private final ScriptedTransport transport = new ScriptedTransport();
  private final List<MessageOutcome> outcomes = new ArrayList<>();
  private DeviceClient client;

  private void start() throws IOException {
    client =
        DeviceClient.builder(new HubProfile("test", transport, CredentialSupplier.none()))
            .time(time, time.executor())
            .callbackExecutor(time.executor())
            .firstReconnectSpread(Duration.ZERO)
            .connectionRetryPolicy(RetryPolicies.fixed(RETRY_DELAY))
            .queue(QueueSettings.defaults().inFolder(folder))
            .onOutcome(outcomes::add)
            .build();
  }

  @AfterEach
  void close() {
    // The loop only runs when time is moved, which is not while close() waits.
    Thread.currentThread().interrupt();
    client.close();
    assertThat(Thread.interrupted()).isTrue();
    settle();
  }

  /** Runs what is due now. */
  private void settle() {
    time.advance(Duration.ZERO);
  }

  private List<CompletableFuture<MessageOutcome>> send(String... ids) {
    List<CompletableFuture<MessageOutcome>> stages = new ArrayList<>();
    for (String id : ids) {
      Message message = Message.builder().id(id).body("reading of " + id).build();
      stages.add(client.send(message).toCompletableFuture());
    }
    settle();
    return stages;
  }

  private void connect() {
    client.open();
    settle();
    transport.last().ready();
    settle();
  }

  private void acknowledgeAll() {
    transport.last().acknowledgeAll();
    settle();
  }

  /** Inverts a byte of what the disk holds of a message. */
  private void damage(String id) throws IOException {
    List<Path> logs;
    try (Stream<Path> files = Files.list(folder)) {
      logs = files.filter(file -> file.toString().endsWith(".log")).toList();
    }
    assertThat(logs).hasSize(1);
    int at = Files.readString(logs.get(0), ISO_8859_1).indexOf("reading of " + id);
    assertThat(at).isPositive();
    try (RandomAccessFile file = new RandomAccessFile(logs.get(0).toFile(), "rw")) {
      file.seek(at);
      file.write('R');
    }
  }

  @Test
  void whoSentItIsToldAndTheOthersAreSent() throws IOException {
    start();
    List<CompletableFuture<MessageOutcome>> stages = send("a", "b", "c");
    damage("b");
    connect();
    assertThat(transport.last().sentIds()).containsExactly("a", "c");
    assertThat(stages.get(1))
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            NotDeliveredException.class,
            e -> assertThat(e.outcome().cause()).isInstanceOf(UnreadableMessageException.class));
    acknowledgeAll();
    assertThat(stages.get(0)).isCompleted();
    assertThat(stages.get(2)).isCompleted();
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId, MessageOutcome::kind, MessageOutcome::attempts)
        .containsExactly(
            tuple("b", Kind.REJECTED, 0),
            tuple("a", Kind.ACKNOWLEDGED, 1),
            tuple("c", Kind.ACKNOWLEDGED, 1));
    assertThat(client.counters().waiting()).isZero();
  }

  @Test
  void theAttemptsOfOneThatWasSentBeforeItWasLostAreTold() throws IOException {
    start();
    send("a", "b");
    connect();
    assertThat(transport.last().sentIds()).containsExactly("a", "b");
    damage("a");
    transport.last().lose(DeviceErrors.exception("network", "connection-reset"));
    time.advance(RETRY_DELAY);
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("b");
    acknowledgeAll();
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId, MessageOutcome::kind, MessageOutcome::attempts)
        .containsExactly(tuple("a", Kind.REJECTED, 1), tuple("b", Kind.ACKNOWLEDGED, 2));
  }

  @Test
  void oneOfAnEarlierProcessHasAnInventedId() throws IOException {
    start();
    send("a", "b");
    close();
    start();
    damage("a");
    connect();
    acknowledgeAll();
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId, MessageOutcome::kind, MessageOutcome::attempts)
        .containsExactly(tuple("unreadable-1", Kind.REJECTED, 0), tuple("b", Kind.ACKNOWLEDGED, 1));
    assertThat(outcomes.get(0).cause())
        .hasMessage("message 1 is damaged and cannot be read back: it is lost");
    assertThat(client.counters().waiting()).isZero();
  }
}
