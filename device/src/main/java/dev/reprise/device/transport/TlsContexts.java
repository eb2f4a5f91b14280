package dev.reprise.device.transport.amqp;

import dev.reprise.device.transport.TlsSettings;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS contexts, shared by all connections of the same settings because they are large. Thread-safe.
 */
final class AmqpTlsContexts {
  private static final Map<TlsSettings, SslContext> CONTEXTS = new WeakHashMap<>();

  private AmqpTlsContexts() {}

  static SslContext of(TlsSettings settings) throws SSLException {
    synchronized (CONTEXTS) {
      @Nullable SslContext known = CONTEXTS.get(settings);
      if (known != null) {
        return known;
      }
      SslContext made =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .keyManager(settings.keys())
              .trustManager(settings.trust())
              .endpointIdentificationAlgorithm("HTTPS")
              .build();
      CONTEXTS.put(settings, made);
      return made;
    }
  }
}
