package dev.reprise.delivery.http;

import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;

/**
 * Where a connection goes to, and whose requests may share it.
 *
 * @param address the vetted address in figures; IPv6 in brackets
 * @param port from 1 to 65535
 * @param host the host as it stands in the URL; the certificate must name it
 * @param tls whether the scheme is https
 */
record Origin(String address, int port, String host, boolean tls) {
  /** The origin of a URL at one of the addresses of its host. */
  static Origin of(EndpointUrl url, String address) {
    return new Origin(address, url.port(), url.bracketedHost(), url.tls());
  }

  HttpConnectOptions connectOptions() {
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
