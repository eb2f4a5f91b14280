package dev.reprise.device.transport.http;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.EventLoops;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message as one POST. HTTP has no connection that lasts, so a connection is an
 * assumption here: it is ready at once, unless a probe is set, and lost when a request fails in a
 * way that concerns more than its message. Nothing is sent twice by this class or the client under
 * it; {@code Idempotency-Key} carries the id of the message. Redirects are not followed. Commands
 * cannot be received: a client that asks for them is told so, and can send all the same.
 *
 * <p>An answer that cannot be read as HTTP is a failed request like others, but the JDK's client,
 * 17 as 25, leaves its socket open for as long as it lives itself.
 *
 * <p>Use {@code https}. Over plain {@code http}, a portal that answers a POST with 200 cannot be
 * told from the hub, and takes the message.
 *
 * <p>All devices of the JVM share one client, and its threads, for all equal {@link
 * dev.reprise.device.transport.TlsSettings}. A device with a certificate of its own has a client of
 * its own, which is one thread. Thread-safe.
 */
public final class HttpTransport implements Transport {
  private final HttpSettings settings;

  private final LinkSpeed speed = new LinkSpeed();

  /** Held here as long as the transport exists; others hold it weakly. */
  private @Nullable HttpClient client;

  /** The settings that the client has. */
  private @Nullable TlsSettings tls;

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
    HttpConnection connection = new HttpConnection(settings, speed, request, listener);
    if (settings.tls().isReadAgain()) {
      EventLoops.resolvers().execute(() -> begin(connection));
    } else {
      begin(connection);
    }
    return connection;
  }

  private void begin(HttpConnection connection) {
    try {
      connection.begin(client());
    } catch (GeneralSecurityException e) {
      connection.lose(
          DeviceErrors.exception(
              ErrorDetails.of(DeviceErrors.row("client", "settings"))
                  .withMessage("the TLS settings cannot be used: " + e)
                  .withCause(e)));
    }
  }

  /** Returns the client of the present settings, whose sessions are no others'. */
  private synchronized HttpClient client() throws GeneralSecurityException {
    TlsSettings latest = settings.tls().latest();
    HttpClient known = client;
    if (known == null || !latest.equals(tls)) {
      known = SharedHttp.client(latest);
      client = known;
      tls = latest;
    }
    return known;
  }
}
