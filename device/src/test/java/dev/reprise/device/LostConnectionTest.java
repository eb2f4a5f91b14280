package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import dev.reprise.device.retry.RetryDecision;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.testkit.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Connections that are lost and made again, in virtual time. */
class LostConnectionTest extends ScriptedDevice {
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
  void thePolicySeesRetryableFailuresAndTheRetriesMade() throws Exception {
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
  void aRedirectIsFollowedAndAFailureThereLeadsBack() throws Exception {
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
  void aPolicyThatDecidesNullCostsNoConnectionAndNoMessage() throws Exception {
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
}
