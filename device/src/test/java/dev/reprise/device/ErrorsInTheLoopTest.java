package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A lack of memory, wherever the engine uses its queue, leaves no message behind. */
class ErrorsInTheLoopTest {
  private static final int RUNS = 60;
  private static final int MESSAGES = 100;
  private static final Set<String> NEED_MEMORY =
      Set.of("poll", "putBack", "remove", "expire", "nextExpiryNanos");

  private static final class Run {
    private final VirtualTime time = new VirtualTime();
    private final RuledHub hub = new RuledHub(time, 8, ofMillis(20));
    private final List<MessageOutcome> outcomes = new ArrayList<>();
    private final SeededRandom random;
    private boolean isScarce;
    private int errors;

    Run(SeededRandom random) {
      this.random = random;
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
                scarce(MessageQueues.open(QueueSettings.defaults())));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      client.open();
      for (int i = 0; i < MESSAGES; i++) {
        isScarce = random.nextBoolean();
        client.enqueue(Message.builder().id("m" + i).build());
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
      assertThat(outcomes).hasSize(MESSAGES).allMatch(MessageOutcome::isAcknowledged);
      assertThat(outcomes.stream().map(MessageOutcome::messageId).distinct()).hasSize(MESSAGES);
    }
  }

  @Test
  void noMessageIsLeftBehind() {
    for (int run = 0; run < RUNS; run++) {
      SeededRandom.check(random -> new Run(random).run());
    }
  }

  /** A queue whose given method fails the next time that it is called, if it is to. */
  private static MessageQueue failingOnce(MessageQueue queue, String name, boolean[] fails) {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (proxy, method, arguments) -> {
              if (fails[0] && method.getName().equals(name)) {
                fails[0] = false;
                throw new OutOfMemoryError("scripted");
              }
              return method.invoke(queue, arguments);
            });
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
    assertThat(client.counters().acknowledged()).isEqualTo(13);
  }
}
