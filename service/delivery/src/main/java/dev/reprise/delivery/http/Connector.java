package dev.reprise.delivery.http;

import dev.reprise.delivery.address.VettedResolver;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientConfig;
import io.vertx.core.http.impl.tcp.TcpHttpClientTransport;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetClientInternal;
import io.vertx.core.net.TcpClientConfig;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Begins the connections whose {@link Route} is not the plain one. Vert.x could make them too, but
 * does not distinguish a proxy's failures from an endpoint's, keeps proxies from hosts that system
 * properties name, and prepares TLS on the event loop. Thread-safe.
 */
final class Connector {
  private final NetClientInternal tcp;
  private final TcpHttpClientTransport http;
  private final TlsContexts tls;
  private final VettedResolver proxies;
  private final Duration timeout;

  /**
   * A maker of connections for all lanes of a sender.
   *
   * @param config that of the client for plain routes
   * @param resolver asks for addresses; those of proxies are not vetted
   * @param timeout for each step: to reach the proxy or the endpoint, the tunnel, TLS
   */
  Connector(
      Vertx vertx,
      HttpClientConfig config,
      TlsContexts tls,
      VettedResolver resolver,
      Duration timeout) {
    this.tcp =
        (NetClientInternal) vertx.createNetClient(new TcpClientConfig(config.getTcpConfig()));
    this.http = TcpHttpClientTransport.create(tcp, config, false, null);
    this.tls = tls;
    this.proxies = resolver.ofOperator();
    this.timeout = timeout;
  }

  /** Prepares a connection; {@link Connecting#begin} makes it. */
  Connecting to(Origin origin, Route route, ContextInternal context, Executor lane) {
    return new Connecting(this, origin, route, context, lane);
  }

  NetClientInternal tcp() {
    return tcp;
  }

  TcpHttpClientTransport http() {
    return http;
  }

  TlsContexts tls() {
    return tls;
  }

  /** Resolves the names of proxies. */
  VettedResolver proxies() {
    return proxies;
  }

  Duration timeout() {
    return timeout;
  }

  /** Closes what was made. */
  Future<Void> close() {
    return tcp.close();
  }
}
