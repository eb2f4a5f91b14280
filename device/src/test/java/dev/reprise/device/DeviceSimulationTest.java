package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.message.NotDeliveredException;
import dev.reprise.device.message.Priority;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.RetryDecision;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random events in virtual time. Whatever happens: each message has exactly one outcome, what is
 * acknowledged was received, no timer outlives a closed client, and no retry comes before the
 * policy or the hub allow it.
 */
class DeviceSimulationTest {
  private static final int RUNS = 400;
  private static final int EVENTS = 300;
  private static final Duration MIN_DELAY = ofMillis(100);
  private static final List<Priority> PRIORITIES = List.of(Priority.values());
  private static final List<DropPolicy> DROP_POLICIES = List.of(DropPolicy.values());

  @Test
  void whateverHappensTheRulesHold() {
    for (int run = 0; run < RUNS; run++) {
      SeededRandom.check(random -> new Simulation(random).run());
    }
  }

  private static final class Simulation {
    private final SeededRandom random;
    private final VirtualTime time = new VirtualTime();
    private final RandomHub hub;
    private final Map<String, List<MessageOutcome>> staged = new HashMap<>();
    private final Map<String, List<MessageOutcome>> heard = new HashMap<>();
    private final List<String> sent = new ArrayList<>();

    /** Whose stages were told that the client stops; only the listener hears how they end. */
    private final Set<String> stopped = new HashSet<>();

    private final DeviceClient client;

    /** What the policy has named for the loss that is about to be told. */
    private Duration named = Duration.ZERO;

    private long hintUntilNanos = Long.MIN_VALUE;

    /** Before this time the status promised no attempt; unless the network is said to be back. */
    private long toldUntilNanos = Long.MIN_VALUE;

    private long connectedNanos = Long.MIN_VALUE / 2;
    private boolean networkIsBack;
    private final List<String> violations = new ArrayList<>();
    private ConnectionStatus previous = ConnectionStatus.NEW;

    Simulation(SeededRandom random) {
      this.random = random;
      this.hub = new RandomHub(time, random.fork(), this::checkConnect);
      QueueSettings queue =
          QueueSettings.defaults()
              .withBounds(1 + random.nextInt(60), 1_000_000)
              .withDropPolicy(DROP_POLICIES.get(random.nextInt(3)));
      try {
        client =
            DeviceClient.builder(new HubProfile("random", hub, new RandomCredentials()))
                .time(time, time.executor())
                .callbackExecutor(time.executor())
                .random(random.fork())
                .queue(queue)
                .maxInFlight(1 + random.nextInt(10))
                .connectionRetryPolicy(
                    (count, failure) -> {
                      check(failure.isRetryable(), "asked about " + failure);
                      check(count >= 0, "asked for retry " + count);
                      if (random.nextInt(50) == 0) {
                        return RetryDecision.stop();
                      }
                      if (random.nextInt(50) == 0) {
                        return null;
                      }
                      Duration delay = ofMillis(random.nextInt(20_000));
                      named = delay;
                      hintUntilNanos = time.nanoTime();
                      if (failure.retryAfter() != null) {
                        hintUntilNanos += failure.retryAfter().toNanos();
                      }
                      return RetryDecision.retryAfter(delay);
                    })
                .messageRetryPolicy(
                    (count, failure) -> {
                      check(failure.isRetryable(), "asked about " + failure);
                      return random.nextInt(20) == 0
                          ? RetryDecision.stop()
                          : RetryDecision.retryAfter(ofMillis(random.nextInt(10_000)));
                    })
                .onStatus(this::onStatus)
                .onOutcome(outcome -> add(heard, outcome))
                .build();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    void run() {
      for (int event = 0; event < EVENTS; event++) {
        happen();
      }
      end();
      checkOutcomes();
    }

    private void happen() {
      switch (random.nextInt(14)) {
        case 0 -> client.open();
        case 1 -> {
          networkIsBack = true;
          client.reconnectNow();
        }
        case 2 -> client.subscribe(command -> {});
        case 3 -> client.setOperationTimeout(ofMillis(1 + random.nextInt(300_000)));
        case 4, 5, 6, 7, 8 -> send();
        case 9 -> time.advance(ofMinutes(random.nextInt(10)));
        case 10 -> time.advance(ofSeconds(random.nextInt(60)));
        default -> time.advance(ofMillis(random.nextInt(5_000)));
      }
    }

    private void send() {
      String id = "m" + sent.size();
      sent.add(id);
      Message.Builder message =
          Message.builder().id(id).priority(PRIORITIES.get(random.nextInt(3)));
      if (random.nextInt(4) == 0) {
        message.timeToLive(ofMillis(1 + random.nextInt(120_000)));
      }
      var unused =
          client
              .send(message.build())
              .whenComplete(
                  (outcome, thrown) -> {
                    if (thrown instanceof TransportException) {
                      stopped.add(id);
                    } else {
                      add(
                          staged,
                          thrown instanceof NotDeliveredException e ? e.outcome() : outcome);
                    }
                  });
    }

    private static void add(Map<String, List<MessageOutcome>> outcomes, MessageOutcome outcome) {
      outcomes.computeIfAbsent(outcome.messageId(), id -> new ArrayList<>()).add(outcome);
    }

    private void onStatus(ConnectionStatus status, ConnectionStatus before) {
      check(
          before.state() == previous.state() && before.reason() == previous.reason(),
          "a status was left out between " + previous + " and " + status);
      check(
          status.state() != ConnectionState.RETRYING || status.cause() != null,
          "no cause: " + status);
      previous = status;
      Duration delay = status.retryDelay();
      if (delay != null) {
        check(delay.compareTo(MIN_DELAY) >= 0, "no wait to speak of: " + status);
        check(
            !Failures.isThrottle(status.cause()) || delay.compareTo(ofSeconds(15)) >= 0,
            "no slower after a throttle: " + status);
        check(delay.compareTo(named) >= 0, "the policy named " + named + ": " + status);
        named = Duration.ZERO;
        toldUntilNanos = time.nanoTime() + delay.toNanos();
        networkIsBack = false;
      }
      if (status.state() == ConnectionState.DISCONNECTED) {
        toldUntilNanos = Long.MIN_VALUE;
      }
    }

    /**
     * No attempt is made sooner than the policy, the hub and the status said, whatever led to it,
     * and none beside another.
     */
    private void checkConnect() {
      long now = time.nanoTime();
      check(now - connectedNanos >= MIN_DELAY.toNanos(), "two attempts came one upon the other");
      connectedNanos = now;
      check(
          networkIsBack || now >= toldUntilNanos, "an attempt came before the time that was told");
      check(now >= hintUntilNanos, "an attempt came before the time that the hub named");
      check(
          hub.connections.stream().allMatch(RandomHub.Connection::isOver),
          "an attempt was made beside another one");
    }

    /** What is seen in callbacks is kept: the client survives what they throw. */
    private void check(boolean holds, String violation) {
      if (!holds) {
        violations.add(violation);
      }
    }

    private void end() {
      boolean peaceful = random.nextBoolean();
      if (peaceful) {
        // Everything that can end, ends by itself when nothing goes wrong any more.
        hub.kind = true;
        client.setRetryPolicy((count, failure) -> RetryDecision.retryAfter(ofSeconds(1)));
        for (int i = 0;
            i < 200 && (i < 3 || client.counters().waiting() + client.counters().inFlight() > 0);
            i++) {
          client.open();
          time.advance(ofMinutes(5));
        }
        assertThat(client.counters().waiting()).isZero();
        assertThat(client.counters().inFlight()).isZero();
      }
      // In virtual time the loop does not run while close() waits.
      Thread.currentThread().interrupt();
      client.close();
      assertThat(Thread.interrupted()).isTrue();
      time.advance(Duration.ZERO);
      assertThat(client.status().reason()).isEqualTo(StatusReason.CLOSED);
      time.advance(ofMinutes(10));
      assertThat(hub.connections).allMatch(RandomHub.Connection::isOver);
      time.runUntilIdle(10_000);
      assertThat(time.pending()).isZero();
    }

    private void checkOutcomes() {
      assertThat(violations).isEmpty();
      assertThat(hub.violations).isEmpty();
      assertThat(heard).containsOnlyKeys(sent);
      assertThat(staged.keySet()).noneMatch(stopped::contains);
      Map<String, List<MessageOutcome>> heardByListenerOnly = new HashMap<>(heard);
      heardByListenerOnly.keySet().retainAll(stopped);
      staged.putAll(heardByListenerOnly);
      assertThat(heard).isEqualTo(staged);
      assertThat(staged.values()).allSatisfy(outcomes -> assertThat(outcomes).hasSize(1));
      staged.forEach(
          (id, outcomes) -> {
            if (outcomes.get(0).kind() == Kind.ACKNOWLEDGED) {
              assertThat(hub.received).containsKey(id);
            }
          });
    }

    private final class RandomCredentials implements CredentialSupplier {
      private final boolean dependsOnClock = random.nextBoolean();
      private int supplied;

      @Override
      public boolean dependsOnClock() {
        return dependsOnClock;
      }

      @Override
      public CompletionStage<Credential> supply(@Nullable Credential refused) {
        supplied++;
        Duration lifetime = random.nextBoolean() ? ofMinutes(1 + random.nextInt(60)) : null;
        Credential credential = new Credential("u", "t" + supplied, lifetime);
        if (hub.kind) {
          return CompletableFuture.completedFuture(credential);
        }
        int chance = random.nextInt(20);
        if (chance == 0) {
          throw new IllegalStateException("a broken supplier");
        }
        if (chance == 1) {
          return CompletableFuture.failedFuture(new IOException("no token"));
        }
        CompletableFuture<Credential> later = new CompletableFuture<>();
        if (chance > 2) {
          var unused =
              time.schedule(
                  ofMillis(random.nextInt(500)).toNanos(), () -> later.complete(credential));
        }
        return later;
      }
    }
  }
}
