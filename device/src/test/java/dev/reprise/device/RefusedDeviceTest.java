package dev.reprise.device;

import static dev.reprise.device.ConnectionState.CONNECTED;
import static dev.reprise.device.ConnectionState.DISCONNECTED;
import static dev.reprise.device.ConnectionState.RETRYING;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.MessageOutcome;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A device that a hub refuses although it knew it, or whose address is yet to be made. */
class RefusedDeviceTest extends ScriptedDevice {
  private Duration lose(DeviceClient client, TransportException failure) {
    transport.last().lose(failure);
    settle();
    assertThat(client.status().state()).isEqualTo(RETRYING);
    Duration told = Objects.requireNonNull(client.status().retryDelay());
    time.advance(told);
    return told;
  }

  private void assertTriedSlowly(DeviceClient client, TransportException refusal) {
    assertThat(lose(client, refusal)).isBetween(ofSeconds(60), ofSeconds(100));
    assertThat(lose(client, refusal)).isBetween(ofSeconds(120), ofSeconds(200));
    for (int i = 0; i < 4; i++) {
      lose(client, refusal);
    }
    assertThat(lose(client, refusal)).isBetween(ofMinutes(15), ofMinutes(20));
  }

  private void assertGoesOn(DeviceClient client, CompletableFuture<MessageOutcome> waiting) {
    transport.last().ready();
    settle();
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcome(waiting).isAcknowledged()).isTrue();
    assertThat(client.status().state()).isEqualTo(CONNECTED);
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-connack, 0x87",
    "mqtt5-connack, 0x86",
    "mqtt3-connack, 5",
    "mqtt3-connack, 4",
    "amqp, amqp:unauthorized-access",
    "amqp-sasl, 1",
    // Over a WebSocket, by a gateway.
    "http, 401",
    "network, tls-handshake-certificate"
  })
  void aDeviceThatTheHubAcceptedBeforeIsTriedAgainSlowly(String protocol, String code)
      throws Exception {
    TransportException refusal = DeviceErrors.exception(protocol, code);
    credentials = CredentialSupplier.password("u", "p");
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> waiting = send(client, "a").get(0);
    lose(client, lost);
    assertTriedSlowly(client, refusal);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
    assertThat(waiting).isNotDone();
    assertGoesOn(client, waiting);
  }

  @ParameterizedTest
  @CsvSource({"http, 401", "network, tls-handshake-certificate"})
  void soIsOneOverHttpWhoseMessagesWereTaken(String protocol, String code) throws Exception {
    TransportException refusal = DeviceErrors.exception(protocol, code);
    credentials = CredentialSupplier.password("u", "p");
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> waiting = send(client, "a").get(0);
    transport.last().proven = true;
    assertThat(lose(client, refusal)).isBetween(ofSeconds(60), ofSeconds(100));
    transport.last().ready();
    settle();
    assertThat(lose(client, refusal)).isBetween(ofSeconds(120), ofSeconds(200));
    assertGoesOn(client, waiting);
  }

  @Test
  void soIsOneWithATokenAndWithAnotherOneEachTime() throws Exception {
    TransportException refusal = DeviceErrors.exception("mqtt3-connack", "5");
    credentials = before -> CompletableFuture.completedFuture(newToken());
    DeviceClient client = connected();
    lose(client, lost);
    assertThat(lose(client, refusal)).isLessThan(ofSeconds(1));
    assertTriedSlowly(client, refusal);
    int given = tokens;
    lose(client, refusal);
    assertThat(tokens).isEqualTo(given + 1);
  }

  @ParameterizedTest
  @CsvSource({
    "amqp, amqp:not-found",
    "amqp, amqp:resource-deleted",
    "amqp, com.microsoft:iot-hub-not-found-error"
  })
  void anAddressThatDoesNotExistYetIsTriedAgainSlowly(String protocol, String code)
      throws Exception {
    TransportException missing = DeviceErrors.exception(protocol, code);
    DeviceClient client = client(builder -> builder);
    CompletableFuture<?> opened = client.open().toCompletableFuture();
    CompletableFuture<MessageOutcome> waiting = send(client, "a").get(0);
    assertTriedSlowly(client, missing);
    // Who waits for the first connection is told.
    assertThatThrownBy(opened::join).hasCause(missing);
    assertGoesOn(client, waiting);
  }

  @Test
  void soIsOneOverHttp() throws Exception {
    TransportException missing = DeviceErrors.exception("http", "404");
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> waiting = send(client, "a").get(0);
    assertThat(lose(client, missing)).isBetween(ofSeconds(60), ofSeconds(100));
    transport.last().ready();
    settle();
    assertThat(lose(client, missing)).isBetween(ofSeconds(120), ofSeconds(200));
    transport.last().ready();
    settle();
    // One that was there until now may only be replaced.
    transport.last().proven = true;
    assertThat(lose(client, missing)).isLessThan(ofSeconds(1));
    assertGoesOn(client, waiting);
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-connack, 0x87",
    "mqtt3-connack, 4",
    "amqp, amqp:unauthorized-access",
    "amqp-sasl, 1",
    "http, 401",
    "network, tls-handshake-certificate"
  })
  void aDeviceThatWasNeverAcceptedStopsAtOnce(String protocol, String code) throws Exception {
    credentials = CredentialSupplier.password("u", "wrong");
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    transport.last().lose(DeviceErrors.exception(protocol, code));
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-connack, 0x87",
    "amqp, amqp:not-found",
    "http, 404",
    "http, 401",
    "network, tls-handshake-certificate"
  })
  void whoWantsTheEndHasIt(String protocol, String code) throws Exception {
    DeviceClient client = connected(builder -> builder.stopWhenRefused(true));
    transport.last().proven = true;
    lose(client, lost);
    if (protocol.equals("http")) {
      transport.last().ready();
      settle();
    }
    transport.last().lose(DeviceErrors.exception(protocol, code));
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
  }

  @Test
  void aPasswordThatTheApplicationChangedIsANewOne() throws Exception {
    Credential[] current = {new Credential("u", "right", null)};
    credentials =
        new CredentialSupplier() {
          @Override
          public CompletableFuture<Credential> supply(Credential refused) {
            return CompletableFuture.completedFuture(current[0]);
          }

          @Override
          public boolean isRenewable() {
            return false;
          }
        };
    DeviceClient client = connected();
    current[0] = new Credential("u", "wrong", null);
    lose(client, lost);
    transport.last().lose(refusedPassword);
    settle();
    assertThat(client.status().state()).isEqualTo(DISCONNECTED);
    time.advance(ofHours(1));
    assertThat(transport.links).hasSize(2);
  }
}
