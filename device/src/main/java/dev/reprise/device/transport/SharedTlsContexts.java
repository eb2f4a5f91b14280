package dev.reprise.device.transport;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS contexts, shared by all connections of the same settings because they are large; so are the
 * sessions in them. Thread-safe.
 */
public final class SharedTlsContexts {
  private static final Map<TlsSettings, Map<List<String>, SslContext>> CONTEXTS =
      new WeakHashMap<>();

  /** Not a monitor: a virtual thread of JDK 21 that waits for one keeps its carrier. */
  private static final ReentrantLock MAKING = new ReentrantLock();

  private SharedTlsContexts() {}

  /**
   * Returns the context of settings, made when it is first asked for.
   *
   * @param settings settings that never change, see {@link TlsSettings#latest}
   * @param protocols the names of the protocols that are offered to the server (ALPN, RFC 7301),
   *     the preferred one first; none for no offer
   * @throws SSLException when the settings cannot be used
   */
  public static SslContext of(TlsSettings settings, String... protocols) throws SSLException {
    List<String> offered = List.of(protocols);
    MAKING.lock();
    try {
      Map<List<String>, SslContext> ofSettings =
          CONTEXTS.computeIfAbsent(settings, absent -> new HashMap<>());
      @Nullable SslContext known = ofSettings.get(offered);
      if (known != null) {
        return known;
      }
      SslContextBuilder builder =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .keyManager(settings.keys())
              .trustManager(settings.trust())
              .endpointIdentificationAlgorithm("HTTPS");
      if (!offered.isEmpty()) {
        builder.applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                offered));
      }
      SslContext made = builder.build();
      ofSettings.put(offered, made);
      return made;
    } finally {
      MAKING.unlock();
    }
  }
}
