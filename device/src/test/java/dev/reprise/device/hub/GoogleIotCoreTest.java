package dev.reprise.device.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.http.HttpEncoding;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttVersion;
import java.net.URI;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class GoogleIotCoreTest {
  private KeyPair keys;

  @BeforeEach
  void makeKeys() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    keys = generator.generateKeyPair();
  }

  @Test
  void mqttNamesAreThoseOfTheBridge() {
    MqttSettings settings = builder().build().mqttSettings();

    assertThat(settings.host()).isEqualTo("us-central1-mqtt.clearblade.com");
    assertThat(settings.port()).isEqualTo(8883);
    assertThat(settings.tls()).isEqualTo(TlsSettings.system());
    assertThat(settings.version()).isEqualTo(MqttVersion.MQTT_3_1_1);
    assertThat(settings.clientId())
        .isEqualTo("projects/my-project/locations/us-central1/registries/pumps/devices/pump-7");
    assertThat(settings.topic().of(Message.of("x"))).isEqualTo("/devices/pump-7/events");
    assertThat(settings.commandTopics())
        .containsExactly("/devices/pump-7/commands/#", "/devices/pump-7/config");
    assertThat(settings.sessionExpiry()).isZero();
  }

  @Test
  void mqttPasswordIsATokenForTheProject() {
    HubProfile profile = builder().build().mqtt();
    Credential credential = supplied(profile.credentials());

    assertThat(profile.name()).isEqualTo("clearblade");
    assertThat(credential.username()).isEqualTo("unused");
    assertThat(claims(credential).get("aud").stringValue()).isEqualTo("my-project");
  }

  /** Google Cloud IoT Core: 2^n seconds and up to one more, at most 64. */
  @Test
  void theBackoffOfTheBridgesIsPartOfEachProfile() {
    GoogleIotCore hub = builder().build();
    TransportException lost = DeviceErrors.exception("network", "connection-reset");
    for (HubProfile profile :
        List.of(
            hub.mqtt(),
            hub.http(URI.create("https://h/v1")),
            hub.clearBladeHttp(URI.create("https://h"), "system"))) {
      RetryPolicy policy = Objects.requireNonNull(profile.retryPolicy());
      assertThat(policy.getRetryDecision(0, lost).delay())
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
      assertThat(policy.getRetryDecision(3, lost).delay())
          .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(9));
      assertThat(policy.getRetryDecision(9, lost).delay()).isEqualTo(Duration.ofSeconds(64));
    }
  }

  @Test
  void subfolderIsPartOfTopicAndBody() {
    GoogleIotCore hub = builder().subfolder("alarms/high").build();

    assertThat(hub.mqttSettings().topic().of(Message.of("x")))
        .isEqualTo("/devices/pump-7/events/alarms/high");
    assertThat(json(hub.httpSettings(URI.create("https://h/v1")), Message.of("x")))
        .isEqualTo("{\"binaryData\":\"eA==\",\"subFolder\":\"alarms/high\"}");
  }

  @Test
  void anotherServerCanBeSet() {
    GoogleIotCore hub = builder().mqttServer("mqtt.googleapis.com", 443).build();

    assertThat(hub.mqttSettings().host()).isEqualTo("mqtt.googleapis.com");
    assertThat(hub.mqttSettings().port()).isEqualTo(443);
    assertThat(hub.mqtt().name()).isEqualTo("google-iot-core");
  }

  @Test
  void httpRequestIsPublishEvent() {
    HttpSettings settings =
        builder().build().httpSettings(URI.create("https://cloudiotdevice.googleapis.com/v1/"));

    assertThat(settings.uri())
        .isEqualTo(
            URI.create(
                "https://cloudiotdevice.googleapis.com/v1/projects/my-project/locations/"
                    + "us-central1/registries/pumps/devices/pump-7:publishEvent"));
    assertThat(settings.authorization().headers(new Credential(null, "token", null)))
        .isEqualTo(Map.of("Authorization", "Bearer token"));
    assertThat(settings.encoding().encode(Message.of("x")).headers())
        .isEqualTo(Map.of("Content-Type", "application/json"));
    assertThat(json(settings, Message.of("21.5 °C")))
        .isEqualTo("{\"binaryData\":\"MjEuNSDCsEM=\"}");
  }

  @Test
  void clearBladeHasAddressesAndClaimsOfItsOwn() {
    URI platform = URI.create("https://us-central1.clearblade.com");
    HttpSettings settings = builder().build().clearBladeHttpSettings(platform, "a1b2");

    assertThat(settings.uri())
        .isEqualTo(
            URI.create(
                "https://us-central1.clearblade.com/api/v/4/webhook/execute/a1b2/"
                    + "cloudiotdevice_devices?name=projects%2Fmy-project%2Flocations%2Fus-central1"
                    + "%2Fregistries%2Fpumps%2Fdevices%2Fpump-7&method=publishEvent"));
    assertThat(settings.authorization().headers(new Credential(null, "token", null)))
        .isEqualTo(Map.of("ClearBlade-UserToken", "token"));
    JsonNode claims =
        claims(supplied(builder().build().clearBladeHttp(platform, "a1b2").credentials()));
    assertThat(claims.get("sk").stringValue()).isEqualTo("a1b2");
    assertThat(claims.get("uid").stringValue()).isEqualTo("pump-7");
    assertThat(claims.get("ut").intValue()).isEqualTo(3);
  }

  @Test
  void settingsThatCannotWorkAreRefused() {
    assertThatThrownBy(() -> GoogleIotCore.builder("p", "l", "r", "d").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key is not set: must be, to sign tokens");
    assertThatThrownBy(() -> GoogleIotCore.builder("p", "", "r", "d"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("region is empty: must have at least one character");
    for (String subfolder : new String[] {"", "/a", "a//b", "a#", "a\"b", "a/"}) {
      assertThatThrownBy(() -> builder().subfolder(subfolder))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "subfolder is "
                  + subfolder
                  + ": must be letters, digits and ._~- with slashes between");
    }
  }

  private GoogleIotCore.Builder builder() {
    return GoogleIotCore.builder("my-project", "us-central1", "pumps", "pump-7")
        .key(keys.getPrivate());
  }

  private static String json(HttpSettings settings, Message message) {
    HttpEncoding.Content content = settings.encoding().encode(message);
    return new String(content.body(), UTF_8);
  }

  private static Credential supplied(CredentialSupplier supplier) {
    return supplier.supply(null).toCompletableFuture().join();
  }

  private static JsonNode claims(Credential credential) {
    String secret = String.valueOf(credential.secret());
    return new JsonMapper().readTree(Base64.getUrlDecoder().decode(secret.split("\\.", -1)[1]));
  }
}
