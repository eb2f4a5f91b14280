package dev.reprise.device;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A lack of memory, wherever the engine uses its queue, leaves no message behind. */
class ErrorsInTheLoopTest {
  private static final int RUNS = 60;
  private static final int MESSAGES = 100;
  private static final Set<String> NEED_MEMORY =
      Set.of(
          "poll",
          "read",
          "putBack",
          "remove",
          "expire",
          "nextExpiryNanos",
          "remainingNanos",
          "sync",
          "isDurable");

  private static final class Run {
    private final VirtualTime time = new VirtualTime();
    private final RuledHub hub = new RuledHub(time, 8, ofMillis(20));
    private final List<MessageOutcome> outcomes = new ArrayList<>();
    private final SeededRandom random;
    private final boolean isOnDisk;
    private final Duration timeToLive;
    private boolean isScarce;
    private int errors;
    private int refused;

    Run(SeededRandom random, boolean isOnDisk, Duration timeToLive) {
      this.random = random;
      this.isOnDisk = isOnDisk;
      this.timeToLive = timeToLive;
    }

    private MessageQueue queue() throws IOException {
      MessageQueue inMemory =
          MessageQueues.open(QueueSettings.defaults().withTimeToLive(timeToLive));
      return scarce(isOnDisk ? new FailingDisk(inMemory) : inMemory);
    }

    private MessageQueue scarce(MessageQueue queue) {
      return (MessageQueue)
          Proxy.newProxyInstance(
              MessageQueue.class.getClassLoader(),
              new Class<?>[] {MessageQueue.class},
              (proxy, method, arguments) -> {
                if (isScarce && NEED_MEMORY.contains(method.getName()) && random.nextInt(4) == 0) {
                  errors++;
                  throw new OutOfMemoryError("scripted");
                }
                try {
                  return method.invoke(queue, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    void run() {
      TransportException refusal = DeviceErrors.exception("http", "500");
      hub.rule = id -> random.nextInt(5) == 0 ? refusal : null;
      DeviceClient client;
      try {
        client =
            new DeviceClient(
                new ClientSettings(
                    DeviceClient.builder(new HubProfile("test", hub, CredentialSupplier.none()))
                        .time(time, time.executor())
                        .callbackExecutor(time.executor())
                        .random(random.fork())
                        .onOutcome(outcomes::add)),
                queue());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      client.open();
      for (int i = 0; i < MESSAGES; i++) {
        isScarce = random.nextBoolean();
        var unused =
            client
                .enqueue(Message.builder().id("m" + i).build())
                .whenComplete((accepted, why) -> refused += why == null ? 0 : 1);
        time.advance(ofMillis(random.nextInt(100)));
        if (random.nextInt(10) == 0) {
          hub.lose(DeviceErrors.exception("network", "connection-reset"));
        }
        time.advance(ofMillis(random.nextInt(2_000)));
      }
      isScarce = false;
      // What an error has left under way, the time for an acknowledgement finds.
      for (int i = 0; i < 60; i++) {
        time.advance(ofSeconds(30));
      }
      time.advance(ofMinutes(1));
      assertThat(errors).isPositive();
      assertThat(client.counters().waiting() + client.counters().inFlight()).isZero();
      assertThat(outcomes)
          .hasSize(MESSAGES - refused)
          .allMatch(outcome -> outcome.isAcknowledged() || outcome.kind() == Kind.EXPIRED);
      assertThat(outcomes.stream().map(MessageOutcome::messageId).distinct())
          .hasSize(MESSAGES - refused);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noMessageIsLeftBehind(boolean isOnDisk) {
    for (int run = 0; run < RUNS; run++) {
      SeededRandom.check(random -> new Run(random, isOnDisk, ofHours(10)).run());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void norIsOneThatExpires(boolean isOnDisk) {
    for (int run = 0; run < RUNS; run++) {
      SeededRandom.check(random -> new Run(random, isOnDisk, ofMillis(1_500)).run());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allThatExpireTogetherAreToldAfterAnError(boolean isOnDisk) throws Exception {
    VirtualTime time = new VirtualTime();
    List<MessageOutcome> outcomes = new ArrayList<>();
    boolean[] fails = {false};
    MessageQueue inMemory = MessageQueues.open(QueueSettings.defaults());
    DeviceClient client =
        new DeviceClient(
            new ClientSettings(
                DeviceClient.builder(
                        new HubProfile(
                            "test",
                            new RuledHub(time, 64, ofMillis(20)),
                            CredentialSupplier.none()))
                    .time(time, time.executor())
                    .callbackExecutor(time.executor())
                    .onOutcome(outcomes::add)),
            failingOnce(isOnDisk ? new FailingDisk(inMemory) : inMemory, "isDurable", fails));
    List<CompletableFuture<MessageOutcome>> stages = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Message message = Message.builder().id("m" + i).timeToLive(ofSeconds(10)).build();
      stages.add(client.send(message).toCompletableFuture());
    }
    time.advance(ofSeconds(9));
    fails[0] = true;
    time.advance(ofMinutes(1));
    assertThat(fails[0]).isFalse();
    assertThat(outcomes).hasSize(50).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
    assertThat(outcomes.stream().map(MessageOutcome::messageId).distinct()).hasSize(50);
    assertThat(stages).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(client.counters().expired()).isEqualTo(50);
  }

  /** A queue whose given method fails the next time that it is called, if it is to. */
  private static MessageQueue failingOnce(MessageQueue queue, String name, boolean[] fails) {
    return failingOnce(queue, name, fails, new OutOfMemoryError("scripted"));
  }

  private static MessageQueue failingOnce(
      MessageQueue queue, String name, boolean[] fails, Throwable error) {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (proxy, method, arguments) -> {
              if (fails[0] && method.getName().equals(name)) {
                fails[0] = false;
                throw error;
              }
              return method.invoke(queue, arguments);
            });
  }

  /** Runs something while the engine logs, which tests have turned off. */
  private static void withLog(Runnable test) {
    List<Logger> logs =
        Stream.of(Loop.class, CallbackDispatcher.class)
            .map(type -> (Logger) LoggerFactory.getLogger(type))
            .toList();
    logs.forEach(log -> log.setLevel(Level.WARN));
    try {
      test.run();
    } finally {
      logs.forEach(log -> log.setLevel(null));
    }
  }

  /** Any log asks for the message. */
  private static final class UnspeakableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new LinkageError("scripted");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorThatCannotBeLoggedStopsNeitherLoopNorListener(boolean isOfListener) throws Exception {
    VirtualTime time = new VirtualTime();
    List<String> told = new ArrayList<>();
    boolean[] fails = {!isOfListener};
    MessageQueue queue = MessageQueues.open(QueueSettings.defaults());
    DeviceClient client =
        new DeviceClient(
            new ClientSettings(
                DeviceClient.builder(
                        new HubProfile(
                            "test",
                            new RuledHub(time, 64, ofMillis(20)),
                            CredentialSupplier.none()))
                    .time(time, task -> time.executor().execute(() -> runAsAThread(task)))
                    .callbackExecutor(task -> time.executor().execute(() -> runAsAThread(task)))
                    .onOutcome(
                        outcome -> {
                          told.add(outcome.messageId());
                          if (isOfListener) {
                            throw new UnspeakableException();
                          }
                        })),
            failingOnce(queue, "poll", fails, new UnspeakableException()));
    withLog(
        () -> {
          client.open();
          for (int i = 0; i < 3; i++) {
            client.enqueue(Message.builder().id("m" + i).build());
            time.advance(ofMinutes(1));
          }
        });
    assertThat(fails[0]).isFalse();
    assertThat(told).containsExactly("m0", "m1", "m2");
  }

  /** Ends with an exception as a thread does, which others do not notice. */
  private static void runAsAThread(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      assertThat(e).isInstanceOf(LinkageError.class);
    }
  }

  @Test
  void anOutageEndsTheConnectionEvenIfTheLastAnswerFails() throws Exception {
    VirtualTime time = new VirtualTime();
    RuledHub hub = new RuledHub(time, 64, ofMillis(20));
    TransportException refusal = DeviceErrors.exception("http", "500");
    TransportException final400 = DeviceErrors.exception("http", "400");
    hub.rule = id -> id.equals("m12") ? final400 : refusal;
    boolean[] fails = {false};
    DeviceClient client =
        new DeviceClient(
            new ClientSettings(
                DeviceClient.builder(new HubProfile("test", hub, CredentialSupplier.none()))
                    .time(time, time.executor())
                    .callbackExecutor(time.executor())
                    .random(SeededRandom.of(1))),
            failingOnce(MessageQueues.open(QueueSettings.defaults()), "remove", fails));
    client.open();
    time.advance(ofSeconds(1));
    for (int i = 0; i <= 12; i++) {
      client.enqueue(Message.builder().id("m" + i).build());
    }
    // The last of those under way is rejected, which the lack of memory keeps from being noted.
    fails[0] = true;
    time.advance(ofSeconds(30));
    assertThat(fails[0]).isFalse();
    hub.rule = id -> null;
    time.advance(ofMinutes(10));
    assertThat(hub.connections).isGreaterThan(1);
    assertThat(client.counters().acknowledged()).isEqualTo(12);
    assertThat(client.counters().rejected()).isEqualTo(1);
  }
}
