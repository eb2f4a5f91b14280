package dev.reprise.device;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.RetryPolicies;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One message that a hub never takes, and a hub that takes none. */
class SuspectMessagesTest extends RuledDevice {
  @ParameterizedTest
  @CsvSource({
    "http, 500, 1, 100",
    "http, 500, 1, 1",
    "mqtt5-puback, 0x80, 64, 100",
    "amqp, released, 64, 100",
    "amqp, released, 64, 1"
  })
  void oneThatIsRefusedForEverStopsNoOther(String protocol, String code, int window, int most)
      throws Exception {
    hub = new RuledHub(time, window, ofMillis(5));
    TransportException refusal = DeviceErrors.exception(protocol, code);
    refuse("bad", refusal);
    DeviceClient client = open(builder -> builder.maxInFlight(most));
    enqueue(client, "bad", 1);
    time.advance(ofSeconds(70));
    enqueue(client, "good", 59);
    time.advance(ofSeconds(30));
    assertAllTakenOnce("good", 59);
    assertThat(hub.connections).isEqualTo(1);
    assertThat(of("bad")).isEmpty();

    // Others passed it, so its time runs out.
    time.advance(ofMinutes(5));
    assertThat(of("bad")).hasSize(1);
    assertThat(of("bad").get(0).kind()).isEqualTo(Kind.EXPIRED);
    assertThat(of("bad").get(0).cause()).isSameAs(refusal);
    assertThat(of("bad").get(0).attempts()).isEqualTo(hub.arrived.get("bad-0")).isLessThan(60);
    assertThat(hub.connections).isEqualTo(1);
  }

  @Test
  void itsAttemptsRunOutWhenOthersPass() throws Exception {
    refuse("bad", DeviceErrors.exception("http", "500"));
    DeviceClient client =
        open(
            builder ->
                builder.messageRetryPolicy(RetryPolicies.of(Backoff.fixed(ofSeconds(2)), 14)));
    enqueue(client, "bad", 1);
    time.advance(ofHours(1));
    assertThat(outcomes).isEmpty();
    enqueue(client, "good", 1);
    time.advance(ofMinutes(1));
    assertThat(of("bad")).extracting(MessageOutcome::kind).containsExactly(Kind.REJECTED);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 12, 60, 150})
  void soDoManyTogetherInFrontOfGoodOnes(int bad) throws Exception {
    refuse("bad", DeviceErrors.exception("mqtt5-puback", "0x80"));
    DeviceClient client = open(builder -> builder);
    enqueue(client, "bad", bad);
    enqueue(client, "good", 59);
    time.advance(ofMinutes(30));
    assertAllTakenOnce("good", 59);
    time.advance(ofMinutes(10));
    assertThat(of("bad")).hasSize(bad).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
  }

  @Test
  void aLimitOfTheHubIsNotTakenForOneOfSomeMessages() throws Exception {
    double[] tokens = {10};
    long[] filledNanos = {0};
    TransportException tooFast = DeviceErrors.exception("http", "429");
    hub.rule =
        id -> {
          tokens[0] = Math.min(10, tokens[0] + (time.elapsed().toNanos() - filledNanos[0]) / 1e8);
          filledNanos[0] = time.elapsed().toNanos();
          tokens[0] -= tokens[0] < 1 ? 0 : 1;
          return tokens[0] < 1 ? tooFast : null;
        };
    DeviceClient client = open(builder -> builder);
    enqueue(client, "m", 2_000);
    time.advance(ofMinutes(20));
    assertThat(of("m")).hasSize(2_000).allMatch(MessageOutcome::isAcknowledged);
    // The order shows that none stood aside; the attempts are those of the window alone.
    assertThat(hub.taken).isEqualTo(IntStream.range(0, 2_000).mapToObj(i -> "m-" + i).toList());
    assertThat(hub.attempts).isLessThan(3_000);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 5", "1, 200", "64, 1", "64, 5", "64, 200"})
  void anOutageEndsNoMessage(int window, int messages) throws Exception {
    hub = new RuledHub(time, window, ofMillis(5));
    refuse("", DeviceErrors.exception("http", "500"));
    DeviceClient client =
        open(
            builder ->
                builder.messageRetryPolicy(
                    RetryPolicies.of(Backoff.exponentialWithJitter(), 1_000)));
    enqueue(client, "m", messages);
    time.advance(ofHours(10));
    assertThat(outcomes).isEmpty();
    // Each of a few every 10 s; of many one a connection, and one connection every 10 s.
    int inTurn = messages > 10 ? 1 : messages;
    assertThat(hub.attempts).isLessThan(10 * 360 * inTurn + 11 * messages + 100);
    refuse("none", DeviceErrors.exception("http", "500"));
    time.advance(ofMinutes(1));
    assertThat(of("m")).hasSize(messages).allMatch(MessageOutcome::isAcknowledged);
  }

  @Test
  void anOutageWithSuspectsFromBeforeEndsNoOtherMessage() throws Exception {
    refuse("bad", DeviceErrors.exception("http", "500"));
    DeviceClient client = open(builder -> builder);
    enqueue(client, "bad", 1);
    enqueue(client, "good", 3);
    time.advance(ofSeconds(20));
    refuse("", DeviceErrors.exception("http", "500"));
    enqueue(client, "late", 3);
    time.advance(ofHours(1));
    assertThat(outcomes).hasSize(3);
    refuse("none", DeviceErrors.exception("http", "500"));
    time.advance(ofMinutes(1));
    assertThat(outcomes).hasSize(7).allMatch(MessageOutcome::isAcknowledged);
  }

  @ParameterizedTest
  @CsvSource({"mqtt5-puback, 0x97", "http, 429", "amqp, amqp:resource-limit-exceeded"})
  void aThrottleOfOneMessageHoldsNoOther(String protocol, String code) throws Exception {
    refuse("full", DeviceErrors.exception(protocol, code));
    DeviceClient client = open(builder -> builder);
    enqueue(client, "full", 1);
    for (int second = 0; second < 1_800; second++) {
      client.enqueue(Message.builder().id("good-" + second).build());
      time.advance(ofSeconds(1));
    }
    assertThat(hub.taken).hasSizeGreaterThan(1_795);
    assertThat(hub.arrived.get("full-0")).isLessThan(50);
    // It is not lost over it.
    assertThat(of("full")).isEmpty();
    refuse("none", DeviceErrors.exception(protocol, code));
    time.advance(ofMinutes(2));
    assertThat(of("full")).hasSize(1).allMatch(MessageOutcome::isAcknowledged);
  }

  @ParameterizedTest
  @CsvSource({"mqtt5-puback, 0x97, 64", "http, 429, 1"})
  void norDoesOneThatWasAloneForLong(String protocol, String code, int window) throws Exception {
    hub = new RuledHub(time, window, ofMillis(5));
    refuse("full", DeviceErrors.exception(protocol, code));
    DeviceClient client = open(builder -> builder);
    enqueue(client, "full", 1);
    time.advance(ofSeconds(70));
    enqueue(client, "good", 59);
    time.advance(ofSeconds(150));
    assertAllTakenOnce("good", 59);
  }

  @ParameterizedTest
  @CsvSource({"1, 64", "2, 64", "400, 64", "400, 1"})
  void aThrottleOfAllCostsNoMoreAttemptsForIt(int messages, int window) throws Exception {
    hub = new RuledHub(time, window, ofMillis(5));
    refuse("", DeviceErrors.exception("mqtt5-puback", "0x97"));
    DeviceClient client = open(builder -> builder.maxInFlight(64));
    enqueue(client, "m", messages);
    time.advance(ofHours(1));
    // All that are under way, half as many each time, and then one in a minute.
    int first = Math.min(messages, window);
    assertThat(hub.attempts).isLessThanOrEqualTo(Math.max(8, 2 * first) + 60);
    refuse("none", DeviceErrors.exception("http", "500"));
    time.advance(ofMinutes(5));
    assertThat(outcomes).hasSize(messages).allMatch(MessageOutcome::isAcknowledged);
  }

  @Test
  void timeThatIsWaitedForAQuotaDoesNotCount() throws Exception {
    TransportException full = DeviceErrors.exception("mqtt5-puback", "0x97");
    hub = new RuledHub(time, 64, ofSeconds(5));
    refuse("", full);
    DeviceClient client = open(builder -> builder);
    time.advance(ofSeconds(5));
    enqueue(client, "m", 3);
    time.advance(ofHours(20));
    // One alone is full: the others pass, and time runs.
    refuse("m-0", full);
    for (int i = 0; i < 100; i++) {
      enqueue(client, "good", 1);
      time.advance(ofSeconds(10));
    }
    refuse("m-0", DeviceErrors.exception("http", "500"));
    time.advance(ofSeconds(70));
    hub.lose(DeviceErrors.exception("network", "connection-reset"));
    time.advance(ofSeconds(30));
    assertThat(of("m-0")).isEmpty();
    refuse("none", full);
    time.advance(ofMinutes(2));
    assertThat(of("m")).hasSize(3).allMatch(MessageOutcome::isAcknowledged);
  }

  @ParameterizedTest
  @CsvSource({"1, 1000000", "100, 1000"})
  void onePoisonMessageThatFillsTheBoundStopsNoOther(int most, long mostBytes) throws Exception {
    TransportException lost = DeviceErrors.exception("network", "connection-reset");
    hub.rule =
        id -> {
          if (id.equals("poison")) {
            hub.lose(lost);
          }
          return id.equals("poison") ? lost : null;
        };
    DeviceClient client =
        open(
            builder ->
                builder
                    .maxInFlight(most)
                    .maxInFlightBytes(mostBytes)
                    .operationTimeout(ofHours(24)));
    client.enqueue(Message.builder().id("poison").body(new byte[5_000]).build());
    enqueue(client, "good", 20);
    time.advance(ofHours(1));
    assertAllTakenOnce("good", 20);
    // It is poison only when others pass while it costs every connection.
    for (int i = 0; i < 10; i++) {
      enqueue(client, "late-" + i, 1);
      time.advance(ofMinutes(2));
    }
    assertThat(of("poison")).extracting(MessageOutcome::kind).containsExactly(Kind.REJECTED);
    assertThat(of("late")).hasSize(10).allMatch(MessageOutcome::isAcknowledged);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1000000", "100, 1, 1000", "100, 100, 1000000", "100, 150, 1000000"})
  void throttledOnesThatFillTheBoundHoldNoOther(int most, int full, long mostBytes)
      throws Exception {
    refuse("full", DeviceErrors.exception("mqtt5-puback", "0x97"));
    DeviceClient client = open(builder -> builder.maxInFlight(most).maxInFlightBytes(mostBytes));
    for (int i = 0; i < full; i++) {
      client.enqueue(Message.builder().id("full-" + i).body(new byte[5_000]).build());
    }
    enqueue(client, "good", 20);
    // Another one of many is tried every few minutes only.
    time.advance(ofHours(full == 1 ? 1 : 12));
    assertAllTakenOnce("good", 20);
    assertThat(of("full")).isEmpty();
    refuse("none", DeviceErrors.exception("http", "500"));
    time.advance(ofHours(1));
    assertThat(of("full")).hasSize(full).allMatch(MessageOutcome::isAcknowledged);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 100, 1000, false",
    "2, 100, 1000, true",
    "12, 100, 1000, false",
    "30, 100, 1000, true",
    "12, 100, 9000, true",
    "3, 1, 1000000, false"
  })
  void largeOnesThatAreRefusedForEverStopNoOther(
      int bad, int most, long mostBytes, boolean onDisk, @TempDir Path folder) throws Exception {
    refuse("bad", DeviceErrors.exception("http", "500"));
    QueueSettings queue = QueueSettings.defaults();
    DeviceClient client =
        open(
            builder ->
                builder
                    .maxInFlight(most)
                    .maxInFlightBytes(mostBytes)
                    .queue(onDisk ? queue.inFolder(folder) : queue));
    enqueueLarge(client, "bad", bad);
    enqueue(client, "good", 20);
    time.advance(ofHours(1));
    assertAllTakenOnce("good", 20);
    // Others passed them, so their time runs out.
    for (int minute = 0; minute < 30; minute++) {
      enqueue(client, "late-" + minute, 1);
      time.advance(ofMinutes(1));
    }
    assertThat(of("late")).hasSize(30).allMatch(MessageOutcome::isAcknowledged);
    assertThat(of("bad")).hasSize(bad).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
    assertThat(client.counters().waiting() + client.counters().inFlight()).isZero();
    closeInVirtualTime(client);
  }

  @Test
  void largeOnesOnDiskAreSentWholeWhenTheyAreTakenAtLast(@TempDir Path folder) throws Exception {
    refuse("bad", DeviceErrors.exception("mqtt5-puback", "0x97"));
    DeviceClient client =
        open(
            builder ->
                builder.maxInFlightBytes(1_000).queue(QueueSettings.defaults().inFolder(folder)));
    enqueueLarge(client, "bad", 12);
    enqueue(client, "good", 20);
    time.advance(ofHours(12));
    assertAllTakenOnce("good", 20);
    refuse("none", DeviceErrors.exception("http", "500"));
    time.advance(ofHours(1));
    assertThat(of("bad")).hasSize(12).allMatch(MessageOutcome::isAcknowledged);
    assertThat(hub.takenBytes.subList(20, 32)).containsOnly(5_000);
    closeInVirtualTime(client);
  }

  @ParameterizedTest
  @CsvSource({"2, 100, 1000", "3, 100, 1000", "3, 1, 1000000"})
  void largePoisonMessagesStopNoOther(int bad, int most, long mostBytes) throws Exception {
    TransportException lost = DeviceErrors.exception("network", "connection-reset");
    hub.rule =
        id -> {
          if (id.startsWith("poison")) {
            hub.lose(lost);
          }
          return id.startsWith("poison") ? lost : null;
        };
    DeviceClient client =
        open(
            builder ->
                builder
                    .maxInFlight(most)
                    .maxInFlightBytes(mostBytes)
                    .operationTimeout(ofHours(24)));
    enqueueLarge(client, "poison", bad);
    enqueue(client, "good", 20);
    time.advance(ofHours(1));
    assertAllTakenOnce("good", 20);
    // They are poison only when others pass while they cost every connection.
    for (int i = 0; i < 60; i++) {
      enqueue(client, "late-" + i, 1);
      time.advance(ofMinutes(2));
    }
    assertThat(of("poison")).hasSize(bad).allMatch(outcome -> outcome.kind() == Kind.REJECTED);
    assertThat(of("late")).hasSize(60).allMatch(MessageOutcome::isAcknowledged);
  }
}
