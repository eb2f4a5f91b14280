package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.CONNECTING;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import dev.reprise.device.retry.NoRetry;
import dev.reprise.device.retry.RetryDecision;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  void theConnectionIsNeverGivenUpByDefault() throws Exception {
    DeviceClient client =
        client(builder -> builder.connectionRetryPolicy(new ExponentialBackoffWithJitter()));
    client.open();
    for (int i = 0; i < 10_000; i++) {
      settle();
      transport.last().lose(lost);
      time.advance(ofSeconds(10));
    }
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(transport.links).hasSize(10_001);
  }

  @Test
  void wrongCredentialsThatCannotBeRenewedEndIt() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<@Nullable Void> opened = client.open().toCompletableFuture();
    settle();
    transport.last().lose(refusedPassword);
    settle();

    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    assertThatThrownBy(opened::join).hasCause(refusedPassword);
    time.advance(ofHours(1));
    assertThat(transport.links).hasSize(1);
  }

  @Test
  void aRefusedTokenIsReplacedExactlyOnce() throws Exception {
    List<@Nullable Credential> refused = new ArrayList<>();
    credentials =
        before -> {
          refused.add(before);
          return CompletableFuture.completedFuture(
              new Credential("u", "token-" + refused.size(), null));
        };
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    transport.last().lose(refusedPassword);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    time.advance(ofMillis(100));
    assertThat(transport.last().request.credential().secret()).isEqualTo("token-2");
    assertThat(refused).containsExactly(null, new Credential("u", "token-1", null));

    transport.last().lose(refusedPassword);
    settle();
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    time.advance(ofHours(1));
    assertThat(transport.links).hasSize(2);
  }

  @Test
  void aTokenThatIsAcceptedAndThenRefusedIsNotReplacedForEver() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(new Credential("u", "t", null));
    TransportException refusedToken = DeviceErrors.exception("http", "401");
    DeviceClient client = connected();
    transport.last().lose(refusedToken);
    time.advance(ofMillis(100));
    transport.last().ready();
    settle();
    transport.last().lose(refusedToken);
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
  }

  @Test
  void afterItHasGivenUpTheClientCanBeOpenedAgainAndHasKeptItsMessages() throws Exception {
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
  void anUnknownFailureIsNotRetried() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    transport.last().lose(DeviceErrors.exception("mqtt5-connack", "0xEE"));
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.REFUSED);
  }

  @Test
  void thePolicySeesTheLatestFailureAndTheRetriesMadeAndNeverATerminalOne() throws Exception {
    List<String> asked = new ArrayList<>();
    DeviceClient client =
        client(
            builder ->
                builder.connectionRetryPolicy(
                    (count, failure) -> {
                      asked.add(count + " " + failure.code());
                      return RetryDecision.retryAfter(ofSeconds(1));
                    }));
    client.open();
    settle();
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    transport.last().lose(DeviceErrors.exception("mqtt3-connack", "3"));
    time.advance(ofSeconds(1));
    transport.last().lose(refusedPassword);
    time.advance(ofSeconds(1));
    assertThat(asked).containsExactly("0 connection-reset", "1 3");
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
  }

  @Test
  void aHubThatAcceptsAndKicksIsApproachedMoreAndMoreSlowly() throws Exception {
    DeviceClient client =
        connected(
            builder ->
                builder.connectionRetryPolicy(
                    (count, failure) -> RetryDecision.retryAfter(ofSeconds(1L << count))));
    for (int loss = 0; loss < 5; loss++) {
      transport.last().lose(lost);
      settle();
      assertThat(client.status().retryDelay()).isEqualTo(ofSeconds(1L << loss));
      time.advance(ofSeconds(1L << loss));
      transport.last().ready();
      time.advance(ofSeconds(29));
    }
    time.advance(ofSeconds(1));
    transport.last().lose(lost);
    settle();
    assertThat(client.status().retryDelay()).isEqualTo(ofSeconds(1));
    assertThat(client.status().retries()).isEqualTo(1);
  }

  @Test
  void aConnectionThatHasProvedItselfIsMadeAgainAtOnce() throws Exception {
    DeviceClient client =
        connected(
            builder ->
                builder
                    .firstReconnectSpread(ofSeconds(10))
                    .connectionRetryPolicy(
                        (count, failure) -> RetryDecision.retryAfter(ofSeconds(1L << count))));
    for (int loss = 0; loss < 5; loss++) {
      transport.last().proven = true;
      transport.last().lose(lost);
      settle();
      assertThat(client.status().retryDelay()).isEqualTo(ofSeconds(1));
      time.advance(ofSeconds(1));
      transport.last().ready();
      settle();
    }
    transport.last().lose(lost);
    settle();
    assertThat(client.status().retryDelay()).isEqualTo(ofSeconds(2));
  }

  @Test
  void thePolicyOfTheHubIsTheDefaultForTheConnectionAndForMessages() throws Exception {
    hubPolicy = (count, failure) -> RetryDecision.retryAfter(ofSeconds(7));
    DeviceClient client = connected();
    send(client, "m");
    settle();
    transport.last().sent.get(0).callback().onFailed(DeviceErrors.exception("http", "500"));
    settle();
    time.advance(ofSeconds(6));
    assertThat(transport.last().sent).hasSize(1);
    time.advance(ofSeconds(1));
    assertThat(transport.last().sent).hasSize(2);

    transport.last().lose(lost);
    settle();
    assertThat(client.status().retryDelay()).isEqualTo(ofSeconds(7));
  }

  @Test
  void aPolicyOfTheApplicationTakesThePlaceOfTheHubs() throws Exception {
    hubPolicy = (count, failure) -> RetryDecision.retryAfter(ofSeconds(7));
    DeviceClient client =
        connected(
            builder ->
                builder.connectionRetryPolicy(
                    (count, failure) -> RetryDecision.retryAfter(ofSeconds(3))));
    transport.last().lose(lost);
    settle();
    assertThat(client.status().retryDelay()).isEqualTo(ofSeconds(3));
  }

  @Test
  void theFirstReconnectIsSpreadOnTopOfThePolicy() throws Exception {
    List<Duration> delays = new ArrayList<>();
    for (int device = 0; device < 200; device++) {
      int seed = device;
      DeviceClient client =
          connected(
              builder -> builder.random(SeededRandom.of(seed)).firstReconnectSpread(ofSeconds(1)));
      transport.last().lose(lost);
      settle();
      delays.add(client.status().retryDelay());
    }
    assertThat(delays)
        .allMatch(delay -> delay.compareTo(ofSeconds(1)) >= 0 && delay.compareTo(ofSeconds(2)) < 0);
    assertThat(delays.stream().distinct().count()).isGreaterThan(190);
  }

  @Test
  void reconnectNowEndsTheWaitButNotOneThatTheHubAskedFor() throws Exception {
    DeviceClient client =
        connected(builder -> builder.connectionRetryPolicy(RetryPolicies.fixed(ofHours(1))));
    transport.last().lose(lost);
    settle();
    client.reconnectNow();
    client.reconnectNow();
    time.advance(ofSeconds(1));
    assertThat(transport.links).hasSize(2);

    transport
        .last()
        .lose(DeviceErrors.exception(details("http", "503").withRetryAfter(ofMinutes(5))));
    settle();
    client.reconnectNow();
    time.advance(ofMinutes(5).minusMillis(1));
    assertThat(transport.links).hasSize(2);
    time.advance(ofMillis(1));
    assertThat(transport.links).hasSize(3);
  }

  @Test
  void anAttemptThatNeverAnswersIsEndedByTheConnectTimeout() throws Exception {
    DeviceClient client = client(builder -> builder.connectTimeout(ofSeconds(7)));
    client.open();
    time.advance(ofSeconds(7));
    assertThat(transport.last().closed).isTrue();
    assertThat(client.status().reason()).isEqualTo(StatusReason.TIMEOUT);
    time.advance(ofSeconds(1));
    assertThat(transport.links).hasSize(2);
    transport.links.get(0).ready();
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
  }

  @Test
  void aSupplierThatNeverAnswersIsEndedByTheConnectTimeoutToo() throws Exception {
    CompletableFuture<Credential> late = new CompletableFuture<>();
    credentials = before -> late;
    DeviceClient client = client(builder -> builder);
    client.open();
    time.advance(ofSeconds(30));
    assertThat(client.status().reason()).isEqualTo(StatusReason.TIMEOUT);
    assertThat(transport.links).isEmpty();
  }

  @Test
  void aSilentConnectionIsGivenUpAfterTheAckTimeout() throws Exception {
    DeviceClient client = connected(builder -> builder.ackTimeout(ofSeconds(10)));
    send(client, "a");
    time.advance(ofSeconds(9));
    send(client, "b");
    transport.last().acknowledge(0);
    time.advance(ofSeconds(9));
    assertThat(client.status().state()).isEqualTo(CONNECTED);
    time.advance(ofSeconds(1));
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(client.status().reason()).isEqualTo(StatusReason.TIMEOUT);
    assertThat(transport.links.get(0).closed).isTrue();
    time.advance(ofSeconds(1));
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("b");
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
  void aRefusedMessageIsSentAgainAsItsPolicySaysAndThenRejectedWithTheCause() throws Exception {
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
  void theOperationTimeoutEndsResendsAndStandsStillWithoutAConnection() throws Exception {
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
  void aMessageWaitsThroughAThrottleThatIsLongerThanItsOperationTimeout() throws Exception {
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
  void aMessageThatCostsEveryConnectionStepsAsideAndIsGivenUpWhenOthersPass() throws Exception {
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
  void aBadLinkAccusesNoMessageAndTenThousandRedeliveriesEndInOneOutcome() throws Exception {
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
  void aTokenIsRenewedOnTheLiveConnectionBeforeItEndsAndNothingLooksWrong() throws Exception {
    transport.renewsLive = true;
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client = connected();
    for (int hour = 0; hour < 24; hour++) {
      time.advance(ofMinutes(47));
      assertThat(transport.last().renewals).hasSize(hour);
      while (transport.last().renewals.size() == hour) {
        time.advance(ofSeconds(1));
      }
      assertThat(time.elapsed()).isLessThan(ofMinutes((hour + 1) * 51L + 1));
      transport.last().listener.onRenewed();
      settle();
    }
    assertThat(states()).containsExactly(CONNECTING, CONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
  }

  @Test
  void aTokenOfTheConnectionIsRenewedByAPlannedReconnect() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client = connected();
    for (int hour = 1; hour < 24; hour++) {
      time.advance(ofMinutes(47));
      assertThat(transport.links).hasSize(hour);
      stepUntilLinks(hour + 1, ofMinutes(4));
      transport.last().ready();
      settle();
    }
    assertThat(statuses)
        .extracting(ConnectionStatus::state, ConnectionStatus::reason)
        .containsOnly(
            tuple(CONNECTING, StatusReason.OK),
            tuple(CONNECTED, StatusReason.OK),
            tuple(CONNECTING, StatusReason.TOKEN_RENEWAL));
    assertThat(client.status().retries()).isZero();
    assertThat(client.counters().losses()).isZero();
  }

  @Test
  void thePlannedReconnectWaitsForWhatIsUnderWayButNotForEver() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client =
        connected(builder -> builder.ackTimeout(ofHours(2)).operationTimeout(ofHours(2)));
    send(client, "a", "b");
    stepUntilLinks(2, ofMinutes(52));
    assertThat(transport.links.get(0).closed).isTrue();
    transport.links.get(0).acknowledge(0);
    send(client, "c");
    transport.last().ready();
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "c");
  }

  private void stepUntilLinks(int links, Duration most) {
    for (long second = 0; transport.links.size() < links && second < most.toSeconds(); second++) {
      time.advance(ofSeconds(1));
    }
    assertThat(transport.links).hasSize(links);
  }

  @Test
  void aSupplierThatFailsAtTheTimeOfRenewalIsAskedAgainAndTheConnectionStays() throws Exception {
    transport.renewsLive = true;
    List<Integer> asked = new ArrayList<>();
    credentials =
        before -> {
          asked.add(asked.size());
          return asked.size() > 1 && asked.size() < 4
              ? CompletableFuture.failedFuture(new IOException("no token today"))
              : CompletableFuture.completedFuture(newToken());
        };
    DeviceClient client = connected();
    time.advance(ofMinutes(59));
    assertThat(transport.last().renewals).isNotEmpty();
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @Test
  void aRedirectIsFollowedAndAFailureThereLeadsBackToTheConfiguredServer() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    transport
        .last()
        .lose(
            DeviceErrors.exception(
                details("amqp", "amqp:connection:redirect").withServerReference("other:5671")));
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.server()).isEqualTo("other:5671");
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.server()).isNull();
  }

  @Test
  void commandsAreAskedForAgainAfterEachReconnectAndAnsweredByTheHandler() throws Exception {
    List<Boolean> replies = new ArrayList<>();
    DeviceClient client = connected();
    CompletableFuture<@Nullable Void> granted =
        client
            .subscribe(
                command -> {
                  if (command.id().equals("bad")) {
                    throw new IOException("not today");
                  }
                })
            .toCompletableFuture();
    settle();
    assertThat(transport.last().subscriptions).isEqualTo(1);
    assertThat(granted).isNotDone();
    transport.last().listener.onSubscribed(null);
    settle();
    assertThat(granted).isCompleted();
    transport
        .last()
        .listener
        .onCommand(new Command("c", "good", new byte[0], Map.of()), replies::add);
    transport
        .last()
        .listener
        .onCommand(new Command("c", "bad", new byte[0], Map.of()), replies::add);
    settle();
    assertThat(replies).containsExactly(true, false);

    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.receivesCommands()).isTrue();
  }

  @Test
  void aPolicyThatThrowsDoesNotEndTheConnection() throws Exception {
    DeviceClient client =
        client(
            builder ->
                builder.connectionRetryPolicy(
                    (count, failure) -> {
                      throw new IllegalStateException("broken");
                    }));
    client.open();
    settle();
    transport.last().lose(lost);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
  }

  @Test
  void aNewPolicyTakesEffectAtTheNextDecision() throws Exception {
    DeviceClient client = connected();
    client.setRetryPolicy(RetryPolicies.fixed(ofMinutes(3)));
    transport.last().lose(lost);
    settle();
    assertThat(client.status().retryDelay()).isEqualTo(ofMinutes(3));
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
  void aPolicyThatDecidesNullDoesNotEndTheConnectionNorSwallowAMessage() throws Exception {
    DeviceClient client = connected(builder -> builder.messageRetryPolicy((count, cause) -> null));
    client.setConnectionRetryPolicy((count, cause) -> null);
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    transport.last().sent.get(0).callback().onFailed(busy);
    settle();
    transport.last().lose(lost);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    time.advance(ofSeconds(1));
    transport.last().ready();
    time.advance(ofSeconds(1));
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcome(stage).kind()).isEqualTo(Kind.ACKNOWLEDGED);
  }

  @Test
  void commandsThatAreWantedWhileConnectingAreAskedForWhenReady() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    CompletableFuture<@Nullable Void> granted =
        client.subscribe(command -> {}).toCompletableFuture();
    settle();
    assertThat(transport.last().request.receivesCommands()).isFalse();
    transport.last().ready();
    settle();
    assertThat(transport.last().subscriptions).isEqualTo(1);
    assertThat(granted).isNotDone();
    transport.last().listener.onSubscribed(null);
    settle();
    assertThat(granted).isCompleted();
  }

  @Test
  void refusedCommandsFailTheStageAndAreAskedForAgainWithTheNextConnection() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<@Nullable Void> granted =
        client.subscribe(command -> {}).toCompletableFuture();
    settle();
    transport.last().listener.onSubscribed(tooLarge);
    settle();
    assertThatThrownBy(granted::join).hasCause(tooLarge);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.receivesCommands()).isTrue();
  }

  @Test
  void whoWaitsForCommandsIsToldWhenTheClientGivesUp() throws Exception {
    DeviceClient client = client(builder -> builder);
    CompletableFuture<@Nullable Void> granted =
        client.subscribe(command -> {}).toCompletableFuture();
    client.open();
    settle();
    transport.last().lose(refusedPassword);
    settle();
    assertThatThrownBy(granted::join).hasCause(refusedPassword);
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
    assertThat(stage.get(60, TimeUnit.SECONDS).isAcknowledged()).isTrue();
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
  void aMessageThatMakesTheHubHangUpForGoodDoesNotEndTheDevice() throws Exception {
    DeviceClient client = connected();
    send(client, "huge");
    transport.last().lose(DeviceErrors.exception("mqtt5-disconnect", "0x95"));
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(client.status().reason()).isEqualTo(StatusReason.REFUSED);
  }

  @Test
  void aServerThatWasNamedByAnotherOneHasNotTheLastWord() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    transport
        .last()
        .lose(
            DeviceErrors.exception(
                details("amqp", "amqp:connection:redirect").withServerReference("other")));
    time.advance(ofSeconds(1));
    transport.last().lose(refusedPassword);
    time.advance(ofSeconds(10));
    assertThat(transport.last().request.server()).isNull();
    assertThat(client.status().state()).isEqualTo(RETRYING);
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

  @Test
  void aRenewalThatIsNeverAnsweredIsAskedForAgain() throws Exception {
    transport.renewsLive = true;
    credentials =
        before -> {
          Credential token = newToken();
          return tokens == 2 ? new CompletableFuture<>() : CompletableFuture.completedFuture(token);
        };
    DeviceClient client = connected();
    time.advance(ofMinutes(52));
    assertThat(transport.last().renewals).hasSizeGreaterThan(0);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @Test
  void aSupplierThatHasNothingNewerCausesNoReconnects() throws Exception {
    Credential same = new Credential("u", "t", ofHours(1));
    credentials = before -> CompletableFuture.completedFuture(same);
    DeviceClient client = connected();
    time.advance(ofHours(3));
    assertThat(transport.links).hasSize(1);
    assertThat(client.status().state()).isEqualTo(CONNECTED);
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
