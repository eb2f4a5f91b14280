package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Nginx;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A service with a public URL behind a real nginx, with requests as the console sends them. */
@Tag("slow")
class BelowPathTest {
  /** A stream ends after a minute, and is opened anew as a browser does. */
  private static final int MAX_STREAMS = 5;

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir static Path folder;
  static RunningService api;

  @BeforeAll
  static void start() {
    api =
        RunningService.start(
            folder.resolve("data"),
            false,
            Duration.ofSeconds(2),
            settings -> settings.with(Settings.PUBLIC_URL, "http://reprise.example/reprise/"));
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  /** A block of the page for operators, with the places of this test. */
  private static String block(String name) throws IOException {
    String page = Files.readString(Path.of("OPERATING.md"));
    return page.split("<!-- " + name + " -->\\s*```nginx\n", 2)[1]
        .split("```", 2)[0]
        .replace("listen 443;", "listen @port@;")
        .replace("http://127.0.0.1:8080", api.service.baseUrl());
  }

  private static HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url))
        .timeout(Duration.ofMinutes(5))
        .header("Content-Type", "application/json")
        .header("Reprise-Console", "1")
        .header("Sec-Fetch-Site", "same-origin");
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return CLIENT.send(request(url).build(), HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"nginx-path", "nginx-path-kept"})
  void theServiceWorksHoweverThePathComes(String form) throws Exception {
    Path own = Files.createDirectory(folder.resolve(form));
    try (Nginx proxy = Nginx.start(own, block(form))) {
      String base = "http://127.0.0.1:" + proxy.port() + "/reprise";
      HttpResponse<String> page = get(base + "/topics/" + form);
      assertThat(page.body()).contains("<base href=\"../\">");
      assertThat(get(base + "/console/app.js").statusCode()).isEqualTo(200);

      String key = "{\"key\":\"" + api.service.firstKey().orElseThrow() + "\"}";
      HttpResponse<String> signedIn =
          CLIENT.send(
              request(base + "/console/session")
                  .POST(HttpRequest.BodyPublishers.ofString(key))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      String cookie = signedIn.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie).contains("; Path=/reprise/;").doesNotContain("Secure");

      api.subscribe(form, "{\"endpoint\":\"https://93.184.216.34/\",\"startSuspended\":true}");
      assertStreamShowsAPublish(base, form, cookie.split(";", 2)[0]);
    }
  }

  /** The publish comes after the first event has arrived: a proxy that held events would fail. */
  private static void assertStreamShowsAPublish(String base, String topic, String cookie)
      throws Exception {
    long before = Long.MAX_VALUE;
    for (int i = 0; i < MAX_STREAMS; i++) {
      HttpResponse<Stream<String>> opened =
          CLIENT.send(
              request(base + "/v1/overview/stream").header("Cookie", cookie).build(),
              HttpResponse.BodyHandlers.ofLines());
      assertThat(opened.statusCode()).isEqualTo(200);
      try (Stream<String> lines = opened.body()) {
        Iterator<String> events = lines.filter(line -> line.startsWith("data:")).iterator();
        while (events.hasNext()) {
          long accepted = accepted(events.next());
          if (accepted > before) {
            return;
          }
          if (before == Long.MAX_VALUE) {
            before = accepted;
            api.publish(topic, "{\"body\":\"x\"}");
          }
        }
      }
    }
    throw new AssertionError("no event has shown the publish");
  }

  private static long accepted(String event) {
    return JsonMapper.shared()
        .readTree(event.substring("data:".length()))
        .at("/ledger/accepted")
        .asLong();
  }
}
