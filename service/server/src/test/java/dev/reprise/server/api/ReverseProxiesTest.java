package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.fixtures.ReverseProxy;
import dev.reprise.fixtures.ReverseProxy.Kind;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.OperatingPage;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ShownPublish;
import dev.reprise.server.http.Answer;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A service behind a real nginx, HAProxy, Caddy and Apache httpd, each with the configuration of
 * the page for operators and the certificate of this test.
 */
@Tag("slow")
class ReverseProxiesTest {
  /** A name with a sign that some decode in a path. */
  private static final String TOPIC = "proxy+topic";

  private static final String SUSPENDED =
      "{\"endpoint\":\"https://93.184.216.34/\",\"startSuspended\":true}";
  private static final int EVENTS = 20;

  @TempDir static Path folder;

  static Identity identity;
  static SSLContext trusting;
  static RunningService below;
  static RunningService atRoot;

  @BeforeAll
  static void start() throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    identity = authority.server();
    trusting = trusting(authority);
    below = start("below", s -> s.with(Settings.PUBLIC_URL, "https://reprise.example/reprise/"));
    atRoot = start("root", s -> s);
  }

  private static RunningService start(String data, UnaryOperator<ServeSettings> change) {
    return RunningService.start(folder.resolve(data), false, Duration.ofSeconds(2), change);
  }

  private static SSLContext trusting(TestAuthority authority) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(authority.trustStore())) {
      store.load(in, TestAuthority.KEY_STORE_PASSWORD.toCharArray());
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  @AfterAll
  static void stop() {
    for (RunningService each : new RunningService[] {below, atRoot}) {
      if (each != null) {
        each.close();
      }
    }
  }

  private static ReverseProxy start(Kind kind, String block, int service) throws IOException {
    Path own = Files.createTempDirectory(folder, kind.name().toLowerCase(Locale.ROOT));
    String certificate = identity.certificatePem().toString();
    String key = identity.keyPem().toString();
    String sites = replaced(block, "127.0.0.1:8080", "127.0.0.1:" + service);
    switch (kind) {
      case NGINX -> {
        sites = replaced(sites, "listen 443 ", "listen 127.0.0.1:@port@ ");
        sites = replaced(sites, "/etc/ssl/example.com.crt", certificate);
        sites = replaced(sites, "/etc/ssl/example.com.key", key);
      }
      case HAPROXY -> {
        String pem = Files.readString(Path.of(certificate)) + Files.readString(Path.of(key));
        Path both = Files.writeString(own.resolve("both.pem"), pem);
        sites = replaced(sites, "bind :443", "bind 127.0.0.1:@port@");
        sites = replaced(sites, "/etc/haproxy/example.com.pem", both.toString());
      }
      case CADDY -> {
        String site = "https://localhost:@port@ {\n  tls " + certificate + " " + key;
        sites = replaced(sites, "example.com {", site);
      }
      case APACHE -> {
        sites = replaced(sites, "*:443", "*:@port@");
        sites = replaced(sites, "/etc/ssl/example.com.crt", certificate);
        sites = replaced(sites, "/etc/ssl/example.com.key", key);
      }
    }
    return ReverseProxy.start(kind, own, sites);
  }

  private static String replaced(String text, String part, String by) {
    assertThat(text).contains(part);
    return text.replace(part, by);
  }

  private static String block(Kind kind) throws IOException {
    return OperatingPage.block(kind.name().toLowerCase(Locale.ROOT));
  }

  /** The same without the condition on the path. */
  private static String blockAtRoot(Kind kind) throws IOException {
    String block = block(kind);
    return switch (kind) {
      case NGINX -> replaced(block, "location /reprise/ {", "location / {");
      case HAPROXY -> replaced(block, " if { path /reprise } or { path_beg /reprise/ }", "");
      case CADDY ->
          replaced(replaced(block, "@reprise path /reprise /reprise/*", ""), "@reprise ", "");
      case APACHE -> replaced(replaced(block, ":8080/reprise", ":8080/"), " /reprise", " /");
    };
  }

  private static HttpClient client(Version version) {
    return HttpClient.newBuilder().version(version).sslContext(trusting).build();
  }

  private static HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url))
        .timeout(Duration.ofMinutes(5))
        .header("Content-Type", "application/json")
        .header("Reprise-Console", "1")
        .header("Origin", URI.create(url).resolve("/").toString().replaceAll("/$", ""));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest.BodyPublisher json(String text) {
    return HttpRequest.BodyPublishers.ofString(text);
  }

  /** What the console asks for, in the words of a browser; both versions of HTTP. */
  private static void assertServes(RunningService api, String base, String path) throws Exception {
    api.subscribe(TOPIC, SUSPENDED);
    String key = "{\"key\":\"" + api.service.firstKey().orElseThrow() + "\"}";
    for (Version version : List.of(Version.HTTP_1_1, Version.HTTP_2)) {
      HttpClient client = client(version);
      HttpResponse<String> page = send(client, request(base + "/topics/" + TOPIC));
      assertThat(page.version()).isEqualTo(version);
      assertThat(page.body()).contains("<base href=\"../\">");
      assertThat(send(client, request(base + "/console/app.js")).statusCode()).isEqualTo(200);

      HttpResponse<String> signedIn =
          send(client, request(base + "/console/session").POST(json(key)));
      assertThat(signedIn.statusCode()).as(signedIn.body()).isEqualTo(200);
      String cookie = signedIn.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie).contains("; Path=" + path + ";").contains("; Secure");
      String session = cookie.split(";", 2)[0];

      String topic = base + "/v1/topics/" + TOPIC;
      for (String same : List.of(topic, topic.replace("+", "%2B"))) {
        assertThat(send(client, request(same).header("Cookie", session)).statusCode())
            .isEqualTo(200);
      }
      ShownPublish.await(
          client,
          request(base + "/v1/overview/stream").header("Cookie", session).build(),
          () -> publish(client, request(topic + "/messages").header("Cookie", session)));
    }
  }

  private static int publish(HttpClient client, HttpRequest.Builder request) throws Exception {
    int status = send(client, request.POST(json("{\"body\":\"x\"}"))).statusCode();
    assertThat(status).isEqualTo(202);
    return status;
  }

  @ParameterizedTest
  @EnumSource
  void theServiceIsServedBelowAPath(Kind kind) throws Exception {
    try (ReverseProxy proxy = start(kind, block(kind), below.service.port())) {
      String host = "https://localhost:" + proxy.port();
      HttpResponse<String> moved = send(client(Version.HTTP_2), request(host + "/reprise"));
      // The service's own, or that of nginx.
      assertThat(moved.statusCode()).isIn(308, 301);
      String to = moved.headers().firstValue("Location").orElseThrow();
      assertThat(URI.create(host).resolve(to)).hasToString(host + "/reprise/");
      assertThat(send(client(Version.HTTP_2), request(host + "/reprised/")).body())
          .doesNotContain("<base");
      assertServes(below, host + "/reprise", "/reprise/");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theServiceIsServedAtTheRootOfAHost(Kind kind) throws Exception {
    try (ReverseProxy proxy = start(kind, blockAtRoot(kind), atRoot.service.port())) {
      assertServes(atRoot, "https://localhost:" + proxy.port(), "/");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBrowserSeesAPublishThroughTheStream(Kind kind) throws Exception {
    try (ReverseProxy proxy = start(kind, block(kind), below.service.port());
        Browser browser = Browser.at("https://localhost:" + proxy.port() + "/reprise")) {
      below.subscribe(TOPIC, SUSPENDED);
      browser.signIn(below.service.firstKey().orElseThrow());
      browser.see("#ledger");
      // Counted in the page itself: one that was loaded anew begins without it.
      browser.run("window.sameText = document.querySelector('#ledger b').innerText");
      below.publish(TOPIC, "{\"body\":\"x\"}");
      browser
          .patiently()
          .until(
              b ->
                  Boolean.TRUE.equals(
                      browser.run(
                          "return window.sameText !== undefined && window.sameText !=="
                              + " document.querySelector('#ledger b').innerText")));
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachEventArrivesBeforeTheNextIsSent(Kind kind) throws Exception {
    try (Events events = new Events();
        ReverseProxy proxy = start(kind, block(kind), events.port())) {
      assertEachEventArrives(events, proxy);
    }
  }

  /** Compressed, each event would be held until the next one comes. */
  @Test
  void haproxysCompressionLeavesEventStreamsAlone() throws Exception {
    String compressing =
        replaced(
            block(Kind.HAPROXY),
            "backend reprise\n",
            "backend reprise\n  compression algo gzip\n  compression type text/event-stream\n");
    try (Events events = new Events();
        ReverseProxy proxy = start(Kind.HAPROXY, compressing, events.port())) {
      assertEachEventArrives(events, proxy);
    }
  }

  private static void assertEachEventArrives(Events events, ReverseProxy proxy) throws Exception {
    for (Version version : List.of(Version.HTTP_1_1, Version.HTTP_2)) {
      events.mayBeSent.drainPermits();
      String url = "https://localhost:" + proxy.port() + "/reprise/v1/overview/stream?a=%2B";
      events.mayBeSent.release();
      HttpResponse<Stream<String>> opened =
          client(version)
              .send(
                  request(url)
                      .header("Accept", "text/event-stream")
                      .header("Accept-Encoding", "gzip, deflate")
                      .build(),
                  HttpResponse.BodyHandlers.ofLines());
      assertThat(opened.version()).isEqualTo(version);
      assertThat(opened.headers().firstValue("Content-Encoding")).isEmpty();
      try (Stream<String> lines = opened.body()) {
        Iterator<String> data = lines.filter(line -> line.startsWith("data:")).iterator();
        for (int i = 0; i < EVENTS; i++) {
          assertThat(data.next()).isEqualTo("data: " + i);
          events.mayBeSent.release();
        }
      }
      assertThat(events.asked.poll(5, TimeUnit.MINUTES))
          .isEqualTo("localhost:" + proxy.port() + " /reprise/v1/overview/stream?a=%2B");
    }
  }

  /** In the place of the service, with its headers: sends an event for each permit. */
  private static final class Events implements AutoCloseable {
    final Semaphore mayBeSent = new Semaphore(0);
    final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private final HttpServer server;

    Events() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", this::answer);
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
      asked.add(exchange.getRequestHeaders().getFirst("Host") + " " + exchange.getRequestURI());
      Answer ofService = Answer.events(writer -> {});
      exchange.getResponseHeaders().add("Content-Type", ofService.contentType());
      ofService.headers().forEach(exchange.getResponseHeaders()::add);
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = exchange.getResponseBody()) {
        for (int i = 0; i < EVENTS; i++) {
          mayBeSent.acquire();
          out.write(("data: " + i + "\n\n").getBytes(UTF_8));
          out.flush();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
