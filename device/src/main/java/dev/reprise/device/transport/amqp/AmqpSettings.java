package dev.reprise.device.transport.amqp;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.transport.TlsSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a connection to an AMQP 1.0 peer. Immutable and thread-safe.
 *
 * @param host the name or address of the server
 * @param port its port, 1 to 65535
 * @param tls how the connection is encrypted, or null: it is not
 * @param address where messages are sent to
 * @param commandAddress where commands are read from, or null: there are none
 * @param containerId the name of this end of the connection; unique among those of the server
 * @param idleTimeout how long the other side may be silent before it counts as gone, 1 second to 24
 *     days; it is asked to send something twice in this time. A quarter of it may be added
 * @param cbs how a token is put in place, or null: the credential is a user name and a password
 * @param virtualHost the name that the server is asked for in the open and the login, for servers
 *     with several under one address; null: the name that it was connected to by
 * @param sasl how the device says who it is, or null: as its credential and the server's offer
 *     allow, see {@link AmqpTransport}
 * @param durableTarget whether the server is told that what it makes for the messages must outlive
 *     its restart; some, such as RabbitMQ before 4.0, make a queue of {@code address} that does not
 * @param linkProperties what the other side is told of each link, such as {@code
 *     com.microsoft:client-version}
 */
public record AmqpSettings(
    String host,
    int port,
    @Nullable TlsSettings tls,
    String address,
    @Nullable String commandAddress,
    String containerId,
    Duration idleTimeout,
    @Nullable CbsSettings cbs,
    @Nullable String virtualHost,
    @Nullable SaslMechanism sasl,
    boolean durableTarget,
    Map<String, String> linkProperties) {
  private static final int PORT = 5672;
  private static final int TLS_PORT = 5671;

  // As long as the keep-alive of MQTT clients: a dead link is noticed within a minute or so, a
  // mapping in a NAT stays alive, and it costs 8 bytes each way every 30 seconds.
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration MIN_IDLE_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_IDLE_TIMEOUT = Duration.ofDays(24);

  /** Checks the ranges; throws {@link IllegalArgumentException} when one is left. */
  public AmqpSettings {
    requireText("host", host);
    requireText("address", address);
    requireText("containerId", containerId);
    if (virtualHost != null) {
      requireText("virtualHost", virtualHost);
    }
    if (sasl != null && cbs != null && sasl != SaslMechanism.ANONYMOUS) {
      throw new InvalidSettingException(
          "sasl", sasl.registeredName(), "must be ANONYMOUS with cbs, whose token follows");
    }
    if (port < 1 || port > 65_535) {
      throw new InvalidSettingException("port", port, "must be 1 to 65535");
    }
    if (idleTimeout.compareTo(MIN_IDLE_TIMEOUT) < 0
        || idleTimeout.compareTo(MAX_IDLE_TIMEOUT) > 0) {
      throw new InvalidSettingException("idleTimeout", idleTimeout, "must be 1 second to 24 days");
    }
    linkProperties = Map.copyOf(linkProperties);
  }

  /**
   * Returns a builder.
   *
   * @param host the name or address of the server
   * @param address where messages are sent to
   */
  public static Builder builder(String host, String address) {
    return new Builder(host, address);
  }

  private static void requireText(String name, String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException(name + " is empty: must have at least one character");
    }
  }

  /** Settings of a transport. Not thread-safe. */
  public static final class Builder {
    private final String host;
    private final String address;
    private final Map<String, String> linkProperties = new LinkedHashMap<>();
    private @Nullable Integer port;
    private @Nullable TlsSettings tls;
    private @Nullable String commandAddress;
    private @Nullable String containerId;
    private Duration idleTimeout = IDLE_TIMEOUT;
    private @Nullable CbsSettings cbs;
    private @Nullable String virtualHost;
    private @Nullable SaslMechanism sasl;
    private boolean durableTarget;

    private Builder(String host, String address) {
      this.host = host;
      this.address = address;
    }

    /** Sets the port. Default: 5671 with TLS, 5672 without. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Encrypts the connection. Default: not encrypted. */
    public Builder tls(TlsSettings tls) {
      this.tls = Objects.requireNonNull(tls, "tls");
      return this;
    }

    /** Sets where commands are read from. Default: none are read. */
    public Builder commandAddress(String commandAddress) {
      this.commandAddress = Objects.requireNonNull(commandAddress, "commandAddress");
      return this;
    }

    /** Sets the name of this end of the connection. Default: a random one. */
    public Builder containerId(String containerId) {
      this.containerId = Objects.requireNonNull(containerId, "containerId");
      return this;
    }

    /** Sets how long the other side may be silent. Default: 60 seconds. */
    public Builder idleTimeout(Duration idleTimeout) {
      this.idleTimeout = Objects.requireNonNull(idleTimeout, "idleTimeout");
      return this;
    }

    /** Puts the secret of the credential in place as a token. Default: it is a password. */
    public Builder cbs(CbsSettings cbs) {
      this.cbs = Objects.requireNonNull(cbs, "cbs");
      return this;
    }

    /** Sets the name that the server is asked for. Default: that which it is connected to by. */
    public Builder virtualHost(String virtualHost) {
      this.virtualHost = Objects.requireNonNull(virtualHost, "virtualHost");
      return this;
    }

    /**
     * Sets the authentication of the device. Default: the strongest mechanism that both sides
     * support.
     */
    public Builder sasl(SaslMechanism sasl) {
      this.sasl = Objects.requireNonNull(sasl, "sasl");
      return this;
    }

    /** Sets whether what the server makes for the messages must outlive it. Default: false. */
    public Builder durableTarget(boolean durableTarget) {
      this.durableTarget = durableTarget;
      return this;
    }

    /** Adds a property to each link. */
    public Builder linkProperty(String name, String value) {
      linkProperties.put(name, value);
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException when a value is out of its range
     */
    public AmqpSettings build() {
      int defaultPort = tls == null ? PORT : TLS_PORT;
      return new AmqpSettings(
          host,
          port == null ? defaultPort : port,
          tls,
          address,
          commandAddress,
          containerId == null ? "reprise-" + UUID.randomUUID() : containerId,
          idleTimeout,
          cbs,
          virtualHost,
          sasl,
          durableTarget,
          linkProperties);
    }
  }
}
