package dev.reprise.delivery.http;

import dev.reprise.delivery.address.EndpointUrl;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection goes to, and whose requests may share it.
 *
 * @param address the vetted address in figures; IPv6 in brackets. The host's name if a proxy
 *     resolves it
 * @param port from 1 to 65535
 * @param host the host as it stands in the URL; the certificate must name it
 * @param tls whether the scheme is https
 * @param route null for the plain one
 */
record Origin(String address, int port, String host, boolean tls, @Nullable Route route) {
  /** The origin of a URL at one of the addresses of its host. */
  static Origin of(EndpointUrl url, String address, HttpOptions options) {
    return new Origin(address, url.port(), url.bracketedHost(), url.tls(), Route.of(url, options));
  }

  /** Returns the options by which Vert.x connects to it by the plain route. */
  HttpConnectOptions connectOptions() {
    if (route != null) {
      throw new IllegalStateException("not the plain route");
    }
    HttpConnectOptions options =
        new HttpConnectOptions()
            .setServer(SocketAddress.inetSocketAddress(port, address))
            .setHost(host)
            .setPort(port)
            .setSsl(tls);
    // HTTP/2 is only by negotiation in the handshake.
    return tls ? options : options.setProtocolVersion(HttpVersion.HTTP_1_1);
  }

  /** Address and port, for people. */
  @Override
  public String toString() {
    return address + ":" + port;
  }
}
