package dev.reprise.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.reprise.fixtures.StartedProcess;
import dev.reprise.fixtures.TestAuthority;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service, as an archive runs it. */
@Tag("slow")
class InstalledServiceTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern URL = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+), started in");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Set<String> arrived = new ConcurrentSkipListSet<>();
  @TempDir private Path folder;
  private Installation installation;
  private HttpsServer endpoint;
  private TestAuthority authority;
  private volatile int answer = 200;
  private StartedProcess service;
  private String url;
  private String key;
  private int starts;

  @BeforeEach
  void install() throws Exception {
    installation = Installation.in(folder);
    authority = TestAuthority.in(folder);
    endpoint = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    endpoint.setHttpsConfigurator(new HttpsConfigurator(tls(authority.server())));
    endpoint.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            int status = answer;
            if (status == 200) {
              arrived.add(body);
            }
            exchange.sendResponseHeaders(status, -1);
          }
        });
    endpoint.start();
  }

  @AfterEach
  void end() {
    if (service != null) {
      service.close();
    }
    endpoint.stop(0);
  }

  @Test
  void servesDeliversAndStopsWithTheLibrariesInTheArchive() throws Exception {
    start();
    subscribe();

    send("POST", "/v1/topics/orders/messages", "{\"body\": {\"order\": 1}}");

    service.await("the message to arrive", () -> arrived.contains("{\"order\": 1}"));
    assertThat(Files.getPosixFilePermissions(data().resolve("first-api-key")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertNativesAreThoseOfTheArchive();
    assertConsoleIsWhole();
    assertThat(get("/metrics").body()).contains("reprise_attempts_total");

    service.askToEnd();
    assertThat(service.awaitEnd(PATIENCE)).as(said("err")).isZero();
    assertThat(said("err")).contains("Stopped.");
  }

  @Test
  void losesNothingWhenItIsKilled() throws Exception {
    answer = 503;
    start();
    subscribe();
    for (int i = 0; i < 20; i++) {
      send("POST", "/v1/topics/orders/messages", "{\"body\": {\"order\": " + i + "}}");
    }

    service.kill();
    answer = 200;
    start();

    service.await("all to arrive", () -> arrived.size() == 20);
    service.await("all to be noted", () -> ledger().at("/total/delivered").intValue() == 20);
    assertThat(ledger().at("/total/unexplained").intValue()).isZero();
    assertThat(ledger().at("/verified/agrees").booleanValue()).isTrue();
  }

  private void start() throws Exception {
    starts++;
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    service =
        installation.start(
            installation.file("reprise"),
            output("out"),
            output("err"),
            Map.of("REPRISE_JAVA_OPTS", "-Xmx256m -Djava.io.tmpdir=" + temporary),
            "serve",
            "--data",
            data().toString(),
            "--port",
            "0",
            "--allow",
            "127.0.0.1/32");
    service.await("its banner", () -> said("out").contains("started in"));
    Matcher found = URL.matcher(said("out"));
    assertThat(found.find()).as(said("out")).isTrue();
    url = found.group(1);
    service.await("it to be ready", () -> get("/health/ready").statusCode() == 200);
    key = Files.readString(data().resolve("first-api-key")).strip();
  }

  private void subscribe() throws Exception {
    send(
        "PUT",
        "/v1/topics/orders",
        "{\"healthyRetryPolicy\": {\"numRetries\": 100, \"minDelayTarget\": 1,"
            + " \"maxDelayTarget\": 1, \"numNoDelayRetries\": 0}}");
    var subscription =
        JsonMapper.shared()
            .createObjectNode()
            .put("format", "raw")
            .put("endpoint", "https://localhost:" + endpoint.getAddress().getPort() + "/hook");
    subscription.putObject("http").put("authority", Files.readString(authority.certificatePem()));
    send("POST", "/v1/topics/orders/subscriptions", subscription.toString());
  }

  /** Everything that the page asks for is served, its libraries among it. */
  private void assertConsoleIsWhole() throws Exception {
    String page = get("/").body();
    List<String> asked =
        Pattern.compile("(?:src|href)=\"(/?[^\":#]+\\.(?:js|css))\"")
            .matcher(page)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(asked).as(page).isNotEmpty();
    for (String path : asked) {
      assertThat(get(ofPage(path)).statusCode()).as(path).isEqualTo(200);
    }
    Matcher lit = Pattern.compile("\"lit\":\\s*\"([^\"]+)\"").matcher(page);
    assertThat(lit.find()).as(page).isTrue();
    assertThat(get(ofPage(lit.group(1))).statusCode()).as(lit.group(1)).isEqualTo(200);
  }

  /** The path of a reference on the first page, all of which are relative. */
  private static String ofPage(String reference) {
    return URI.create("/").resolve(reference).getPath();
  }

  /** Nothing is unpacked into a folder for temporary files, from which nothing may be executed. */
  private void assertNativesAreThoseOfTheArchive() throws Exception {
    String mapped =
        Files.readString(Path.of("/proc", Long.toString(service.process().pid()), "maps"));
    try (Stream<Path> natives = Files.list(installation.file("lib/native"))) {
      assertThat(natives)
          .isNotEmpty()
          .allSatisfy(library -> assertThat(mapped).contains(library.toString()));
    }
    try (Stream<Path> temporary = Files.walk(folder.resolve("tmp"))) {
      assertThat(temporary.filter(file -> file.toString().endsWith(".so"))).isEmpty();
    }
  }

  private JsonNode ledger() throws Exception {
    return JsonMapper.shared().readTree(send("GET", "/v1/ledger?verify=true", ""));
  }

  private String send(String method, String path, String body) throws Exception {
    HttpResponse<String> response = request(method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return response.body();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return request("GET", path, "");
  }

  private HttpResponse<String> request(String method, String path, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (path.startsWith("/v1/")) {
      request.header("Authorization", "Bearer " + key);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private Path data() {
    return folder.resolve("data");
  }

  private Path output(String stream) {
    return folder.resolve("service-" + stream + "-" + starts);
  }

  private String said(String stream) throws Exception {
    return Files.readString(output(stream), UTF_8);
  }

  private static SSLContext tls(TestAuthority.Identity server) throws Exception {
    char[] password = TestAuthority.KEY_STORE_PASSWORD.toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream file = Files.newInputStream(server.keyStore())) {
      store.load(file, password);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
