package dev.reprise.delivery.http;

import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http1ClientConfig;
import io.vertx.core.http.Http2ClientConfig;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConfig;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.net.TrustOptions;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An {@link HttpSender} on the HTTP client of Vert.x: HTTP/1.1, and HTTP/2 where TLS negotiates it.
 *
 * <p>Attempts are spread over lanes by host and port; a lane is one event loop, and everything of
 * an attempt (connection, timeout, response) happens there. Callers on other threads hand over
 * through a queue that wakes the lane once for all that is in it, so thousands of attempts in one
 * turn of a shard cost a few wake-ups.
 *
 * <p>Which address a connection goes to is decided by {@link VettedResolver} alone; Vert.x gets
 * addresses in figures and asks no name server. Alternative services and redirects would lead
 * elsewhere, so none is followed; nor is a proxy that the environment or system properties name.
 * The one that an attempt names ({@link HttpOptions#proxy}) is, and is asked for tunnels to vetted
 * addresses, or to names if it is the one to vet them.
 */
public final class VertxHttpSender implements HttpSender {
  private static final Logger LOG = LoggerFactory.getLogger(VertxHttpSender.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final HttpClientAgent client;
  private final Connector connector;
  private final VettedResolver resolver;
  private final HttpFigures figures = new HttpFigures();
  private final SendLane[] lanes;

  /**
   * A sender on the event loops of a Vert.x instance, which it does not close.
   *
   * @param resolver says where connections may go; not closed by the sender
   */
  public VertxHttpSender(Vertx vertx, VettedResolver resolver, HttpSenderSettings settings) {
    this(vertx, resolver, settings, System::nanoTime);
  }

  /**
   * A sender with a clock of its own.
   *
   * @param nanoClock the monotonic clock by which connections age and attempts time out; called on
   *     any thread
   */
  VertxHttpSender(
      Vertx vertx, VettedResolver resolver, HttpSenderSettings settings, LongSupplier nanoClock) {
    this.resolver = resolver;
    SSLEngineOptions engine = engine(settings);
    NamedTrust trust = NamedTrust.in(settings.trustedCertificates());
    HttpClientConfig config = config(settings);
    this.client =
        vertx.httpClientBuilder().with(config).with(tls(trust, settings)).with(engine).build();
    this.connector =
        new Connector(
            vertx,
            config,
            new TlsContexts((VertxInternal) vertx, engine, trust),
            resolver,
            settings.connectTimeout());
    ConnectionBudget budget = new ConnectionBudget(settings.connections());
    this.lanes = new SendLane[Runtime.getRuntime().availableProcessors()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] =
          new SendLane(
              ((VertxInternal) vertx).createEventLoopContext(),
              client,
              connector,
              budget,
              figures,
              settings,
              nanoClock);
    }
  }

  private static SSLEngineOptions engine(HttpSenderSettings settings) {
    boolean nativeTls =
        settings.nativeTls()
            && OpenSSLEngineOptions.isAvailable()
            && OpenSSLEngineOptions.isAlpnAvailable();
    LOG.info(
        nativeTls
            ? "TLS by the native engine (BoringSSL or OpenSSL)"
            : "TLS by the JDK: a handshake costs about six times what the native engine"
                + " (netty-tcnative) takes");
    return nativeTls ? new OpenSSLEngineOptions() : new JdkSSLEngineOptions();
  }

  private static HttpClientConfig config(HttpSenderSettings settings) {
    HttpClientConfig config =
        new HttpClientConfig()
            .setVersions(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1)
            .setVerifyHost(true)
            .setFollowAlternativeServices(false)
            .setDecompressionEnabled(false)
            .setConnectTimeout(settings.connectTimeout())
            .setHttp1Config(
                new Http1ClientConfig()
                    .setKeepAlive(true)
                    .setKeepAliveTimeout(settings.keepAlive())
                    .setPipelining(false))
            .setHttp2Config(
                new Http2ClientConfig()
                    .setInitialSettings(
                        // Above the setting, by which Http2Frames cuts off what is read.
                        new Http2Settings().setMaxHeaderListSize(HttpSenderSettings.MAX_HEAD_BYTES))
                    .setKeepAliveTimeout(settings.keepAlive()));
    config.getTcpConfig().getTransportConfig().setSoKeepAlive(true);
    return config;
  }

  private static ClientSSLOptions tls(NamedTrust trust, HttpSenderSettings settings) {
    ClientSSLOptions tls =
        new ClientSSLOptions()
            .setHostnameVerificationAlgorithm("HTTPS")
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setSslHandshakeTimeout(settings.connectTimeout().toMillis());
    tls.setTrustOptions(TrustOptions.wrap(trust));
    return tls;
  }

  /** Returns the counts, which go on. */
  public HttpFigures figures() {
    return figures;
  }

  @Override
  public void send(HttpAttempt attempt, Consumer<HttpOutcome> done) {
    EndpointUrl url = attempt.url();
    int hash = 31 * url.host().hashCode() + url.port();
    SendLane lane = lanes[Math.floorMod(hash ^ (hash >>> 16), lanes.length)];
    lane.start(new Exchange(lane, resolver, attempt, done));
  }

  @Override
  public void close() {
    for (SendLane lane : lanes) {
      lane.close();
    }
    Future<?> closing = Future.join(client.close(), connector.close());
    if (Context.isOnEventLoopThread()) {
      return;
    }
    try {
      closing
          .toCompletionStage()
          .toCompletableFuture()
          .get(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("Connections did not close in {}", CLOSE_TIMEOUT, e);
    }
  }
}
