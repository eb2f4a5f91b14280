package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.NoRetry;
import dev.reprise.device.retry.RetryDecision;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.testkit.SeededRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages that are sent, refused, throttled and resent, in virtual time. */
class MessageFlowTest extends ScriptedDevice {
  @Test
  void whatIsSentBeforeTheFirstConnectionIsSentWithIt() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    client.open();
    settle();
    assertThat(stage).isNotDone();
    transport.last().ready();
    settle();
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
    assertThat(outcomes).containsExactly(outcome(stage));
  }

  @Test
  void afterALossTheUnacknowledgedAreSentFirstInTheirOrder() throws Exception {
    DeviceClient client = connected();
    send(client, "a", "b", "c");
    transport.last().acknowledge(1);
    settle();
    transport.last().lose(lost);
    send(client, "d");
    time.advance(ofSeconds(1));
    transport.last().ready();
    settle();

    assertThat(transport.last().sentIds()).containsExactly("a", "c", "d");
    assertThat(transport.last().sent)
        .extracting(ScriptedTransport.Sent::attempt)
        .containsExactly(2, 2, 1);
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId, MessageOutcome::attempts)
        .containsExactly(tuple("b", 1), tuple("a", 2), tuple("c", 2), tuple("d", 1));
  }

  @Test
  void aConnectionThatTakesNothingIsThrottledAndNotNetwork() throws Exception {
    DeviceClient client = connected(builder -> builder.ackTimeout(ofSeconds(10)));
    transport.last().capacity = 0;
    send(client, "a");
    time.advance(ofSeconds(10));
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(client.status().reason()).isEqualTo(StatusReason.THROTTLED);
  }

  @Test
  void aResendThatIsDueIsNotForgottenWhenTheConnectionTakesNothing() throws Exception {
    DeviceClient client = connected(builder -> builder.ackTimeout(ofSeconds(10)));
    send(client, "a");
    transport.last().capacity = 0;
    transport.last().sent.get(0).callback().onFailed(busy);
    time.advance(ofSeconds(10));
    assertThat(client.status().reason()).isEqualTo(StatusReason.THROTTLED);
  }

  @Test
  void aRefusedMessageIsResentAndThenRejectedWithTheCause() throws Exception {
    DeviceClient client =
        connected(
            builder ->
                builder.messageRetryPolicy(RetryPolicies.of(Backoff.fixed(ofSeconds(2)), 2)));
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    for (int attempt = 0; attempt < 2; attempt++) {
      transport.last().sent.get(attempt).callback().onFailed(busy);
      settle();
      time.advance(ofMillis(1999));
      assertThat(transport.last().sent).hasSize(attempt + 1);
      time.advance(ofMillis(1));
      assertThat(transport.last().sent).hasSize(attempt + 2);
    }
    transport.last().sent.get(2).callback().onFailed(busy);
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("a", Kind.REJECTED, 3, busy));
  }

  @Test
  void aMessageThatIsNotWantedIsRejectedAtOnceAndOthersGoOn() throws Exception {
    DeviceClient client = connected();
    List<CompletableFuture<MessageOutcome>> stages = send(client, "a", "b");
    transport.last().sent.get(0).callback().onFailed(tooLarge);
    transport.last().acknowledge(1);
    settle();
    assertThat(outcome(stages.get(0)).kind()).isEqualTo(Kind.REJECTED);
    assertThat(outcome(stages.get(1)).kind()).isEqualTo(Kind.ACKNOWLEDGED);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @Test
  void theOperationTimeoutStandsStillWithoutAConnection() throws Exception {
    DeviceClient client =
        connected(
            builder ->
                builder
                    .operationTimeout(ofSeconds(10))
                    .messageRetryPolicy(RetryPolicies.fixed(ofSeconds(4))));
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    transport.last().sent.get(0).callback().onFailed(busy);
    settle();
    time.advance(ofSeconds(4));
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    transport.last().lose(lost);
    client.setConnectionRetryPolicy(RetryPolicies.fixed(ofHours(1)));
    settle();
    time.advance(ofHours(1));
    transport.last().ready();
    settle();
    // 4 of 10 seconds are used: another wait of 4 fits, a third one does not.
    transport.last().sent.get(0).callback().onFailed(busy);
    settle();
    time.advance(ofSeconds(4));
    transport.last().sent.get(1).callback().onFailed(busy);
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("a", Kind.EXPIRED, 4, busy));
  }

  @Test
  void aThrottleSlowsTheWholeClientAndIsCalledByItsName() throws Exception {
    DeviceClient client = connected(builder -> builder.maxInFlight(4));
    transport.last().capacity = 4;
    send(client, "a", "b");
    transport
        .last()
        .sent
        .get(0)
        .callback()
        .onFailed(DeviceErrors.exception(details("http", "429").withRetryAfter(ofMinutes(2))));
    settle();
    assertThat(client.status().state()).isEqualTo(CONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.THROTTLED);
    transport.last().acknowledge(1);
    transport.last().capacity = 10;
    send(client, "c", "d", "e");
    time.advance(ofMinutes(2).minusMillis(1));
    assertThat(transport.last().sentIds()).containsExactly("a", "b");

    time.advance(ofMillis(1));
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "a", "c");
    transport.last().acknowledge(2);
    settle();
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
    transport.last().acknowledgeAll();
    settle();
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcomes)
        .extracting(MessageOutcome::kind)
        .containsOnly(Kind.ACKNOWLEDGED)
        .hasSize(5);
  }

  @Test
  void aServerThatNamesATimeIsLeftAloneByTheWholeClient() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    transport
        .last()
        .sent
        .get(0)
        .callback()
        .onFailed(DeviceErrors.exception(details("http", "503").withRetryAfter(ofMinutes(1))));
    send(client, "b");
    assertThat(client.status().reason()).isEqualTo(StatusReason.SERVER);
    time.advance(ofMinutes(1).minusMillis(1));
    assertThat(transport.last().sentIds()).containsExactly("a");
    time.advance(ofMillis(1));
    assertThat(transport.last().sentIds()).containsExactly("a", "a", "b");
  }

  @Test
  void aMessageOutlastsAThrottleBeyondItsOperationTimeout() throws Exception {
    DeviceClient client = connected(builder -> builder.operationTimeout(ofSeconds(10)));
    send(client, "a");
    transport
        .last()
        .sent
        .get(0)
        .callback()
        .onFailed(DeviceErrors.exception(details("http", "429").withRetryAfter(ofHours(1))));
    time.advance(ofHours(1));
    assertThat(transport.last().sent).hasSize(2);
  }

  @Test
  void aPoisonMessageStepsAsideAndIsGivenUpWhenOthersPass() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> poison = send(client, "poison").get(0);
    send(client, "b", "c", "d", "e", "f", "g");
    for (int round = 0; round < 100 && !poison.isDone(); round++) {
      // The hub hangs up whenever it sees the poison, and takes one other message at a time.
      for (int i = 0; i < transport.last().sent.size(); i++) {
        if (transport.last().sent.get(i).message().id().equals("poison")) {
          transport.last().lose(lost);
          break;
        }
        transport.last().acknowledge(i);
      }
      settle();
      time.advance(ofSeconds(1));
      if (!transport.last().closed) {
        transport.last().ready();
      }
      settle();
      send(client, "more-" + round);
    }
    assertThat(outcome(poison).kind()).isEqualTo(Kind.REJECTED);
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId)
        .contains("b", "c", "d", "e", "f", "g");
  }

  @Test
  void aBadLinkAccusesNoMessageAndEachHasOneOutcome() throws Exception {
    DeviceClient client = connected(builder -> builder.operationTimeout(ofHours(1_000)));
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    int sent = 1;
    while (sent < 10_000) {
      transport.last().lose(lost);
      settle();
      time.advance(ofSeconds(1));
      transport.last().ready();
      time.advance(ofSeconds(32));
      sent += transport.last().sent.size();
    }
    assertThat(stage).isNotDone();
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("a", Kind.ACKNOWLEDGED, sent, null));
  }

  @Test
  void messagesExpireWhileOfflineAndTheOthersStay() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<MessageOutcome> brief =
        client
            .send(Message.builder().id("brief").timeToLive(ofMinutes(1)).build())
            .toCompletableFuture();
    CompletableFuture<MessageOutcome> patient = send(client, "patient").get(0);
    time.advance(ofMinutes(1));
    assertThat(outcome(brief)).isEqualTo(new MessageOutcome("brief", Kind.EXPIRED, 0, null));
    assertThat(patient).isNotDone();
  }

  @Test
  void aFullQueueRefusesWithTheBoundOrLetsTheOldestGo() throws Exception {
    DeviceClient strict =
        client(builder -> builder.queue(QueueSettings.defaults().withBounds(1, 10_000)));
    List<CompletableFuture<MessageOutcome>> stages = send(strict, "a", "b");
    assertThat(outcome(stages.get(1)).kind()).isEqualTo(Kind.REJECTED);
    assertThat(outcome(stages.get(1)).cause())
        .hasMessageContaining("maxMessages")
        .hasMessageContaining("1");
    assertThat(stages.get(0)).isNotDone();

    DeviceClient lenient =
        client(
            builder ->
                builder.queue(
                    QueueSettings.defaults()
                        .withBounds(1, 10_000)
                        .withDropPolicy(DropPolicy.DROP_OLDEST)));
    stages = send(lenient, "a", "b");
    assertThat(outcome(stages.get(0)).kind()).isEqualTo(Kind.DROPPED);
    assertThat(stages.get(1)).isNotDone();
  }

  @Test
  void noMoreAreUnderWayThanTheConnectionTakes() throws Exception {
    DeviceClient client = connected(builder -> builder.maxInFlight(3));
    send(client, IntStream.range(0, 10).mapToObj(i -> "m" + i).toArray(String[]::new));
    assertThat(transport.last().sent).hasSize(3);
    transport.last().capacity = 1;
    transport.last().acknowledge(0);
    transport.last().acknowledge(1);
    settle();
    assertThat(transport.last().sent).hasSize(4);
    transport.last().capacity = 5;
    transport.last().listener.onWritable();
    settle();
    assertThat(transport.last().sent).hasSize(5);
    assertThat(client.counters().waiting()).isEqualTo(5);
  }

  @Test
  void theTimeToLiveHoldsForMessagesThatWereRefusedToo() throws Exception {
    DeviceClient client =
        connected(
            builder ->
                builder
                    .messageRetryPolicy(RetryPolicies.fixed(ofHours(1)))
                    .operationTimeout(ofHours(9)));
    CompletableFuture<MessageOutcome> stage =
        client
            .send(Message.builder().id("a").timeToLive(ofMinutes(1)).build())
            .toCompletableFuture();
    settle();
    transport.last().sent.get(0).callback().onFailed(busy);
    settle();
    transport.last().lose(lost);
    time.advance(ofMinutes(1));
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("a", Kind.EXPIRED, 1, busy));
  }

  @Test
  void aThrottleIsHeededEvenByAPolicyThatNeverRetries() throws Exception {
    DeviceClient client =
        connected(builder -> builder.messageRetryPolicy(new NoRetry()).maxInFlight(1));
    send(client, IntStream.range(0, 50).mapToObj(i -> "m" + i).toArray(String[]::new));
    for (int second = 0; second < 60; second++) {
      for (ScriptedTransport.Sent sent : List.copyOf(transport.last().sent)) {
        sent.callback().onFailed(DeviceErrors.exception("http", "429"));
      }
      time.advance(ofSeconds(1));
    }
    // Pauses of 1, 2, 4, 8, 16 and 32 seconds.
    assertThat(client.counters().attempts()).isBetween(5L, 8L);
  }

  @Test
  void afterAThrottleTheOrderIsTheOldOneAndTheStatusWasToldOnce() throws Exception {
    DeviceClient client =
        connected(
            builder ->
                builder.messageRetryPolicy(
                    (count, cause) ->
                        RetryDecision.retryAfter(
                            ofMillis(SeededRandom.of(tokens++).nextInt(5_000)))));
    send(client, "a", "b", "c", "d");
    statuses.clear();
    for (ScriptedTransport.Sent sent : List.copyOf(transport.last().sent)) {
      sent.callback().onFailed(DeviceErrors.exception("http", "429"));
    }
    send(client, "e");
    assertThat(statuses).hasSize(1);
    time.advance(ofSeconds(10));
    assertThat(transport.last().sentIds().subList(4, 9)).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void aMessageThatMakesTheHubHangUpForGoodDoesNotEndTheDevice() throws Exception {
    DeviceClient client = connected();
    send(client, "huge");
    transport.last().lose(DeviceErrors.exception("mqtt5-disconnect", "0x95"));
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(client.status().reason()).isEqualTo(StatusReason.REFUSED);
  }

  @Test
  void whatASyncDoesNotKeepIsRefusedWhoeverAskedForTheSync() throws Exception {
    FailingDisk disk = new FailingDisk(MessageQueues.open(QueueSettings.defaults()));
    DeviceClient client =
        new DeviceClient(
            new ClientSettings(
                DeviceClient.builder(new HubProfile("test", transport, credentials))
                    .time(time, time.executor())
                    .callbackExecutor(time.executor())
                    .onOutcome(outcomes::add)),
            disk);
    client.open();
    settle();
    transport.last().ready();
    settle();
    send(client, "a");
    transport.last().acknowledgeAll();
    time.advance(ofMillis(199));
    disk.isFull = true;
    // The removal of "a" is due in the same turn in which "b" is accepted.
    time.schedule(ofMillis(1).toNanos(), () -> client.send(Message.builder().id("b").build()));
    time.advance(ofMillis(2));
    disk.isFull = false;
    time.advance(ofHours(1));
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId, MessageOutcome::kind)
        .containsExactly(tuple("a", Kind.ACKNOWLEDGED), tuple("b", Kind.REJECTED));
  }
}
