package dev.reprise.device.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.CbsSettings;
import dev.reprise.device.transport.http.HttpEncoding;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttVersion;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AzureIotHubTest {
  private static final String KEY = Base64.getEncoder().encodeToString("key".getBytes(UTF_8));
  private static final Message MESSAGE =
      Message.builder()
          .id("id 1/2")
          .body("21.5")
          .contentType("application/json; charset=utf-8")
          .property("room", "a+b#c&d=e")
          .property("ö x", "100 %")
          .build();

  @TempDir Path folder;

  @Test
  void mqttNamesAreThoseOfTheHub() {
    MqttSettings settings = hub().mqttSettings(8883).build();

    assertThat(settings.host()).isEqualTo("example.azure-devices.net");
    assertThat(settings.port()).isEqualTo(8883);
    assertThat(settings.tls()).isEqualTo(TlsSettings.system());
    assertThat(settings.version()).isEqualTo(MqttVersion.MQTT_3_1_1);
    assertThat(settings.clientId()).isEqualTo("pump-7");
    assertThat(settings.sessionExpiry()).isPositive();
    assertThat(settings.commandTopics()).containsExactly("devices/pump-7/messages/devicebound/#");
    assertThat(settings.topic().of(Message.builder().id("1").build()))
        .isEqualTo("devices/pump-7/messages/events/%24.mid=1");
  }

  @Test
  void propertyBagIsPercentEncoded() {
    assertThat(hub().mqttSettings(8883).build().topic().of(MESSAGE))
        .isEqualTo(
            "devices/pump-7/messages/events/%24.mid=id%201%2F2"
                + "&%24.ct=application%2Fjson%3B%20charset%3Dutf-8"
                + "&room=a%2Bb%23c%26d%3De&%C3%B6%20x=100%20%25");
  }

  @Test
  void mqttUserNameCarriesTheVersionAndThePasswordIsASignature() {
    Credential credential = supplied(hub().mqtt().credentials());

    assertThat(credential.username())
        .isEqualTo("example.azure-devices.net/pump-7/?api-version=2021-04-12");
    assertThat(credential.secret())
        .startsWith("SharedAccessSignature sr=example.azure-devices.net%2Fdevices%2Fpump-7&sig=");
    assertThat(credential.lifetime()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void profilesAreNamedAfterTheHub() {
    assertThat(hub().mqtt().name()).isEqualTo("azure-iot-hub");
    assertThat(hub().mqtt().transport().name()).isEqualTo("mqtt");
    assertThat(hub().mqttOverWebSocket().transport().name()).isEqualTo("mqtt");
    assertThat(hub().amqp().transport().name()).isEqualTo("amqp");
    assertThat(hub().http().transport().name()).isEqualTo("http");
  }

  @Test
  void amqpNamesAreThoseOfTheHub() {
    AmqpSettings settings = hub().amqpSettings();

    assertThat(settings.host()).isEqualTo("example.azure-devices.net");
    assertThat(settings.port()).isEqualTo(5671);
    assertThat(settings.tls()).isEqualTo(TlsSettings.system());
    assertThat(settings.address()).isEqualTo("/devices/pump-7/messages/events");
    assertThat(settings.commandAddress()).isEqualTo("/devices/pump-7/messages/devicebound");
    assertThat(settings.containerId()).isEqualTo("pump-7");
    assertThat(settings.cbs())
        .isEqualTo(
            new CbsSettings(
                "servicebus.windows.net:sastoken", "example.azure-devices.net/devices/pump-7"));
    assertThat(settings.linkProperties())
        .isEqualTo(Map.of("com.microsoft:api-version", "2021-04-12"));
  }

  @Test
  void httpRequestIsThatOfTheHub() {
    HttpSettings settings = hub().httpSettings();

    assertThat(settings.uri())
        .isEqualTo(
            URI.create(
                "https://example.azure-devices.net:443/devices/pump-7/messages/events"
                    + "?api-version=2021-04-12"));
    assertThat(settings.authorization().headers(new Credential(null, "token", null)))
        .isEqualTo(Map.of("Authorization", "token"));
    assertThat(settings.forbiddenMeansQuota()).isTrue();
    HttpEncoding.Content content = settings.encoding().encode(MESSAGE);
    assertThat(content.body()).isEqualTo("21.5".getBytes(UTF_8));
    assertThat(content.headers())
        .containsExactly(
            Map.entry("Content-Type", "application/octet-stream"),
            Map.entry("iothub-messageid", "id%201%2F2"),
            Map.entry("iothub-contenttype", "application/json; charset=utf-8"),
            Map.entry("iothub-app-room", "a+b#c&d%3De"),
            Map.entry("iothub-app-%C3%B6%20x", "100%20%25"));
  }

  @Test
  void certificateTakesThePlaceOfSignatures() throws Exception {
    Identity identity = TestAuthority.in(folder).client("pump-7");
    TlsSettings tls =
        TlsSettings.system().identifiedBy(identity.certificatePem(), identity.keyPem());
    AzureIotHub hub = AzureIotHub.builder("example.azure-devices.net", "pump-7").tls(tls).build();

    assertThat(supplied(hub.mqtt().credentials()))
        .isEqualTo(
            new Credential("example.azure-devices.net/pump-7/?api-version=2021-04-12", null, null));
    assertThat(hub.mqtt().credentials().isRenewable()).isFalse();
    assertThat(hub.mqttSettings(8883).build().tls()).isSameAs(tls);
    assertThat(hub.amqpSettings().cbs()).isNull();
    assertThat(supplied(hub.amqp().credentials())).isEqualTo(Credential.NONE);
    assertThat(supplied(hub.http().credentials())).isEqualTo(Credential.NONE);
  }

  @Test
  void gatewayTakesThePlaceOfTheServerAndNotOfTheName() {
    AzureIotHub hub =
        AzureIotHub.builder("example.azure-devices.net", "pump-7")
            .key(KEY)
            .gateway("edge.local", 9000)
            .build();

    assertThat(hub.mqttSettings(8883).build().host()).isEqualTo("edge.local");
    assertThat(hub.mqttSettings(8883).build().port()).isEqualTo(9000);
    assertThat(hub.amqpSettings().port()).isEqualTo(9000);
    assertThat(hub.httpSettings().uri().getAuthority()).isEqualTo("edge.local:9000");
    assertThat(supplied(hub.mqtt().credentials()).username())
        .startsWith("example.azure-devices.net/");
  }

  @Test
  void settingsThatCannotWorkAreRefused() {
    assertThatThrownBy(() -> AzureIotHub.builder("h", "d").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is not set: must be, or the TLS settings must show a certificate");
    assertThatThrownBy(() -> AzureIotHub.builder("h", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("deviceId is empty: must have at least one character");
    assertThatThrownBy(() -> AzureIotHub.builder("h", "d").gateway("g", 65_536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("port is 65536: must be 1 to 65535");
    assertThatThrownBy(() -> AzureIotHub.builder("h", "a#b").key(KEY).build().mqtt())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("deviceId is a#b: must not contain + or # over MQTT");
  }

  private static AzureIotHub hub() {
    return AzureIotHub.builder("example.azure-devices.net", "pump-7").key(KEY).build();
  }

  private static Credential supplied(CredentialSupplier supplier) {
    return supplier.supply(null).toCompletableFuture().join();
  }
}
