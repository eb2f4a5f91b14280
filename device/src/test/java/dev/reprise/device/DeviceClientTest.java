package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.CONNECTING;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.retry.NoRetry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The client over a transport whose every move is made here, in virtual time. */
class DeviceClientTest extends ScriptedDevice {
  @Test
  void openCompletesWithTheFirstConnectionAndNotBefore() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<@Nullable Void> opened = client.open().toCompletableFuture();
    settle();
    assertThat(client.status().state()).isEqualTo(CONNECTING);

    transport.last().lose(lost);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(client.status().reason()).isEqualTo(StatusReason.NETWORK);
    assertThat(client.status().cause()).isSameAs(lost);
    assertThat(opened).isNotDone();

    time.advance(ofMillis(999));
    assertThat(transport.links).hasSize(1);
    time.advance(ofMillis(1));
    assertThat(transport.links).hasSize(2);
    transport.last().ready();
    settle();
    assertThat(opened).isCompleted();
    assertThat(client.status())
        .isEqualTo(new ConnectionStatus(CONNECTED, StatusReason.OK, null, 1, null));
  }

  @Test
  void anAcknowledgementOfALostConnectionChangesNothing() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    ScriptedTransport.Link old = transport.last();
    old.lose(lost);
    settle();
    old.acknowledgeAll();
    settle();
    assertThat(outcomes).isEmpty();
    assertThat(client.counters().waiting()).isEqualTo(1);
  }

  @Test
  void afterGivingUpTheClientCanBeOpenedAgainWithItsMessages() throws Exception {
    DeviceClient client = client(builder -> builder.connectionRetryPolicy(new NoRetry()));
    CompletableFuture<@Nullable Void> opened = client.open().toCompletableFuture();
    send(client, "a");
    transport.last().lose(lost);
    settle();
    assertThat(client.status().reason()).isEqualTo(StatusReason.RETRY_EXPIRED);
    assertThatThrownBy(opened::join).hasCause(lost);

    client.open();
    time.advance(ofSeconds(1));
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a");
  }

  @Test
  void closeEndsEverythingInEveryState() throws Exception {
    DeviceClient never = client(builder -> builder);
    DeviceClient connecting = client(builder -> builder);
    CompletableFuture<@Nullable Void> opener = connecting.open().toCompletableFuture();
    DeviceClient connected = connected();
    List<CompletableFuture<MessageOutcome>> stages = send(connected, "a", "b");
    DeviceClient retrying = connected();
    transport.last().lose(lost);
    settle();
    stages.addAll(send(retrying, "c"));

    for (DeviceClient client : List.of(never, connecting, connected, retrying)) {
      close(client);
      close(client);
      assertThat(client.status())
          .isEqualTo(
              new ConnectionStatus(
                  DISCONNECTED, StatusReason.CLOSED, null, client.status().retries(), null));
    }
    assertThat(stages).allMatch(stage -> outcome(stage).kind() == Kind.CANCELLED);
    assertThat(opener).isCompletedExceptionally();
    assertThat(transport.links).allMatch(link -> link.closed);
    assertThat(time.pending()).isZero();

    assertThat(outcome(send(connected, "late").get(0)).kind()).isEqualTo(Kind.REJECTED);
    CompletableFuture<@Nullable Void> reopened = connected.open().toCompletableFuture();
    settle();
    assertThat(reopened).isCompletedExceptionally();
  }

  @Test
  void aListenerMayOpenCloseAndWait() throws Exception {
    List<String> seen = new ArrayList<>();
    DeviceClient[] self = new DeviceClient[1];
    self[0] =
        client(
            builder ->
                builder.onStatus(
                    (status, previous) -> {
                      seen.add(status.state() + " " + status.reason());
                      if (status.state() == CONNECTED) {
                        close(self[0]);
                      }
                    }));
    self[0].open();
    settle();
    transport.last().ready();
    settle();
    assertThat(seen).containsExactly("CONNECTING OK", "CONNECTED OK", "DISCONNECTED CLOSED");
  }

  @Test
  void anExecutorThatRefusesCostsNoOutcomeAndNoConnection() throws Exception {
    DeviceClient client =
        client(
            builder ->
                builder
                    .time(new TimeOfOneThread(time), time.executor())
                    .callbackExecutor(
                        task -> {
                          throw new RejectedExecutionException("full");
                        }));
    client.open();
    settle();
    transport.last().ready();
    settle();
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    transport.last().acknowledgeAll();
    settle();
    assertThat(stage.get(300, TimeUnit.SECONDS).isAcknowledged()).isTrue();
  }

  /** Virtual time, which only the thread that made it may use; real time for all others. */
  private static final class TimeOfOneThread implements TimeSource {
    private final Thread thread = Thread.currentThread();
    private final TimeSource virtual;

    TimeOfOneThread(TimeSource virtual) {
      this.virtual = virtual;
    }

    private TimeSource present() {
      return Thread.currentThread() == thread ? virtual : TimeSource.system();
    }

    @Override
    public long nanoTime() {
      return present().nanoTime();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      present().sleep(nanos);
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      return present().schedule(delayNanos, task);
    }
  }

  @Test
  void aTransportThatThrowsIsLeftBehindAndCloseStillEndsEverything() throws Exception {
    DeviceClient client = connected();
    transport.broken.add("capacity");
    transport.broken.add("close");
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    assertThat(client.status().state()).isEqualTo(RETRYING);
    transport.broken.remove("capacity");
    time.advance(ofSeconds(1));
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a");
    close(client);
    assertThat(outcome(stage).kind()).isEqualTo(Kind.CANCELLED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CLOSED);
    assertThat(time.pending()).isZero();
  }

  @Test
  void anOutageBehindAProxyExpiresNoMessage() throws Exception {
    DeviceClient client = connected(builder -> builder.operationTimeout(ofMinutes(4)));
    send(client, IntStream.range(0, 200).mapToObj(i -> "m" + i).toArray(String[]::new));
    for (int second = 0; second < 3_600; second++) {
      ScriptedTransport.Link link = transport.last();
      if (link.closed) {
        time.advance(ofSeconds(1));
        continue;
      }
      link.ready();
      settle();
      for (ScriptedTransport.Sent sent : List.copyOf(link.sent)) {
        sent.callback().onFailed(DeviceErrors.exception("http", "502"));
      }
      time.advance(ofSeconds(1));
    }
    assertThat(outcomes).isEmpty();
    assertThat(client.status().reason()).isEqualTo(StatusReason.SERVER);
  }

  @Test
  void aListenerThatOpensAgainAtOnceMakesNoStorm() throws Exception {
    DeviceClient[] self = new DeviceClient[1];
    self[0] =
        client(
            builder ->
                builder.onStatus(
                    (status, previous) -> {
                      if (status.state() == DISCONNECTED) {
                        self[0].open();
                      } else if (status.state() == RETRYING) {
                        self[0].reconnectNow();
                      }
                    }));
    self[0].open();
    for (int i = 0; i < 60; i++) {
      settle();
      transport.last().lose(refusedPassword);
      time.advance(ofSeconds(1));
    }
    assertThat(transport.links).hasSizeLessThanOrEqualTo(62);
  }
}
