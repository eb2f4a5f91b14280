package dev.reprise.device.transport.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttClientIdentifier;
import com.hivemq.client.mqtt.datatypes.MqttTopicFilter;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.transport.TlsSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of MQTT between a device and a server. The user name and the password are no part of
 * it: they are supplied anew for each attempt to connect.
 *
 * <pre>{@code
 * MqttSettings settings =
 *     MqttSettings.builder("broker.example.com")
 *         .tls(TlsSettings.system())
 *         .clientId("pump-7")
 *         .topic("pumps/7/readings")
 *         .commands("pumps/7/commands")
 *         .build();
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param host the name or address of the server
 * @param port its port, 1 to 65535
 * @param tls how the connection is encrypted, or null: not at all
 * @param webSocketPath the path of the server's WebSocket, or null: plain TCP
 * @param webSocketQuery the query behind that path, percent-encoded and without its question mark,
 *     or an empty text
 * @param webSocketHeaders what is sent with the request for the WebSocket, such as the token of an
 *     authorizer; never logged
 * @param alpn the protocols that the device offers in TLS (RFC 7301), the best first; empty: it
 *     offers none
 * @param version which version is spoken
 * @param clientId what the server knows the device by, or an empty text: it picks a name
 * @param keepAlive after how long without traffic the link is probed, whole seconds from 1 to 65535
 *     s; a dead link is noticed within twice as long
 * @param sessionExpiry how long the server keeps commands for the device while it is away, whole
 *     seconds; 0: it starts afresh with each connection. MQTT 3.1.1 knows only 0 and "as long as
 *     the server likes"
 * @param topic where messages are published
 * @param commandTopics the topic filters that commands are received from
 * @param sendMaximum how many messages may be unanswered on a connection, 1 to 65,000; the server
 *     may allow less, and so may the client
 * @param receiveMaximum how many commands the server may send before they are handled, 1 to 65,535;
 *     MQTT 3.1.1 cannot say it
 */
public record MqttSettings(
    String host,
    int port,
    @Nullable TlsSettings tls,
    @Nullable String webSocketPath,
    String webSocketQuery,
    Map<String, String> webSocketHeaders,
    List<String> alpn,
    MqttVersion version,
    String clientId,
    Duration keepAlive,
    Duration sessionExpiry,
    MqttTopic topic,
    List<String> commandTopics,
    int sendMaximum,
    int receiveMaximum) {
  private static final int MAX_PORT = 65_535;
  private static final int MAX_KEEP_ALIVE_SECONDS = 65_535;
  private static final long MAX_SESSION_EXPIRY_SECONDS = 0xFFFF_FFFEL;

  /** Some of the 65,535 packet identifiers are set aside for subscriptions. */
  private static final int MAX_SEND_MAXIMUM = 65_000;

  private static final int MAX_RECEIVE_MAXIMUM = 65_535;

  private static final Pattern QUERY =
      Pattern.compile(
          "(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})"
              + "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*|");
  private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
  private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7E]*");

  /** Checks the settings; throws {@link IllegalArgumentException} when one breaks its rule. */
  public MqttSettings {
    if (host.isEmpty()) {
      throw new InvalidSettingException("host", "empty", "must have at least one character");
    }
    if (port < 1 || port > MAX_PORT) {
      throw new InvalidSettingException("port", port, "must be 1 to " + MAX_PORT);
    }
    if (webSocketPath == null && !(webSocketQuery.isEmpty() && webSocketHeaders.isEmpty())) {
      throw new InvalidSettingException(
          "webSocketPath",
          "not set",
          "must be, for a query or headers of a WebSocket are: they may hold a secret");
    }
    if (!QUERY.matcher(webSocketQuery).matches()) {
      throw new InvalidSettingException(
          "webSocketQuery",
          "given",
          "must be percent-encoded, and without a question mark before it");
    }
    webSocketHeaders = Map.copyOf(webSocketHeaders);
    webSocketHeaders.forEach(MqttSettings::requireHeader);
    alpn = List.copyOf(alpn);
    if (tls == null && !alpn.isEmpty()) {
      throw new InvalidSettingException("alpn", alpn, "must be empty without tls");
    }
    if (alpn.contains("")) {
      throw new InvalidSettingException("alpn", alpn, "must have names of at least one character");
    }
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(topic, "topic");
    MqttClientIdentifier.of(clientId);
    if (!isWholeSeconds(keepAlive, 1, MAX_KEEP_ALIVE_SECONDS)) {
      throw new InvalidSettingException(
          "keepAlive", keepAlive, "must be whole seconds, 1 s to 65535 s");
    }
    if (!isWholeSeconds(sessionExpiry, 0, MAX_SESSION_EXPIRY_SECONDS)) {
      throw new InvalidSettingException(
          "sessionExpiry", sessionExpiry, "must be whole seconds, 0 s to 4294967294 s");
    }
    if (clientId.isEmpty() && !sessionExpiry.isZero()) {
      throw new InvalidSettingException(
          "clientId", "empty", "must be set, for sessionExpiry is " + sessionExpiry);
    }
    commandTopics = List.copyOf(commandTopics);
    commandTopics.forEach(MqttTopicFilter::of);
    requireRange("sendMaximum", sendMaximum, MAX_SEND_MAXIMUM);
    requireRange("receiveMaximum", receiveMaximum, MAX_RECEIVE_MAXIMUM);
  }

  /** The value is not told: it may be a secret. */
  private static void requireHeader(String name, String value) {
    if (!HEADER_NAME.matcher(name).matches()) {
      throw new InvalidSettingException(
          "webSocketHeaders", name, "must have names of letters, digits and !#$%&'*+-.^_`|~");
    }
    if (!HEADER_VALUE.matcher(value).matches()) {
      throw new InvalidSettingException(
          "webSocketHeaders", name, "must have a value of visible ASCII and blanks");
    }
  }

  /** Returns these settings with the TLS of one connection. */
  MqttSettings withTls(TlsSettings latest) {
    return new MqttSettings(
        host,
        port,
        latest,
        webSocketPath,
        webSocketQuery,
        webSocketHeaders,
        alpn,
        version,
        clientId,
        keepAlive,
        sessionExpiry,
        topic,
        commandTopics,
        sendMaximum,
        receiveMaximum);
  }

  /** Omits the query and the headers, which may hold a secret. */
  @Override
  public String toString() {
    return "MqttSettings[host=" + host + ", port=" + port + ", clientId=" + clientId + "]";
  }

  private static void requireRange(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new InvalidSettingException(name, value, "must be 1 to " + max);
    }
  }

  private static boolean isWholeSeconds(Duration duration, long min, long max) {
    return duration.getNano() == 0 && duration.getSeconds() >= min && duration.getSeconds() <= max;
  }

  /** Returns a builder of the settings for this server. */
  public static Builder builder(String host) {
    return new Builder(host);
  }

  /** Settings before they are checked. Not thread-safe. */
  public static final class Builder {
    private static final int DEFAULT_SEND_MAXIMUM = 64;

    /** Few enough for the memory of a device whose handler is slow. */
    private static final int DEFAULT_RECEIVE_MAXIMUM = 1_000;

    private final String host;
    private int port;
    private @Nullable TlsSettings tls;
    private @Nullable String webSocketPath;
    private String webSocketQuery = "";
    private final Map<String, String> webSocketHeaders = new LinkedHashMap<>();
    private List<String> alpn = List.of();
    private MqttVersion version = MqttVersion.AUTO;
    private String clientId = "";
    private Duration keepAlive = Duration.ofMinutes(1);
    private Duration sessionExpiry = Duration.ZERO;
    private @Nullable MqttTopic topic;
    private final List<String> commandTopics = new ArrayList<>();
    private int sendMaximum = DEFAULT_SEND_MAXIMUM;
    private int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;

    private Builder(String host) {
      this.host = Objects.requireNonNull(host, "host");
    }

    /**
     * Sets the port. Default: the usual one without and with TLS, without and with WebSocket: 1883,
     * 8883, 80, 443.
     */
    public Builder port(int port) {
      if (port < 1) {
        throw new InvalidSettingException("port", port, "must be 1 to " + MAX_PORT);
      }
      this.port = port;
      return this;
    }

    /** Encrypts the connection. Default: it is not. */
    public Builder tls(TlsSettings tls) {
      this.tls = Objects.requireNonNull(tls, "tls");
      return this;
    }

    /** Speaks through a WebSocket of this path, such as {@code mqtt}. Default: plain TCP. */
    public Builder webSocketPath(String path) {
      this.webSocketPath = Objects.requireNonNull(path, "path");
      return this;
    }

    /**
     * Sets the query behind the path of the WebSocket, percent-encoded and without its question
     * mark, such as {@code x-amz-customauthorizer-name=factory}. Default: none.
     */
    public Builder webSocketQuery(String query) {
      this.webSocketQuery = Objects.requireNonNull(query, "query");
      return this;
    }

    /** Adds a header to the request for the WebSocket. */
    public Builder webSocketHeader(String name, String value) {
      webSocketHeaders.put(name, Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Sets the protocols that are offered in TLS, the best first. Port 443 of AWS IoT Core wants
     * {@code x-amzn-mqtt-ca} from a device with a certificate, and {@code mqtt} from one with a
     * custom authorizer. Default: none are offered.
     */
    public Builder alpn(String... protocols) {
      this.alpn = List.of(protocols);
      return this;
    }

    /** Sets the version. Default: {@link MqttVersion#AUTO}. */
    public Builder version(MqttVersion version) {
      this.version = version;
      return this;
    }

    /**
     * Sets the client identifier. Two devices must not have the same: each would throw out the
     * other. Default: the server picks a name.
     */
    public Builder clientId(String clientId) {
      this.clientId = Objects.requireNonNull(clientId, "clientId");
      return this;
    }

    /** Sets after how long without traffic the link is probed. Default: 60 s. */
    public Builder keepAlive(Duration keepAlive) {
      this.keepAlive = Objects.requireNonNull(keepAlive, "keepAlive");
      return this;
    }

    /**
     * Sets how long the server keeps commands for the device while it is away. Default: 0, not at
     * all. Messages that the device sends need no session: the client keeps them itself.
     */
    public Builder sessionExpiry(Duration sessionExpiry) {
      this.sessionExpiry = Objects.requireNonNull(sessionExpiry, "sessionExpiry");
      return this;
    }

    /** Publishes all messages to this topic. */
    public Builder topic(String topic) {
      return topic(MqttTopic.constant(topic));
    }

    /** Publishes each message to a topic of its own. */
    public Builder topic(MqttTopic topic) {
      this.topic = Objects.requireNonNull(topic, "topic");
      return this;
    }

    /** Adds a topic filter that commands are received from. */
    public Builder commands(String topicFilter) {
      commandTopics.add(Objects.requireNonNull(topicFilter, "topicFilter"));
      return this;
    }

    /**
     * Sets how many messages may be unanswered on a connection. Default: 64. The client sends no
     * more than its own {@link dev.reprise.device.DeviceClientBuilder#maxInFlight} either.
     */
    public Builder sendMaximum(int sendMaximum) {
      this.sendMaximum = sendMaximum;
      return this;
    }

    /**
     * Sets how many commands the server may send before they are handled (MQTT 5, section
     * 3.1.2.11.3); they wait in memory. Default: 1,000. Some servers do not keep it, such as
     * Mosquitto 2.0.11 with a small one: then the connection is lost.
     */
    public Builder receiveMaximum(int receiveMaximum) {
      this.receiveMaximum = receiveMaximum;
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException when one breaks its rule
     */
    public MqttSettings build() {
      MqttTopic publishedTo = topic;
      if (publishedTo == null) {
        throw new InvalidSettingException("topic", "not set", "must be, to publish messages");
      }
      return new MqttSettings(
          host,
          port == 0 ? usualPort() : port,
          tls,
          webSocketPath,
          webSocketQuery,
          webSocketHeaders,
          alpn,
          version,
          clientId,
          keepAlive,
          sessionExpiry,
          publishedTo,
          commandTopics,
          sendMaximum,
          receiveMaximum);
    }

    private int usualPort() {
      if (webSocketPath != null) {
        return tls == null ? 80 : 443;
      }
      return tls == null ? 1883 : 8883;
    }
  }
}
