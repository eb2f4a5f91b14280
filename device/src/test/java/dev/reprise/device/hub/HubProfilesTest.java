package dev.reprise.device.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.SaslMechanism;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttVersion;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HubProfilesTest {
  @ParameterizedTest
  @CsvSource({
    "mqtt://h, mqtt", "MQTTS://h, mqtt", "ws://h, mqtt", "wss://h/path, mqtt",
    "amqp://h, amqp", "amqps://h, amqp", "http://h, http", "https://h/a?b=c, http"
  })
  void schemeSaysTheProtocol(URI uri, String protocol) {
    HubProfile profile = HubProfiles.fromUri(uri, "pump-7");

    assertThat(profile.name()).isEqualTo(protocol);
    assertThat(profile.transport().name()).isEqualTo(protocol);
    assertThat(supplied(profile)).isEqualTo(Credential.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt://me:secret@h, me, secret",
    "amqp://me%40home:a%3Ab+c%25@h, me@home, a:b+c%",
    "http://me:@h, me, ''",
    "mqtt://only-me@h, only-me, ",
  })
  void userInfoIsTheCredential(URI uri, String username, String password) {
    Credential credential = supplied(HubProfiles.fromUri(uri, "pump-7"));

    assertThat(credential.username()).isEqualTo(username);
    assertThat(credential.secret()).isEqualTo(password);
  }

  @Test
  void mqttHasTopicsOfTheDevice() {
    MqttSettings settings = PlainMqtt.settings(URI.create("mqtt://h:1884"), "pump-7", null, false);

    assertThat(settings.host()).isEqualTo("h");
    assertThat(settings.port()).isEqualTo(1884);
    assertThat(settings.tls()).isNull();
    assertThat(settings.webSocketPath()).isNull();
    assertThat(settings.version()).isEqualTo(MqttVersion.AUTO);
    assertThat(settings.clientId()).isEqualTo("pump-7");
    assertThat(settings.topic().of(Message.of("x"))).isEqualTo("devices/pump-7/messages");
    assertThat(settings.commandTopics()).containsExactly("devices/pump-7/commands/#");
  }

  @Test
  void mqttTopicsAndVersionCanBeNamed() {
    MqttSettings settings =
        PlainMqtt.settings(
            URI.create("mqtts://h?to=a/b%20c&commands=d/+/%23&version=3.1.1"),
            "pump-7",
            TlsSettings.system(),
            false);

    assertThat(settings.port()).isEqualTo(8883);
    assertThat(settings.tls()).isEqualTo(TlsSettings.system());
    assertThat(settings.version()).isEqualTo(MqttVersion.MQTT_3_1_1);
    assertThat(settings.topic().of(Message.of("x"))).isEqualTo("a/b c");
    assertThat(settings.commandTopics()).containsExactly("d/+/#");
  }

  @ParameterizedTest
  @CsvSource({"ws://h, mqtt, 80", "ws://h/, mqtt, 80", "ws://h:9001/a/b, a/b, 9001"})
  void pathOfAWebSocketIsKept(URI uri, String path, int port) {
    MqttSettings settings = PlainMqtt.settings(uri, "pump-7", null, true);

    assertThat(settings.webSocketPath()).isEqualTo(path);
    assertThat(settings.port()).isEqualTo(port);
  }

  @Test
  void amqpHasAddressesOfTheDevice() {
    AmqpSettings settings =
        PlainAmqp.settings(URI.create("amqps://h"), "pump-7", TlsSettings.system());

    assertThat(settings.port()).isEqualTo(5671);
    assertThat(settings.tls()).isEqualTo(TlsSettings.system());
    assertThat(settings.address()).isEqualTo("devices/pump-7/messages");
    assertThat(settings.commandAddress()).isEqualTo("devices/pump-7/commands");
    assertThat(settings.containerId()).isEqualTo("pump-7");
    assertThat(settings.cbs()).isNull();

    AmqpSettings named =
        PlainAmqp.settings(URI.create("amqp://h:1?to=in&commands=out"), "pump-7", null);
    assertThat(named.port()).isEqualTo(1);
    assertThat(named.address()).isEqualTo("in");
    assertThat(named.commandAddress()).isEqualTo("out");
  }

  @Test
  void amqpHostLoginAndDurabilityCanBeNamed() {
    AmqpSettings settings =
        PlainAmqp.settings(
            URI.create("amqp://h?host=tenant-7&sasl=SCRAM-SHA-256&durable=true"), "pump-7", null);

    assertThat(settings.host()).isEqualTo("h");
    assertThat(settings.virtualHost()).isEqualTo("tenant-7");
    assertThat(settings.sasl()).isEqualTo(SaslMechanism.SCRAM_SHA_256);
    assertThat(settings.durableTarget()).isTrue();

    AmqpSettings plain = PlainAmqp.settings(URI.create("amqp://h"), "pump-7", null);
    assertThat(plain.virtualHost()).isNull();
    assertThat(plain.sasl()).isNull();
    assertThat(plain.durableTarget()).isFalse();
  }

  @Test
  void mqttSessionCanBeKept() {
    assertThat(
            PlainMqtt.settings(URI.create("mqtt://h?session=3600"), "pump-7", null, false)
                .sessionExpiry())
        .isEqualTo(Duration.ofHours(1));
  }

  @Test
  void httpKeepsTheUriWithoutItsSecret() {
    HttpSettings settings =
        PlainHttp.settings(
            URI.create("https://me:secret@h:444/a%20b?c=d"), "pümp", TlsSettings.system());

    assertThat(settings.uri()).isEqualTo(URI.create("https://h:444/a%20b?c=d"));
    assertThat(settings.encoding().encode(Message.of("x")).headers())
        .containsEntry("Device-Id", "p%C3%BCmp")
        .containsEntry("Content-Type", "application/octet-stream");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://h", "//h"})
  void otherSchemesAreRefused(String uri) {
    assertThatThrownBy(() -> HubProfiles.fromUri(URI.create(uri), "pump-7"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("scheme is ")
        .hasMessageEndingWith(": must be mqtt, mqtts, ws, wss, amqp, amqps, http or https");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mqtt:///x | URI mqtt:///x has no host: must have",
        "mqtt://h/topic | URI has the path /topic: must have none; topics go into ?to= and"
            + " &commands=",
        "amqp://h/address | URI has the path /address: must have none; addresses go into ?to= and"
            + " &commands=",
        "mqtt://h?topic=a | URI says topic=a: must be name=value, of [to, commands, version,"
            + " session]",
        "mqtt://h?to | URI says to: must be name=value, of [to, commands, version, session]",
        "mqtt://h?to= | to is empty: must have at least one character",
        "mqtt://h?version=4 | version is 4: must be 3.1.1 or 5",
        "amqp://h?version=1 | URI says version=1: must be name=value, of [to, commands, host, sasl,"
            + " durable]",
        "amqp://h?durable=yes | durable is yes: must be true or false",
        "amqp://h?sasl=SCRAM | sasl is SCRAM: must be one of [ANONYMOUS, EXTERNAL, PLAIN,"
            + " SCRAM-SHA-1, SCRAM-SHA-256, SCRAM-SHA-512]",
        "mqtt://h?session=x | session is x: must be a number of seconds",
        "mqtt://h?to=a/# | URI says #: must not; write # as %23 in topics",
        "mqtt://h?to=a/#&version=5 | URI says #&version=5: must not; write # as %23 in topics",
        "mqtt://me:secret@my_host | URI mqtt://***@my_host has no host: must have",
      })
  void whatIsNotInTheTableIsRefused(URI uri, String message) {
    assertThatThrownBy(() -> HubProfiles.fromUri(uri, "pump-7"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static Credential supplied(HubProfile profile) {
    return profile.credentials().supply(null).toCompletableFuture().join();
  }
}
