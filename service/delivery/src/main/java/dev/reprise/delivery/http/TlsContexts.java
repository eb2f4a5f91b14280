package dev.reprise.delivery.http;

import io.netty.handler.ssl.SslContext;
import io.vertx.core.Future;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of connections that the client of Vert.x does not make, ready for handshakes. Making one
 * takes milliseconds, so it is done on a worker thread and kept, {@value #MAX_KEPT} at most, those
 * used last; what cannot be used is kept as well. Thread-safe.
 *
 * <p>Vert.x keeps 64, and makes the others anew for each connection, on the event loop.
 */
final class TlsContexts {
  static final int MAX_KEPT = 1000;

  private static final float LOAD_FACTOR = 0.75f;
  private static final List<String> PROTOCOLS =
      List.of(HttpVersion.HTTP_2.alpnName(), HttpVersion.HTTP_1_1.alpnName());

  private final VertxInternal vertx;
  private final SSLEngineOptions engine;
  private final NamedTrust trust;

  /** That of an endpoint without an {@link HttpTls} is under null. */
  private final Map<@Nullable HttpTls, Future<SslContext>> contexts =
      new LinkedHashMap<>(16, LOAD_FACTOR, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(
            Map.Entry<@Nullable HttpTls, Future<SslContext>> eldest) {
          return size() > MAX_KEPT;
        }
      };

  /**
   * Contexts of one sender.
   *
   * @param trust for those that name no authority of their own
   */
  TlsContexts(VertxInternal vertx, SSLEngineOptions engine, NamedTrust trust) {
    this.vertx = vertx;
    this.engine = engine;
    this.trust = trust;
  }

  /**
   * Returns the context for a subscriber's TLS, now or later, on any thread. It fails with {@link
   * InvalidTlsException} if a part of it cannot be used.
   *
   * @param tls null for the sender's own
   */
  Future<SslContext> of(@Nullable HttpTls tls) {
    synchronized (contexts) {
      Future<SslContext> context = contexts.get(tls);
      if (context == null) {
        context = vertx.executeBlocking(() -> make(tls), false);
        contexts.put(tls, context);
      }
      return context;
    }
  }

  private SslContext make(@Nullable HttpTls tls) throws Exception {
    TlsMaterial material = tls == null ? null : TlsMaterial.of(tls);
    NamedTrust trusted =
        material == null || material.authorities().isEmpty()
            ? trust
            : NamedTrust.of(material.authorities());
    ClientSSLOptions standard = new ClientSSLOptions();
    SslContextFactory factory =
        engine
            .sslContextFactory()
            .forClient(null, "HTTPS")
            .enabledProtocols(standard.getEnabledSecureTransportProtocols())
            .enabledCipherSuites(standard.getEnabledCipherSuites())
            .useAlpn(true)
            .applicationProtocols(PROTOCOLS)
            .trustManagerFactory(TrustOptions.wrap(trusted).getTrustManagerFactory(vertx));
    if (material != null && material.key() != null) {
      ClientKey key = new ClientKey(material.chain(), material.key());
      factory.keyMananagerFactory(KeyCertOptions.wrap(key).getKeyManagerFactory(vertx));
    }
    return factory.create();
  }
}
