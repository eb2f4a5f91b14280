package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.fixture.SlowLink;
import dev.reprise.device.fixture.SocketServer;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.AmqpTransport;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.http.HttpTransport;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttTransport;
import dev.reprise.device.transport.mqtt.MqttVersion;
import dev.reprise.fixtures.Mosquitto;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A slow link loses nothing and is not cut. Times and sizes are those of the field divided by about
 * ten: a message takes about twice as long as the time for its acknowledgement, which is longer
 * than a machine stands still.
 */
@Tag("slow")
class SlowLinkTest {
  private static final int BYTES_PER_SECOND = 128 * 1024;
  private static final int MESSAGE_BYTES = 2 * 1024 * 1024;
  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(8);

  private static final int LIMIT_MINUTES = 5;

  private static DeviceClient client(Transport transport, Duration ackTimeout) throws Exception {
    return DeviceClient.builder(new HubProfile("slow", transport, CredentialSupplier.none()))
        .ackTimeout(ackTimeout)
        .operationTimeout(ackTimeout)
        .build();
  }

  private static void arrivesAtTheFirstAttempt(Transport transport, SlowLink link)
      throws Exception {
    try (DeviceClient client = client(transport, ACK_TIMEOUT)) {
      client.open();
      MessageOutcome outcome =
          client
              .send(Message.builder().id("large").body(new byte[MESSAGE_BYTES]).build())
              .toCompletableFuture()
              .get(LIMIT_MINUTES, TimeUnit.MINUTES);
      assertThat(outcome).isEqualTo(new MessageOutcome("large", Kind.ACKNOWLEDGED, 1, null));
      assertThat(link.upBytes()).isBetween((long) MESSAGE_BYTES, MESSAGE_BYTES + 10_000L);
    }
  }

  private static MqttTransport mqtt(SlowLink link, MqttVersion version) {
    return new MqttTransport(
        MqttSettings.builder("127.0.0.1")
            .port(link.port())
            .version(version)
            .clientId("device")
            .topic("readings")
            // A probe waits behind the message for longer than this.
            .keepAlive(Duration.ofSeconds(6))
            .build());
  }

  @Test
  void overMqttALargeMessageArrivesAtTheFirstAttempt() throws Exception {
    try (Mosquitto broker = Mosquitto.anonymous();
        SlowLink link = SlowLink.to(broker.port(), BYTES_PER_SECOND)) {
      arrivesAtTheFirstAttempt(mqtt(link, MqttVersion.MQTT_5), link);
    }
  }

  @Test
  void overAmqpALargeMessageArrivesAtTheFirstAttempt() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        SlowLink link = SlowLink.to(broker.amqpPort(), BYTES_PER_SECOND)) {
      arrivesAtTheFirstAttempt(
          new AmqpTransport(
              AmqpSettings.builder("127.0.0.1", "telemetry").port(link.port()).build()),
          link);
    }
  }

  @Test
  void aDeadLinkWithMegabytesToSendIsNoticed() throws Exception {
    CompletableFuture<TransportException> cause = new CompletableFuture<>();
    try (Mosquitto broker = Mosquitto.anonymous();
        SlowLink link = SlowLink.to(broker.port(), BYTES_PER_SECOND);
        DeviceClient client =
            DeviceClient.builder(
                    new HubProfile(
                        "dead", mqtt(link, MqttVersion.MQTT_3_1_1), CredentialSupplier.none()))
                .ackTimeout(Duration.ofSeconds(1))
                .onStatus(
                    (status, previous) ->
                        Optional.ofNullable(status.cause()).ifPresent(cause::complete))
                .build()) {
      client.open().toCompletableFuture().get(LIMIT_MINUTES, TimeUnit.MINUTES);
      link.die();
      for (int i = 0; i < 4; i++) {
        client.enqueue(Message.of(new byte[MESSAGE_BYTES]));
      }
      assertThat(cause.get(LIMIT_MINUTES, TimeUnit.MINUTES).code()).isEqualTo("read-timeout");
    }
  }

  @Test
  void overHttpALargeBodyArrivesAtTheFirstAttempt() throws Exception {
    try (SocketServer server =
            SocketServer.start(
                SocketServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        SlowLink link = SlowLink.to(server.port(), 2 * BYTES_PER_SECOND)) {
      // Of this the system takes in most at once, on loopback.
      int bytes = 5 * MESSAGE_BYTES / 2;
      Transport transport =
          new HttpTransport(
              HttpSettings.builder(URI.create("http://127.0.0.1:" + link.port() + "/"))
                  .requestTimeout(ACK_TIMEOUT)
                  .build());
      try (DeviceClient client = client(transport, ACK_TIMEOUT)) {
        client.open();
        MessageOutcome outcome =
            client
                .send(Message.builder().id("large").body(new byte[bytes]).build())
                .toCompletableFuture()
                .get(LIMIT_MINUTES, TimeUnit.MINUTES);
        assertThat(outcome.kind()).isEqualTo(Kind.ACKNOWLEDGED);
      }
    }
  }
}
