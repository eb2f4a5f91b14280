package dev.reprise.device.transport.http;

import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A server, and how it is reached: requests to equal origins can share connections.
 *
 * @param host its name or address, as in a URI: an IPv6 address in brackets
 * @param port its port
 * @param tls the encryption; null: none
 * @param proxy the HTTP proxy before it, or null
 */
record HttpOrigin(
    String host, int port, @Nullable SslContext tls, @Nullable InetSocketAddress proxy) {
  private static final String HTTPS = "https";
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  /** Returns the origin of an address, behind the proxy that the JVM's selector names. */
  static HttpOrigin of(URI uri, @Nullable SslContext tls) {
    int defaultPort = isEncrypted(uri) ? HTTPS_PORT : HTTP_PORT;
    return new HttpOrigin(
        uri.getHost().toLowerCase(Locale.ROOT),
        uri.getPort() < 0 ? defaultPort : uri.getPort(),
        isEncrypted(uri) ? tls : null,
        proxy(uri));
  }

  static boolean isEncrypted(URI uri) {
    return HTTPS.equalsIgnoreCase(uri.getScheme());
  }

  /** Returns the name or address without the brackets of IPv6. */
  String bareHost() {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** Returns the host and the port; the latter not where it is the usual one. */
  String authority() {
    return port == (tls == null ? HTTP_PORT : HTTPS_PORT) ? host : host + ":" + port;
  }

  /** Returns whether HTTP/2 is offered to the server. */
  boolean offersHttp2() {
    return tls != null && !tls.applicationProtocolNegotiator().protocols().isEmpty();
  }

  /** Returns the target of a request (RFC 9112, 3.2): a proxy is told the whole address. */
  String target(URI uri) {
    String path = uri.getRawPath();
    String query = uri.getRawQuery();
    String below =
        (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    return proxy != null && tls == null ? "http://" + authority() + below : below;
  }

  private static @Nullable InetSocketAddress proxy(URI uri) {
    ProxySelector selector = ProxySelector.getDefault();
    if (selector == null) {
      return null;
    }
    for (Proxy proxy : selector.select(uri)) {
      if (proxy.type() == Proxy.Type.DIRECT) {
        return null;
      }
      if (proxy.type() == Proxy.Type.HTTP && proxy.address() instanceof InetSocketAddress address) {
        return address;
      }
    }
    return null;
  }
}
