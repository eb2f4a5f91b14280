package dev.reprise.device.transport.http;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.EventLoops;
import dev.reprise.device.transport.SharedTlsContexts;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.Objects;
import javax.net.ssl.SSLException;

/**
 * Sends each message as one POST. HTTP has no connection that lasts, so a connection is an
 * assumption here: it is ready at once, unless a probe is set, and lost when a request fails in a
 * way that concerns more than its message. Nothing is sent twice by this class; {@code
 * Idempotency-Key} carries the id of the message. Redirects are not followed. Commands cannot be
 * received: a client that asks for them is told so, and can send all the same.
 *
 * <p>Use {@code https}. Over plain {@code http}, a portal that answers a POST with 200 cannot be
 * told from the hub, and takes the message.
 *
 * <p>All devices of the JVM share the threads of {@link EventLoops}, and the connections to a
 * server where their TLS settings are equal. A connection that no request is on ends after 30
 * seconds, or a second before the server said that it ends it ({@code Keep-Alive}). The proxy is
 * that of the JVM's {@link java.net.ProxySelector}, such as {@code -Dhttps.proxyHost}; one that
 * asks for a password is not supported. Thread-safe.
 */
public final class HttpTransport implements Transport {
  /** The protocols that are offered to the server, by their names in ALPN. */
  private static final String[] BOTH_VERSIONS = {
    ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1
  };

  private static final String[] NO_OFFER = {};

  private final HttpSettings settings;
  private final LinkSpeed speed = new LinkSpeed();

  /** Creates the transport; nothing is opened yet. */
  public HttpTransport(HttpSettings settings) {
    this.settings = Objects.requireNonNull(settings, "settings");
  }

  /** Returns the settings. */
  public HttpSettings settings() {
    return settings;
  }

  @Override
  public String name() {
    return "http";
  }

  @Override
  public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
    HttpConnection connection =
        new HttpConnection(settings, speed, request, listener, EventLoops.shared().next());
    if (isEncrypted()) {
      // Its files may have to be read.
      EventLoops.resolvers().execute(() -> prepare(connection));
    } else {
      prepare(connection);
    }
    return connection;
  }

  private boolean isEncrypted() {
    URI probe = settings.probe();
    return HttpOrigin.isEncrypted(settings.uri())
        || (probe != null && HttpOrigin.isEncrypted(probe));
  }

  private void prepare(HttpConnection connection) {
    try {
      connection.begin(isEncrypted() ? tls() : null);
    } catch (SSLException | RuntimeException e) {
      connection.lose(
          DeviceErrors.exception(
              ErrorDetails.of(DeviceErrors.row("client", "settings"))
                  .withMessage("the TLS settings or the proxy selector cannot be used: " + e)
                  .withCause(e)));
    }
  }

  private SslContext tls() throws SSLException {
    boolean offersHttp2 = settings.version() == HttpClient.Version.HTTP_2;
    return SharedTlsContexts.of(settings.tls().latest(), offersHttp2 ? BOTH_VERSIONS : NO_OFFER);
  }
}
