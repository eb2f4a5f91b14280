package dev.reprise.device.hub;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.credential.SharedAccessSignature;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.AmqpTransport;
import dev.reprise.device.transport.amqp.CbsSettings;
import dev.reprise.device.transport.http.HttpAuthorization;
import dev.reprise.device.transport.http.HttpEncoding;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.http.HttpTransport;
import dev.reprise.device.transport.http.PercentEncoding;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttTransport;
import dev.reprise.device.transport.mqtt.MqttVersion;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A device of Azure IoT Hub, known by its key (shared access signatures) or by its certificate.
 *
 * <pre>{@code
 * HubProfile profile =
 *     AzureIotHub.builder("example.azure-devices.net", "pump-7").key(key).build().mqtt();
 * }</pre>
 *
 * <p>Immutable and thread-safe; a profile belongs to one client.
 */
public final class AzureIotHub {
  private static final String NAME = "azure-iot-hub";
  private static final String API_VERSION = "2021-04-12";
  private static final String TOKEN_TYPE = "servicebus.windows.net:sastoken";
  private static final String WEB_SOCKET_PATH = "$iothub/websocket";

  private static final int MQTT_PORT = 8883;
  private static final int AMQP_PORT = 5671;
  private static final int HTTPS_PORT = 443;

  /** The hub keeps commands for a device by itself; it only asks for a session that lasts. */
  private static final Duration SESSION_EXPIRY = Duration.ofDays(1);

  private final String host;
  private final String deviceId;
  private final @Nullable SharedAccessSignature signature;
  private final TlsSettings tls;
  private final @Nullable String gatewayHost;
  private final int gatewayPort;

  private AzureIotHub(Builder builder, @Nullable SharedAccessSignature signature) {
    host = builder.host;
    deviceId = builder.deviceId;
    this.signature = signature;
    tls = builder.tls;
    gatewayHost = builder.gatewayHost;
    gatewayPort = builder.gatewayPort;
  }

  /**
   * Returns a builder.
   *
   * @param host the name of the hub, such as {@code example.azure-devices.net}
   * @param deviceId the id of the device, as the hub has it
   */
  public static Builder builder(String host, String deviceId) {
    return new Builder(host, deviceId);
  }

  /** Returns the profile for MQTT over TLS, which is MQTT 3.1.1 here. */
  public HubProfile mqtt() {
    return mqtt(mqttSettings(MQTT_PORT).build());
  }

  /** Returns the profile for MQTT through a WebSocket, for networks that let only HTTPS out. */
  public HubProfile mqttOverWebSocket() {
    return mqtt(mqttSettings(HTTPS_PORT).webSocketPath(WEB_SOCKET_PATH).build());
  }

  /** Returns the profile for AMQP. Tokens are renewed without a new connection. */
  public HubProfile amqp() {
    return new HubProfile(NAME, new AmqpTransport(amqpSettings()), credentials(null));
  }

  /** Returns the profile for HTTP, which cannot receive commands. */
  public HubProfile http() {
    return new HubProfile(NAME, new HttpTransport(httpSettings()), credentials(null));
  }

  private HubProfile mqtt(MqttSettings settings) {
    String username = host + "/" + deviceId + "/?api-version=" + API_VERSION;
    return new HubProfile(NAME, new MqttTransport(settings), credentials(username));
  }

  private CredentialSupplier credentials(@Nullable String username) {
    if (signature == null) {
      return CredentialSupplier.fixed(new Credential(username, null, null));
    }
    return username == null ? signature : signature.withUsername(username);
  }

  MqttSettings.Builder mqttSettings(int usualPort) {
    // They would be wildcards.
    if (deviceId.indexOf('+') >= 0 || deviceId.indexOf('#') >= 0) {
      throw new InvalidSettingException("deviceId", deviceId, "must not contain + or # over MQTT");
    }
    String events = "devices/" + deviceId + "/messages/events/";
    return MqttSettings.builder(server())
        .port(port(usualPort))
        .tls(tls)
        .version(MqttVersion.MQTT_3_1_1)
        .clientId(deviceId)
        .sessionExpiry(SESSION_EXPIRY)
        .topic(message -> events + propertyBag(message))
        .commands("devices/" + deviceId + "/messages/devicebound/#");
  }

  AmqpSettings amqpSettings() {
    String device = "/devices/" + PercentEncoding.uriPart(deviceId);
    AmqpSettings.Builder settings =
        AmqpSettings.builder(server(), device + "/messages/events")
            .port(port(AMQP_PORT))
            .tls(tls)
            .commandAddress(device + "/messages/devicebound")
            .containerId(deviceId)
            .linkProperty("com.microsoft:api-version", API_VERSION);
    if (signature != null) {
      settings.cbs(new CbsSettings(TOKEN_TYPE, host + "/devices/" + deviceId));
    }
    return settings.build();
  }

  HttpSettings httpSettings() {
    URI uri =
        URI.create(
            "https://"
                + server()
                + ":"
                + port(HTTPS_PORT)
                + "/devices/"
                + PercentEncoding.uriPart(deviceId)
                + "/messages/events?api-version="
                + API_VERSION);
    return HttpSettings.builder(uri)
        .encoding(AzureIotHub::httpContent)
        .authorization(HttpAuthorization.secretIn("Authorization"))
        .tls(tls)
        .forbiddenMeansQuota(true)
        .build();
  }

  /** Returns id, media type and properties of a message as the end of an MQTT topic. */
  static String propertyBag(Message message) {
    StringJoiner bag = new StringJoiner("&");
    bag.add("%24.mid=" + PercentEncoding.uriPart(message.id()));
    String contentType = message.contentType();
    if (contentType != null) {
      bag.add("%24.ct=" + PercentEncoding.uriPart(contentType));
    }
    message
        .properties()
        .forEach(
            (name, value) ->
                bag.add(PercentEncoding.uriPart(name) + "=" + PercentEncoding.uriPart(value)));
    return bag.toString();
  }

  /** The hub takes tokens only, also for values. */
  private static HttpEncoding.Content httpContent(Message message) {
    Map<String, String> headers = new LinkedHashMap<>();
    String contentType = message.contentType();
    headers.put("Content-Type", "application/octet-stream");
    headers.put("iothub-messageid", PercentEncoding.token(message.id()));
    if (contentType != null) {
      headers.put("iothub-contenttype", contentType);
    }
    message
        .properties()
        .forEach(
            (name, value) ->
                headers.put(
                    "iothub-app-" + PercentEncoding.token(name), PercentEncoding.token(value)));
    return new HttpEncoding.Content(headers, message.body());
  }

  private String server() {
    return gatewayHost == null ? host : gatewayHost;
  }

  private int port(int usualPort) {
    return gatewayPort == 0 ? usualPort : gatewayPort;
  }

  /** A device in the making. Not thread-safe. */
  public static final class Builder {
    private final String host;
    private final String deviceId;
    private @Nullable String key;
    private Duration tokenLifetime = SharedAccessSignature.DEFAULT_LIFETIME;
    private TlsSettings tls = TlsSettings.system();
    private @Nullable String gatewayHost;
    private int gatewayPort;

    private Builder(String host, String deviceId) {
      this.host = SettingChecks.notEmpty("host", host);
      this.deviceId = SettingChecks.notEmpty("deviceId", deviceId);
    }

    /** Sets the key of the device in Base64. Without it, the TLS settings show a certificate. */
    public Builder key(String key) {
      this.key = Objects.requireNonNull(key, "key");
      return this;
    }

    /** Sets how long a token holds; the default is 1 hour. */
    public Builder tokenLifetime(Duration tokenLifetime) {
      this.tokenLifetime = Objects.requireNonNull(tokenLifetime, "tokenLifetime");
      return this;
    }

    /** Sets whom the device trusts, and the certificate that it shows if it has no key. */
    public Builder tls(TlsSettings tls) {
      this.tls = Objects.requireNonNull(tls, "tls");
      return this;
    }

    /**
     * Connects to a gateway, such as IoT Edge, that stands in for the hub.
     *
     * @param host the name of the gateway, as its certificate has it
     * @param port its port, 1 to 65535
     */
    public Builder gateway(String host, int port) {
      gatewayHost = SettingChecks.notEmpty("host", host);
      gatewayPort = SettingChecks.port(port);
      return this;
    }

    /**
     * Returns the device.
     *
     * @throws IllegalArgumentException when it has neither key nor certificate, the key is not
     *     Base64, or the lifetime out of its range
     */
    public AzureIotHub build() {
      if (key != null) {
        return new AzureIotHub(
            this,
            SharedAccessSignature.of(host + "/devices/" + deviceId, key)
                .withLifetime(tokenLifetime));
      }
      if (tls.keys() == null) {
        throw new InvalidSettingException(
            "key", "not set", "must be, or the TLS settings must show a certificate");
      }
      return new AzureIotHub(this, null);
    }
  }
}
