package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.SharedAccessSignature;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import dev.reprise.device.retry.NoRetry;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a connection is made again, and when it is not. */
class ReconnectsTest extends ScriptedDevice {
  private static final Duration MIN_WAIT = ofMillis(100);

  /** Loses so many connections in a row, or attempts, and returns the waits that were told. */
  private List<Duration> waits(DeviceClient client, int losses, boolean accepted, String... error) {
    List<Duration> waits = new ArrayList<>();
    for (int i = 0; i < losses; i++) {
      if (accepted && client.status().state() != CONNECTED) {
        transport.last().ready();
        settle();
      }
      int before = transport.links.size();
      transport.last().lose(DeviceErrors.exception(error[0], error[1]));
      settle();
      assertThat(client.status().state()).isEqualTo(RETRYING);
      Duration told = Objects.requireNonNull(client.status().retryDelay());
      time.advance(told.minusNanos(1));
      assertThat(transport.links).as("before the time that was told").hasSize(before);
      time.advance(Duration.ofNanos(1));
      assertThat(transport.links).hasSize(before + 1);
      waits.add(told);
    }
    return waits;
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-disconnect, 0x81",
    "mqtt5-disconnect, 0x82",
    "mqtt5-disconnect, 0x90",
    "mqtt5-disconnect, 0x94",
    "mqtt5-disconnect, 0x95",
    "mqtt5-disconnect, 0x99",
    "mqtt5-disconnect, 0x9A",
    "mqtt5-disconnect, 0x9B",
    "mqtt5-disconnect, 0xEE",
    "amqp, amqp:decode-error",
    "amqp, amqp:illegal-state",
    "amqp, amqp:not-found",
    "http, 404"
  })
  void aHubThatHangsUpIsApproachedMoreAndMoreSlowly(String protocol, String code) throws Exception {
    DeviceClient client = connected();
    send(client, "a", "b", "c");
    List<Duration> waits = waits(client, 30, true, protocol, code);
    assertThat(waits).allMatch(wait -> wait.compareTo(MIN_WAIT) >= 0);
    assertThat(waits.subList(9, 30)).allMatch(wait -> wait.compareTo(ofSeconds(10)) >= 0);
  }

  @Test
  void aPolicyWithoutAnyDelayMakesNoStorm() throws Exception {
    DeviceClient client =
        connected(builder -> builder.connectionRetryPolicy(RetryPolicies.fixed(Duration.ZERO)));
    assertThat(waits(client, 20, true, "network", "connection-reset")).containsOnly(MIN_WAIT);
  }

  @Test
  void aTokenThatWasRefusedIsReplacedWithoutHaste() throws Exception {
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client = connected();
    assertThat(waits(client, 1, true, "http", "401")).containsExactly(MIN_WAIT);
  }

  @Test
  void twoServersThatNameEachOtherAreAskedMoreAndMoreSlowly() throws Exception {
    DeviceClient client =
        client(builder -> builder.connectionRetryPolicy(new ExponentialBackoffWithJitter()));
    client.open();
    settle();
    for (int i = 0; i < 20; i++) {
      transport
          .last()
          .lose(
              DeviceErrors.exception(
                  details("amqp", "amqp:connection:redirect").withServerReference("server-" + i)));
      settle();
      Duration told = Objects.requireNonNull(client.status().retryDelay());
      assertThat(told).isGreaterThanOrEqualTo(i < 9 ? MIN_WAIT : ofSeconds(10));
      time.advance(told);
      assertThat(transport.last().request.server()).isEqualTo("server-" + i);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-disconnect, 0x82",
    "mqtt5-disconnect, 0x8F",
    "mqtt5-disconnect, 0xEE",
    "amqp, amqp:not-implemented"
  })
  void whatEndsAConnectionThatWasAcceptedIsNotTheLastWord(String protocol, String code)
      throws Exception {
    DeviceClient client = connected();
    TransportException failure = DeviceErrors.exception(protocol, code);
    assertThat(failure.isRetryable()).isFalse();
    transport.last().lose(failure);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    assertThat(client.status().cause()).isSameAs(failure);

    // The answer to an attempt is.
    time.advance(ofMinutes(1));
    transport.last().lose(failure);
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
  }

  @Test
  void aPasswordThatIsRefusedWithARequestEndsAClientOverHttp() throws Exception {
    DeviceClient client = connected();
    transport.last().lose(DeviceErrors.exception("http", "401"));
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
  }

  @Test
  void aTimeLimitHoldsForWhatNoPolicyIsAskedAbout() throws Exception {
    DeviceClient client = connected(builder -> builder.giveUpAfter(ofMinutes(1)));
    while (client.status().state() != DISCONNECTED) {
      transport.last().ready();
      settle();
      transport.last().lose(DeviceErrors.exception("mqtt5-disconnect", "0x82"));
      settle();
      time.advance(ofSeconds(10));
    }
    assertThat(client.status().reason()).isEqualTo(StatusReason.RETRY_EXPIRED);
    assertThat(time.elapsed()).isLessThan(ofMinutes(2));
  }

  @Test
  void shortTokensChangeConnectionsAtTheSlowestPace() throws Exception {
    credentials =
        before ->
            CompletableFuture.completedFuture(
                new Credential("u", "token-" + ++tokens, ofMillis(1)));
    connected();
    for (int second = 0; second < 100; second++) {
      time.advance(ofSeconds(1));
      transport.last().ready();
      settle();
    }
    assertThat(transport.links).hasSizeBetween(5, 11);
  }

  @Test
  void theNextDayIsReachedWithFewAttempts() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    long end = time.elapsed().plus(ofHours(24)).toNanos();
    while (time.elapsed().toNanos() < end) {
      transport.last().ready();
      settle();
      transport.last().lose(DeviceErrors.exception("mqtt5-disconnect", "0x82"));
      time.advance(ofSeconds(10));
    }
    assertThat(client.counters().connects()).isLessThan(24 * 360 + 20);
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-connack, 0x97",
    "mqtt5-connack, 0x9F",
    "mqtt5-connack, 0x8A",
    "mqtt5-disconnect, 0x96",
    "amqp, com.microsoft:device-container-throttled",
    "amqp, amqp:resource-limit-exceeded",
    "http, 403"
  })
  void aThrottledConnectIsFollowedByALongerWaitEachTime(String protocol, String code)
      throws Exception {
    DeviceClient client =
        client(builder -> builder.connectionRetryPolicy(new ExponentialBackoffWithJitter()));
    client.open();
    settle();
    List<Duration> waits = waits(client, 20, false, protocol, code);
    assertThat(waits.get(0)).isBetween(ofSeconds(15), ofSeconds(25));
    assertThat(waits.get(1)).isBetween(ofSeconds(30), ofSeconds(50));
    assertThat(waits.get(2)).isBetween(ofSeconds(60), ofSeconds(100));
    assertThat(waits.subList(4, 20)).allMatch(wait -> wait.compareTo(ofMinutes(3)) >= 0);
    assertThat(waits).allMatch(wait -> wait.compareTo(ofMinutes(5)) <= 0);
    // A fleet that was throttled together does not come back together.
    assertThat(waits.stream().distinct()).hasSize(20);

    // Only a connection that lasts makes it forget.
    transport.last().ready();
    settle();
    assertThat(waits(client, 1, true, protocol, code).get(0)).isGreaterThan(ofMinutes(3));
    transport.last().ready();
    time.advance(ofSeconds(30));
    assertThat(waits(client, 1, true, protocol, code).get(0)).isLessThan(ofSeconds(30));
  }

  @Test
  void aServerThatIsOnlyBusyIsAskedAgainAsThePolicySays() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    assertThat(waits(client, 5, false, "mqtt5-connack", "0x88")).containsOnly(ofSeconds(1));
  }

  @Test
  void aPolicyThatHasDelaysOfItsOwnForThrottlesDecidesThem() throws Exception {
    Policy document =
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": 9,
             "backoff": {"type": "fixed", "delay": "1s"},
             "throttleBackoff": {"type": "fixed", "delay": "5s"}}
            """);
    DeviceClient client =
        client(builder -> builder.connectionRetryPolicy(RetryPolicies.of(document)));
    client.open();
    settle();
    assertThat(waits(client, 3, false, "mqtt5-connack", "0x9F")).containsOnly(ofSeconds(5));
  }

  @Test
  void aPolicyThatNeverRetriesEndsItAtAThrottleToo() throws Exception {
    DeviceClient client = client(builder -> builder.connectionRetryPolicy(new NoRetry()));
    client.open();
    settle();
    transport.last().lose(DeviceErrors.exception("mqtt5-connack", "0x9F"));
    settle();
    assertThat(client.status().reason()).isEqualTo(StatusReason.RETRY_EXPIRED);
  }

  @ParameterizedTest
  @CsvSource({"tls-server-certificate, CREDENTIAL", "tls-handshake, REFUSED"})
  void whatOthersHaveToMendIsAskedForAgainInMinutes(String code, StatusReason reason)
      throws Exception {
    DeviceClient client =
        client(builder -> builder.connectionRetryPolicy(new ExponentialBackoffWithJitter()));
    CompletableFuture<?> opened = client.open().toCompletableFuture();
    CompletableFuture<MessageOutcome> stage = send(client, "a").get(0);
    List<Duration> waits = waits(client, 20, false, "network", code);
    assertThat(waits.get(0)).isBetween(ofSeconds(60), ofSeconds(100));
    assertThat(waits.get(1)).isBetween(ofSeconds(120), ofSeconds(200));
    assertThat(waits.subList(4, 20))
        .allMatch(wait -> wait.compareTo(ofMinutes(15)) >= 0)
        .allMatch(wait -> wait.compareTo(ofMinutes(20)) <= 0);
    assertThat(statuses).extracting(ConnectionStatus::reason).contains(reason);

    // Who waits for the first connection is told why there is none yet.
    assertThat(opened).isCompletedExceptionally();

    // Another certificate: everything goes on.
    transport.last().ready();
    settle();
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcome(stage).isAcknowledged()).isTrue();
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @Test
  void theCertificateOfTheDeviceEndsItWhenItIsRefused() throws Exception {
    for (boolean accepted : List.of(false, true)) {
      DeviceClient client = accepted ? connected() : client(builder -> builder);
      client.open();
      settle();
      transport.last().lose(DeviceErrors.exception("network", "tls-handshake-certificate"));
      settle();
      assertThat(client.status().state()).isEqualTo(DISCONNECTED);
      assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    }
  }

  @Test
  void aTokenOfALateClockIsTriedAgainUntilTheClockIsSet() throws Exception {
    Instant[] clock = {Instant.EPOCH};
    credentials = SharedAccessSignature.of("hub/devices/d", "a2V5").withClock(() -> clock[0]);
    DeviceClient client = client(builder -> builder);
    CompletableFuture<?> opened = client.open().toCompletableFuture();
    settle();
    List<Duration> waits = waits(client, 6, false, "mqtt3-connack", "5");
    assertThat(waits.get(0)).isEqualTo(MIN_WAIT);
    assertThat(opened).isCompletedExceptionally();
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    assertThat(waits.get(1)).isBetween(ofSeconds(60), ofSeconds(100));
    assertThat(waits.get(5)).isGreaterThanOrEqualTo(ofMinutes(15));
    assertThat(transport.links.stream().map(link -> link.request.credential().secret()).distinct())
        .hasSizeGreaterThan(1);

    clock[0] = Instant.parse("2026-01-01T00:00:00Z");
    transport.last().lose(DeviceErrors.exception("mqtt3-connack", "5"));
    settle();
    client.reconnectNow();
    time.advance(ofSeconds(1));
    assertThat(transport.last().request.credential().secret()).contains("se=17672");
    transport.last().ready();
    settle();
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }
}
