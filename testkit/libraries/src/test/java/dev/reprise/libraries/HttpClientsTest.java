package dev.reprise.libraries;

import dev.reprise.testkit.RefusingPort;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.util.Timeout;
import org.eclipse.jetty.client.HttpClient;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.netty.resources.ConnectionProvider;

/** HTTP clients whose server is down, far away, silent, or goes; and their pools. */
class HttpClientsTest {
  private static final String UNKNOWN_HOST = "unknown.invalid:80";

  /** Gets a page from a host and port. */
  interface Get {
    void from(String address, Patience patience) throws Exception;
  }

  private static Stream<Cell> usual(String library, Get get) {
    return Stream.of(
        new Cell(library, "connection refused", "YES", () -> refused(get)),
        new Cell(library, "unknown host", "YES", () -> get.from(UNKNOWN_HOST, Patience.ENDLESS)),
        new Cell(
            library, "connect time-out", "YES", () -> at(Peer.full(), get, Patience.TO_CONNECT)),
        new Cell(
            library, "read time-out", "MAYBE", () -> at(Peer.silent(), get, Patience.FOR_ANSWER)),
        new Cell(library, "reset", "MAYBE", () -> at(Peer.resetting(), get, Patience.ENDLESS)),
        new Cell(
            library,
            "hung up",
            "MAYBE",
            () -> at(Peer.hangingUpAfterTheRequest(), get, Patience.ENDLESS)));
  }

  static Stream<Cell> apache5() {
    return Stream.concat(
        usual("HttpClient 5", HttpClientsTest::apache5),
        Stream.of(
            new Cell("HttpClient 5", "pool exhausted", "YES", HttpClientsTest::apache5Pool),
            new Cell(
                "HttpClient 5", "aborted by the caller", "NO", HttpClientsTest::apache5Abort)));
  }

  static Stream<Cell> apache5Async() {
    return Stream.concat(
        usual("HttpClient 5 async", HttpClientsTest::apache5Async),
        Stream.of(
            new Cell(
                "HttpClient 5 async", "pool exhausted", "YES", HttpClientsTest::apache5AsyncPool),
            new Cell(
                "HttpClient 5 async",
                "cancelled by the caller",
                "NO",
                HttpClientsTest::apache5AsyncCancel)));
  }

  static Stream<Cell> apache4() {
    return Stream.concat(
        usual("HttpClient 4", HttpClientsTest::apache4),
        Stream.of(
            new Cell("HttpClient 4", "pool exhausted", "YES", HttpClientsTest::apache4Pool),
            new Cell(
                "HttpClient 4", "aborted by the caller", "NO", HttpClientsTest::apache4Abort)));
  }

  static Stream<Cell> okHttp() {
    return Stream.concat(
        usual("OkHttp", HttpClientsTest::okHttp),
        Stream.of(
            new Cell("OkHttp", "call time-out", "MAYBE", HttpClientsTest::okHttpCall),
            new Cell("OkHttp", "cancelled by the caller", "NO", HttpClientsTest::okHttpCancel)));
  }

  static Stream<Cell> jetty() {
    return Stream.concat(
        usual("Jetty", HttpClientsTest::jetty),
        Stream.of(
            new Cell("Jetty", "queue full", "YES", HttpClientsTest::jettyQueue),
            new Cell("Jetty", "total time-out", "MAYBE", HttpClientsTest::jettyTotal)));
  }

  static Stream<Cell> reactorNetty() {
    return Stream.concat(
        usual("Reactor Netty", HttpClientsTest::reactorNetty),
        Stream.of(
            new Cell("Reactor Netty", "pool exhausted", "YES", () -> reactorPool(1, -1)),
            new Cell("Reactor Netty", "pool's queue full", "YES", () -> reactorPool(60_000, 1))));
  }

  static Stream<Cell> netty() {
    return Stream.of(
        new Cell("Netty", "connection refused", "YES", () -> refused(HttpClientsTest::netty)),
        new Cell("Netty", "unknown host", "YES", () -> netty(UNKNOWN_HOST, Patience.ENDLESS)),
        new Cell(
            "Netty",
            "connect time-out",
            "YES",
            () -> at(Peer.full(), HttpClientsTest::netty, Patience.TO_CONNECT)));
  }

  @ParameterizedTest
  @MethodSource({"apache5", "apache5Async", "apache4", "okHttp", "jetty", "reactorNetty", "netty"})
  void eachFailureHasItsVerdict(Cell cell) {
    cell.check();
  }

  private static void refused(Get get) throws Exception {
    try (RefusingPort port = RefusingPort.take()) {
      get.from("127.0.0.1:" + port.number(), Patience.ENDLESS);
    }
  }

  private static void at(Peer peer, Get get, Patience patience) throws Exception {
    try (peer) {
      get.from(peer.address(), patience);
    }
  }

  private static CloseableHttpClient newApache5(Patience patience, int leaseMillis) {
    return HttpClients.custom()
        .disableAutomaticRetries()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnTotal(1)
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.ofMilliseconds(patience.connectMillis()))
                        .setSocketTimeout(Timeout.ofMilliseconds(patience.answerMillis()))
                        .build())
                .build())
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(Timeout.ofMilliseconds(leaseMillis))
                .setResponseTimeout(Timeout.ofMilliseconds(patience.answerMillis()))
                .build())
        .build();
  }

  private static void apache5(String address, Patience patience) throws Exception {
    try (CloseableHttpClient client = newApache5(patience, Patience.LONG)) {
      client.execute(new HttpGet("http://" + address + "/"), response -> null);
    }
  }

  private static void apache5Pool() throws Exception {
    try (Peer peer = Peer.answering(200, "", "x");
        CloseableHttpClient client = newApache5(Patience.ENDLESS, Patience.SHORT)) {
      String url = "http://" + peer.address() + "/";
      try (ClassicHttpResponse held = client.executeOpen(null, new HttpGet(url), null)) {
        client.execute(new HttpGet(url), response -> null);
        held.getCode();
      }
    }
  }

  private static void apache5Abort() throws Exception {
    try (CloseableHttpClient client = newApache5(Patience.ENDLESS, Patience.SHORT)) {
      HttpGet get = new HttpGet("http://127.0.0.1:1/");
      get.abort();
      client.execute(get, response -> null);
    }
  }

  private static CloseableHttpAsyncClient newApache5Async(Patience patience, int leaseMillis) {
    CloseableHttpAsyncClient client =
        HttpAsyncClients.custom()
            .disableAutomaticRetries()
            .setConnectionManager(
                PoolingAsyncClientConnectionManagerBuilder.create()
                    .setMaxConnTotal(1)
                    .setDefaultConnectionConfig(
                        ConnectionConfig.custom()
                            .setConnectTimeout(Timeout.ofMilliseconds(patience.connectMillis()))
                            .setSocketTimeout(Timeout.ofMilliseconds(patience.answerMillis()))
                            .build())
                    .build())
            .setDefaultRequestConfig(
                RequestConfig.custom()
                    .setConnectionRequestTimeout(Timeout.ofMilliseconds(leaseMillis))
                    .setResponseTimeout(Timeout.ofMilliseconds(patience.answerMillis()))
                    .build())
            .build();
    client.start();
    return client;
  }

  private static void apache5Async(String address, Patience patience) throws Exception {
    try (CloseableHttpAsyncClient client = newApache5Async(patience, Patience.LONG)) {
      client.execute(SimpleHttpRequest.create("GET", "http://" + address + "/"), null).get();
    }
  }

  private static void apache5AsyncPool() throws Exception {
    try (Peer peer = Peer.silent();
        CloseableHttpAsyncClient client = newApache5Async(Patience.FOR_ANSWER, 100)) {
      String url = "http://" + peer.address() + "/";
      while (true) {
        // The pool looks at those who wait when the first gives its connection back.
        Future<SimpleHttpResponse> first =
            client.execute(SimpleHttpRequest.create("GET", url), null);
        try {
          client.execute(SimpleHttpRequest.create("GET", url), null).get();
        } catch (ExecutionException failure) {
          // Had the machine stood still, the second may have had the connection.
          if (!(failure.getCause() instanceof SocketTimeoutException)) {
            throw failure;
          }
        }
        first.cancel(true);
      }
    }
  }

  private static void apache5AsyncCancel() throws Exception {
    try (Peer peer = Peer.silent();
        CloseableHttpAsyncClient client = newApache5Async(Patience.ENDLESS, Patience.LONG)) {
      Future<SimpleHttpResponse> call =
          client.execute(SimpleHttpRequest.create("GET", "http://" + peer.address() + "/"), null);
      call.cancel(true);
      call.get();
    }
  }

  private static org.apache.http.impl.client.CloseableHttpClient newApache4(
      Patience patience, int leaseMillis) {
    return org.apache.http.impl.client.HttpClients.custom()
        .disableAutomaticRetries()
        .setMaxConnTotal(1)
        .setDefaultRequestConfig(
            org.apache.http.client.config.RequestConfig.custom()
                .setConnectTimeout(patience.connectMillis())
                .setSocketTimeout(patience.answerMillis())
                .setConnectionRequestTimeout(leaseMillis)
                .build())
        .build();
  }

  private static void apache4(String address, Patience patience) throws Exception {
    try (var client = newApache4(patience, Patience.LONG)) {
      client.execute(new org.apache.http.client.methods.HttpGet("http://" + address + "/")).close();
    }
  }

  private static void apache4Pool() throws Exception {
    try (Peer peer = Peer.answering(200, "", "x");
        var client = newApache4(Patience.ENDLESS, Patience.SHORT)) {
      String url = "http://" + peer.address() + "/";
      try (var held = client.execute(new org.apache.http.client.methods.HttpGet(url))) {
        client.execute(new org.apache.http.client.methods.HttpGet(url)).close();
        held.getStatusLine();
      }
    }
  }

  private static void apache4Abort() throws Exception {
    try (var client = newApache4(Patience.ENDLESS, Patience.LONG)) {
      var get = new org.apache.http.client.methods.HttpGet("http://127.0.0.1:1/");
      get.abort();
      client.execute(get).close();
    }
  }

  private static OkHttpClient newOkHttp(Patience patience) {
    return new OkHttpClient.Builder()
        .retryOnConnectionFailure(false)
        .connectTimeout(Duration.ofMillis(patience.connectMillis()))
        .readTimeout(Duration.ofMillis(patience.answerMillis()))
        .build();
  }

  private static okhttp3.Request request(String address) {
    return new okhttp3.Request.Builder().url("http://" + address + "/").build();
  }

  private static void okHttp(String address, Patience patience) throws Exception {
    newOkHttp(patience).newCall(request(address)).execute().close();
  }

  private static void okHttpCall() throws Exception {
    try (Peer peer = Peer.silent()) {
      newOkHttp(Patience.ENDLESS)
          .newBuilder()
          .readTimeout(Duration.ZERO)
          .callTimeout(Duration.ofMillis(Patience.SHORT))
          .build()
          .newCall(request(peer.address()))
          .execute()
          .close();
    }
  }

  private static void okHttpCancel() throws Exception {
    try (Peer peer = Peer.silent()) {
      okhttp3.Call call = newOkHttp(Patience.ENDLESS).newCall(request(peer.address()));
      call.cancel();
      call.execute().close();
    }
  }

  private static HttpClient newJetty(Patience patience) throws Exception {
    HttpClient client = new HttpClient();
    client.setConnectTimeout(patience.connectMillis());
    client.setIdleTimeout(Patience.LONG);
    client.start();
    return client;
  }

  private static void jetty(String address, Patience patience) throws Exception {
    HttpClient client = newJetty(patience);
    try {
      client
          .newRequest("http://" + address + "/")
          .idleTimeout(patience.answerMillis(), TimeUnit.MILLISECONDS)
          .send();
    } finally {
      client.stop();
    }
  }

  private static void jettyTotal() throws Exception {
    HttpClient client = newJetty(Patience.ENDLESS);
    client.setIdleTimeout(0);
    try (Peer peer = Peer.silent()) {
      client
          .newRequest("http://" + peer.address() + "/")
          .timeout(Patience.SHORT, TimeUnit.MILLISECONDS)
          .send();
    } finally {
      client.stop();
    }
  }

  private static void jettyQueue() throws Exception {
    HttpClient client = newJetty(Patience.ENDLESS);
    client.setIdleTimeout(0);
    client.setMaxConnectionsPerDestination(1);
    client.setMaxRequestsQueuedPerDestination(1);
    try (Peer peer = Peer.silent()) {
      // One is on its way and one waits: one of three has no place, and is told so at once.
      CompletableFuture<Void> refused = new CompletableFuture<>();
      for (int i = 0; i < 3; i++) {
        client
            .newRequest("http://" + peer.address() + "/")
            .send(result -> refused.completeExceptionally(result.getFailure()));
      }
      refused.get();
    } finally {
      client.stop();
    }
  }

  private static reactor.netty.http.client.HttpClient newReactor(
      ConnectionProvider pool, Patience patience) {
    return reactor.netty.http.client.HttpClient.create(pool)
        .disableRetry(true)
        .resolver(DefaultAddressResolverGroup.INSTANCE)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, patience.connectMillis());
  }

  private static void reactorNetty(String address, Patience patience) {
    newReactor(ConnectionProvider.newConnection(), patience)
        .responseTimeout(Duration.ofMillis(patience.answerMillis()))
        .get()
        .uri("http://" + address + "/")
        .response()
        .block();
  }

  private static void reactorPool(int acquireMillis, int queue) {
    ConnectionProvider pool =
        ConnectionProvider.builder("one")
            .maxConnections(1)
            .pendingAcquireTimeout(Duration.ofMillis(acquireMillis))
            .pendingAcquireMaxCount(queue)
            .build();
    try (Peer peer = Peer.silent()) {
      var get =
          newReactor(pool, Patience.ENDLESS).get().uri("http://" + peer.address() + "/").response();
      var first = get.subscribe();
      var second = queue == 1 ? get.subscribe() : null;
      try {
        get.block();
      } finally {
        first.dispose();
        if (second != null) {
          second.dispose();
        }
        pool.dispose();
      }
    }
  }

  private static void netty(String address, Patience patience) throws Exception {
    var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      int colon = address.indexOf(':');
      new Bootstrap()
          .group(group)
          .channel(NioSocketChannel.class)
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, patience.connectMillis())
          .handler(
              new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {}
              })
          .connect(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))
          .sync();
    } finally {
      var unused = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }
}
