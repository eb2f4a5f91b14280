package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Mosquitto;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Message Expiry Interval of MQTT 5, section 3.3.2.3.3. */
class MqttExpiryTest extends ScriptedMqttTest {
  private @Nullable Long expiryOf(Message message) {
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady().send(message).awaitAcknowledged();
    }
    return server.published().get(server.published().size() - 1).expirySeconds();
  }

  private static Message living(Duration timeToLive) {
    return Message.builder().body("x").timeToLive(timeToLive).build();
  }

  @Test
  void theIntervalIsRoundedUpAndNeverZero() {
    assertThat(expiryOf(living(Duration.ofNanos(1)))).isEqualTo(1);
    assertThat(expiryOf(living(Duration.ofSeconds(5)))).isEqualTo(5);
    assertThat(expiryOf(living(Duration.ofMillis(5_001)))).isEqualTo(6);
  }

  @Test
  void aMessageWithoutALimitSaysNone() {
    assertThat(expiryOf(Message.of("x"))).isNull();
    // Longer than MQTT can say.
    assertThat(expiryOf(living(Duration.ofDays(60_000)))).isNull();
  }

  @Test
  void mqtt311SendsTheMessageAllTheSame() {
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_3_1_1))) {
      client.awaitReady().send(living(Duration.ofSeconds(5))).awaitAcknowledged();
    }
  }

  @Test
  @Tag("slow")
  void aSubscriberThatComesLateGetsNoStaleMessage() {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      MqttTransport device = new MqttTransport(settings(broker.port()).topic("commands/a").build());
      MqttTransport late =
          new MqttTransport(
              settings(broker.port()).clientId("late").sessionExpiry(Duration.ofHours(1)).build());
      try (RecordingConnection subscriber = RecordingConnection.withCommands(late)) {
        subscriber.awaitGranted().awaitReady();
      }
      try (RecordingConnection sender = RecordingConnection.to(device)) {
        sender.awaitReady().send(living(Duration.ofSeconds(1))).awaitAcknowledged();
        sender.send(Message.of("lasting")).awaitAcknowledged();
      }
      // The broker counts whole seconds of real time.
      long acknowledgedNanos = System.nanoTime();
      Await.until(
          "the message has expired at the broker",
          () -> System.nanoTime() - acknowledgedNanos > TimeUnit.SECONDS.toNanos(3));
      try (RecordingConnection subscriber = RecordingConnection.withCommands(late)) {
        subscriber.awaitGranted().awaitReady();
        assertThat(subscriber.awaitCommand().command().body()).asString().isEqualTo("lasting");
      }
    }
  }
}
