package dev.reprise.delivery.http;

import dev.reprise.delivery.address.EndpointUrl;
import org.jspecify.annotations.Nullable;

/**
 * The difference between a connection and the plain one to the same endpoint.
 *
 * @param tls the subscriber's own TLS; null for the sender's, and for endpoints without TLS
 * @param proxy the forward proxy that it goes through; null for none
 */
record Route(@Nullable HttpTls tls, @Nullable HttpProxy proxy) {
  /** The route of an attempt; null for the plain one, which nearly all take. */
  static @Nullable Route of(EndpointUrl url, HttpOptions options) {
    HttpTls tls = url.tls() ? options.tls() : null;
    HttpProxy proxy = options.proxy();
    return tls == null && proxy == null ? null : new Route(tls, proxy);
  }
}
