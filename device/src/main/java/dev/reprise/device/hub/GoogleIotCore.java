package dev.reprise.device.hub;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.credential.JwtCredential;
import dev.reprise.device.credential.PemFile;
import dev.reprise.device.message.Message;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.http.HttpAuthorization;
import dev.reprise.device.transport.http.HttpEncoding;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.http.HttpTransport;
import dev.reprise.device.transport.http.PercentEncoding;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttTransport;
import dev.reprise.device.transport.mqtt.MqttVersion;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A device of ClearBlade IoT Core, or of anything else that speaks as Google IoT Core did until it
 * was shut down in 2023. The device signs tokens with its key.
 *
 * <pre>{@code
 * HubProfile profile =
 *     GoogleIotCore.builder("my-project", "us-central1", "pumps", "pump-7")
 *         .key(Path.of("pump-7.pem"))
 *         .build()
 *         .mqtt();
 * }</pre>
 *
 * <p>MQTT is 3.1.1 here: a message is its body and nothing else. Neither its id nor its properties
 * arrive, over HTTP neither, so an application that has to recognize repetitions puts an id into
 * the body.
 *
 * <p>The bridges ask devices to retry with truncated exponential backoff, over MQTT as over HTTP
 * (ClearBlade and Google Cloud IoT Core documentation). So the profiles bring {@link
 * RetryPolicies#truncatedExponential(Duration)} with a maximum of 64 seconds; a policy that is set
 * on the client replaces it.
 *
 * <p>Immutable and thread-safe; a profile belongs to one client.
 */
public final class GoogleIotCore {
  /** The longer of the two that the bridges' documents call typical. */
  private static final Duration MAXIMUM_BACKOFF = Duration.ofSeconds(64);

  private static final String GOOGLE = "google-iot-core";
  private static final String CLEAR_BLADE = "clearblade";

  private static final int MQTT_PORT = 8883;

  /** The user name, which the hub ignores. */
  private static final String USERNAME = "unused";

  /** The claim that says what sort of user asks: a device. */
  private static final int USER_TYPE_DEVICE = 3;

  private static final Pattern SUBFOLDER = Pattern.compile("[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*");

  private final String projectId;
  private final String region;
  private final String registryId;
  private final String deviceId;
  private final JwtCredential token;
  private final TlsSettings tls;
  private final @Nullable String subfolder;
  private final @Nullable String mqttHost;
  private final int mqttPort;

  private GoogleIotCore(Builder builder, JwtCredential token) {
    projectId = builder.projectId;
    region = builder.region;
    registryId = builder.registryId;
    deviceId = builder.deviceId;
    this.token = token;
    tls = builder.tls;
    subfolder = builder.subfolder;
    mqttHost = builder.mqttHost;
    mqttPort = builder.mqttPort;
  }

  /**
   * Returns a builder.
   *
   * @param projectId the id of the project, which is also whom tokens are for
   * @param region where the registry is, such as {@code us-central1}
   * @param registryId the id of the registry
   * @param deviceId the id of the device
   */
  public static Builder builder(
      String projectId, String region, String registryId, String deviceId) {
    return new Builder(projectId, region, registryId, deviceId);
  }

  /** Returns the profile for MQTT over TLS; ClearBlade's unless a server is set. */
  public HubProfile mqtt() {
    return new HubProfile(
        mqttHost == null ? CLEAR_BLADE : GOOGLE,
        new MqttTransport(mqttSettings()),
        token.withUsername(USERNAME),
        documentedPolicy());
  }

  /**
   * Returns the profile for Google's HTTP bridge. It cannot receive commands.
   *
   * @param bridge where it is, such as {@code https://cloudiotdevice.googleapis.com/v1}
   */
  public HubProfile http(URI bridge) {
    return new HubProfile(
        GOOGLE, new HttpTransport(httpSettings(bridge)), token, documentedPolicy());
  }

  /**
   * Returns the profile for ClearBlade's HTTP bridge, which has addresses and claims of its own. It
   * cannot receive commands.
   *
   * @param platform the URL that ClearBlade shows with the keys of the registry
   * @param systemKey the system key that it shows there
   */
  public HubProfile clearBladeHttp(URI platform, String systemKey) {
    return new HubProfile(
        CLEAR_BLADE,
        new HttpTransport(clearBladeHttpSettings(platform, systemKey)),
        token
            .withClaim("sk", systemKey)
            .withClaim("uid", deviceId)
            .withClaim("ut", USER_TYPE_DEVICE),
        documentedPolicy());
  }

  private static RetryPolicy documentedPolicy() {
    return RetryPolicies.truncatedExponential(MAXIMUM_BACKOFF);
  }

  MqttSettings mqttSettings() {
    String device = "/devices/" + deviceId;
    String events = device + "/events";
    return MqttSettings.builder(mqttHost == null ? region + "-mqtt.clearblade.com" : mqttHost)
        .port(mqttPort)
        .tls(tls)
        .version(MqttVersion.MQTT_3_1_1)
        .clientId(name(projectId, region, registryId, deviceId))
        .topic(subfolder == null ? events : events + "/" + subfolder)
        .commands(device + "/commands/#")
        .commands(device + "/config")
        .build();
  }

  HttpSettings httpSettings(URI bridge) {
    String device =
        name(
            PercentEncoding.uriPart(projectId),
            PercentEncoding.uriPart(region),
            PercentEncoding.uriPart(registryId),
            PercentEncoding.uriPart(deviceId));
    return HttpSettings.builder(URI.create(withoutSlash(bridge) + "/" + device + ":publishEvent"))
        .encoding(this::httpContent)
        .authorization(HttpAuthorization.bearer())
        .tls(tls)
        .build();
  }

  HttpSettings clearBladeHttpSettings(URI platform, String systemKey) {
    return HttpSettings.builder(
            URI.create(
                withoutSlash(platform)
                    + "/api/v/4/webhook/execute/"
                    + PercentEncoding.uriPart(SettingChecks.notEmpty("systemKey", systemKey))
                    + "/cloudiotdevice_devices?name="
                    + PercentEncoding.uriPart(name(projectId, region, registryId, deviceId))
                    + "&method=publishEvent"))
        .encoding(this::httpContent)
        .authorization(HttpAuthorization.secretIn("ClearBlade-UserToken"))
        .tls(tls)
        .build();
  }

  private HttpEncoding.Content httpContent(Message message) {
    String body = Base64.getEncoder().encodeToString(message.body());
    String json =
        subfolder == null
            ? "{\"binaryData\":\"" + body + "\"}"
            : "{\"binaryData\":\"" + body + "\",\"subFolder\":\"" + subfolder + "\"}";
    return new HttpEncoding.Content(
        Map.of("Content-Type", "application/json"), json.getBytes(US_ASCII));
  }

  private static String name(String project, String location, String registry, String device) {
    return "projects/"
        + project
        + "/locations/"
        + location
        + "/registries/"
        + registry
        + "/devices/"
        + device;
  }

  private static String withoutSlash(URI uri) {
    String text = uri.toString();
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  /** A device in the making. Not thread-safe. */
  public static final class Builder {
    private final String projectId;
    private final String region;
    private final String registryId;
    private final String deviceId;
    private @Nullable PrivateKey key;
    private Duration tokenLifetime = JwtCredential.DEFAULT_LIFETIME;
    private TlsSettings tls = TlsSettings.system();
    private @Nullable String subfolder;
    private @Nullable String mqttHost;
    private int mqttPort = MQTT_PORT;

    private Builder(String projectId, String region, String registryId, String deviceId) {
      this.projectId = SettingChecks.notEmpty("projectId", projectId);
      this.region = SettingChecks.notEmpty("region", region);
      this.registryId = SettingChecks.notEmpty("registryId", registryId);
      this.deviceId = SettingChecks.notEmpty("deviceId", deviceId);
    }

    /** Sets the key of the device: RSA of 2048 bits or more, or EC on the curve P-256. */
    public Builder key(PrivateKey key) {
      this.key = Objects.requireNonNull(key, "key");
      return this;
    }

    /**
     * Sets the key of the device: a PEM file with an unencrypted key.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it holds no key
     */
    public Builder key(Path key) throws IOException {
      return key(PemFile.read(key).privateKey());
    }

    /** Sets how long a token holds, 2 minutes to 24 hours; the default is 1 hour. */
    public Builder tokenLifetime(Duration tokenLifetime) {
      this.tokenLifetime = Objects.requireNonNull(tokenLifetime, "tokenLifetime");
      return this;
    }

    /** Sets whom the device trusts; the default is whom the JVM trusts. */
    public Builder tls(TlsSettings tls) {
      this.tls = Objects.requireNonNull(tls, "tls");
      return this;
    }

    /**
     * Sends events to a subfolder, which can have a topic of its own in the cloud.
     *
     * @throws IllegalArgumentException when it is not letters, digits and {@code ._~-}, parted by
     *     single slashes
     */
    public Builder subfolder(String subfolder) {
      if (!SUBFOLDER.matcher(subfolder).matches()) {
        throw new InvalidSettingException(
            "subfolder", subfolder, "must be letters, digits and ._~- with slashes between");
      }
      this.subfolder = subfolder;
      return this;
    }

    /**
     * Sets the MQTT server; the default is that of ClearBlade in the region, port 8883.
     *
     * @param port its port, 1 to 65535; ClearBlade and Google know 8883 and 443
     */
    public Builder mqttServer(String host, int port) {
      mqttHost = SettingChecks.notEmpty("host", host);
      mqttPort = SettingChecks.port(port);
      return this;
    }

    /**
     * Returns the device.
     *
     * @throws IllegalArgumentException when it has no key, or one that the bridges do not know, or
     *     the lifetime is out of its range
     */
    public GoogleIotCore build() {
      if (key == null) {
        throw new InvalidSettingException("key", "not set", "must be, to sign tokens");
      }
      return new GoogleIotCore(this, JwtCredential.of(projectId, key).withLifetime(tokenLifetime));
    }
  }
}
