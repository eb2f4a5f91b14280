package dev.reprise.device.transport.http;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.transport.TlsSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of messages over HTTP: each is one POST to one address.
 *
 * <pre>{@code
 * HttpSettings settings =
 *     HttpSettings.builder(URI.create("https://example.com/readings")).parallelRequests(8).build();
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class HttpSettings {
  /** The number of requests under way at once unless another is set: 1. */
  public static final int DEFAULT_PARALLEL_REQUESTS = 1;

  /** The time that a request may take unless another is set: 30 s. */
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(30);

  private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofDays(1);

  private final URI uri;
  private final HttpEncoding encoding;
  private final HttpAuthorization authorization;
  private final TlsSettings tls;
  private final HttpClient.Version version;
  private final int parallelRequests;
  private final Duration requestTimeout;
  private final @Nullable URI probe;
  private final boolean forbiddenMeansQuota;

  private HttpSettings(Builder builder) {
    uri = builder.uri;
    encoding = builder.encoding;
    authorization = builder.authorization;
    tls = builder.tls;
    version = builder.version;
    parallelRequests = builder.parallelRequests;
    requestTimeout = builder.requestTimeout;
    probe = builder.probe;
    forbiddenMeansQuota = builder.forbiddenMeansQuota;
  }

  /**
   * Returns a builder of settings.
   *
   * @param uri where messages are sent to: {@code http} or {@code https}, with a host
   * @throws IllegalArgumentException when it is something else
   */
  public static Builder builder(URI uri) {
    return new Builder(uri);
  }

  /** Returns where messages are sent to. */
  public URI uri() {
    return uri;
  }

  /** Returns how a message becomes a request. */
  public HttpEncoding encoding() {
    return encoding;
  }

  /** Returns the authentication of requests. */
  public HttpAuthorization authorization() {
    return authorization;
  }

  /** Returns how {@code https} is encrypted. */
  public TlsSettings tls() {
    return tls;
  }

  /** Returns the newest version that is spoken. */
  public HttpClient.Version version() {
    return version;
  }

  /** Returns how many requests are under way at once, at least 1. */
  public int parallelRequests() {
    return parallelRequests;
  }

  /** Returns how long a request may take, from its beginning to its answer; at least 1 ms. */
  public Duration requestTimeout() {
    return requestTimeout;
  }

  /** Returns the probe that is requested before the connection counts as ready, or null. */
  public @Nullable URI probe() {
    return probe;
  }

  /** Returns whether 403 says that an allowance is used up, rather than that it is forbidden. */
  public boolean forbiddenMeansQuota() {
    return forbiddenMeansQuota;
  }

  /** Settings in the making. Not thread-safe. */
  public static final class Builder {
    private final URI uri;
    private HttpEncoding encoding = HttpEncoding.plain();
    private HttpAuthorization authorization = HttpAuthorization.standard();
    private TlsSettings tls = TlsSettings.system();
    private HttpClient.Version version = HttpClient.Version.HTTP_1_1;
    private int parallelRequests = DEFAULT_PARALLEL_REQUESTS;
    private Duration requestTimeout = DEFAULT_REQUEST_TIMEOUT;
    private @Nullable URI probe;
    private boolean forbiddenMeansQuota;

    private Builder(URI uri) {
      this.uri = checked("uri", uri);
    }

    /** Sets how a message becomes a request; the default is {@link HttpEncoding#plain}. */
    public Builder encoding(HttpEncoding encoding) {
      this.encoding = Objects.requireNonNull(encoding, "encoding");
      return this;
    }

    /** Sets the authentication of requests. */
    public Builder authorization(HttpAuthorization authorization) {
      this.authorization = Objects.requireNonNull(authorization, "authorization");
      return this;
    }

    /** Sets how {@code https} is encrypted. Devices with equal settings share connections. */
    public Builder tls(TlsSettings tls) {
      this.tls = Objects.requireNonNull(tls, "tls");
      return this;
    }

    /**
     * Sets the newest version that is spoken; the default is HTTP/1.1. HTTP/2 is offered over
     * {@code https} alone. With it, all devices of the JVM share one connection to a server, and no
     * more requests can be under way than that server allows on one.
     */
    public Builder version(HttpClient.Version version) {
      this.version = Objects.requireNonNull(version, "version");
      return this;
    }

    /**
     * Sets how many requests are under way at once. Above 1, requests overtake each other on their
     * way. With 1, a message is overtaken only when the server has refused it for now, by a 500 for
     * instance: it is sent again after its backoff, and others pass meanwhile, unless {@link
     * dev.reprise.device.DeviceClientBuilder#maxInFlight} is 1, too.
     *
     * @throws IllegalArgumentException when it is below 1
     */
    public Builder parallelRequests(int parallelRequests) {
      if (parallelRequests < 1) {
        throw new InvalidSettingException("parallelRequests", parallelRequests, "must be >= 1");
      }
      this.parallelRequests = parallelRequests;
      return this;
    }

    /**
     * Sets how long a request may take, from its beginning to its answer; of one with more than 16
     * KiB, how long its body may stand still on its way, and the answer may take after it has left.
     * How fast a body leaves the system's own buffers cannot be seen: where an answer needed
     * longer, the next body of that size gets the time. No connection within this time, or 15
     * seconds if that is less, means that the other side is not there, whether its name is not
     * found, nothing answers at its address, or it does not speak TLS; no answer within this time
     * concerns only the message. Once a status has come it counts, though the body of the answer
     * never ends: that request ends at most 1 second after this time.
     *
     * @throws IllegalArgumentException when it is below 1 ms or above 1 day
     */
    public Builder requestTimeout(Duration requestTimeout) {
      if (requestTimeout.compareTo(MIN_TIMEOUT) < 0 || requestTimeout.compareTo(MAX_TIMEOUT) > 0) {
        throw new InvalidSettingException(
            "requestTimeout", requestTimeout, "must be " + MIN_TIMEOUT + " to " + MAX_TIMEOUT);
      }
      this.requestTimeout = requestTimeout;
      return this;
    }

    /**
     * Sets an address that is asked for with HEAD before the connection counts as ready. HTTP has
     * no connections that last: without this, the other side is taken to be there until a message
     * fails. Every answer but a redirect, 401, 407, 421, 425, 426, 429 and 5xx shows that it is.
     *
     * @throws IllegalArgumentException when it is not {@code http} or {@code https}, with a host
     */
    public Builder probe(URI probe) {
      this.probe = checked("probe", probe);
      return this;
    }

    /**
     * Sets whether 403 says that an allowance is used up, as at Azure IoT Hub: then messages wait.
     * The default is no, so that a message that is answered with 403 is rejected.
     */
    public Builder forbiddenMeansQuota(boolean forbiddenMeansQuota) {
      this.forbiddenMeansQuota = forbiddenMeansQuota;
      return this;
    }

    /** Returns the settings. */
    public HttpSettings build() {
      return new HttpSettings(this);
    }

    private static URI checked(String field, URI uri) {
      String scheme = uri.getScheme();
      if (!("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))
          || uri.getHost() == null) {
        throw new InvalidSettingException(
            field, withoutUser(uri), "must be http or https, with a host");
      }
      return uri;
    }

    /** A password may stand before the host, and ends in logs. */
    private static String withoutUser(URI uri) {
      return uri.toString().replaceFirst(":.*@", ":***@");
    }
  }
}
