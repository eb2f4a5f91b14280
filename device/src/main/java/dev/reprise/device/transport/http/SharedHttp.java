package dev.reprise.device.transport.http;

import dev.reprise.device.transport.TlsSettings;
import java.lang.ref.WeakReference;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The clients that all HTTP connections of the JVM share. Thread-safe. */
final class SharedHttp {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);

  /** The executor of the client, for work that does not wait and for lookups of names, which do. */
  private static final Executor CLIENT_POOL = newPool("reprise-device-http-", 8);

  /**
   * The threads for listeners are apart from lookups, so that a slow lookup delays no event, above
   * all no timeout.
   */
  private static final Executor EVENT_POOL = newPool("reprise-device-http-events-", 2);

  /** A client has a thread for its selector, which ends when the client is unreachable. */
  private static final Map<TlsSettings, WeakReference<HttpClient>> CLIENTS = new HashMap<>();

  private SharedHttp() {}

  /** Returns the pool for whatever never blocks. */
  static Executor eventPool() {
    return EVENT_POOL;
  }

  static HttpClient client(TlsSettings tls) throws GeneralSecurityException {
    synchronized (CLIENTS) {
      WeakReference<HttpClient> known = CLIENTS.get(tls);
      HttpClient client = known == null ? null : known.get();
      if (client == null) {
        client = newClient(tls);
        CLIENTS.values().removeIf(reference -> reference.get() == null);
        CLIENTS.put(tls, new WeakReference<>(client));
      }
      return client;
    }
  }

  private static HttpClient newClient(TlsSettings tls) throws GeneralSecurityException {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(CLIENT_POOL)
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER);
    KeyManagerFactory keys = tls.keys();
    TrustManagerFactory trust = tls.trust();
    if (keys != null || trust != null) {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          keys == null ? null : keys.getKeyManagers(),
          trust == null ? null : trust.getTrustManagers(),
          null);
      builder.sslContext(context);
    }
    return builder.build();
  }

  private static Executor newPool(String threadPrefix, int threads) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, threadPrefix + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
