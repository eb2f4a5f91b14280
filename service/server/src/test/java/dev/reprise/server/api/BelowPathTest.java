package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Nginx;
import dev.reprise.server.fixture.OperatingPage;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ShownPublish;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service with a public URL behind a real nginx, with requests as the console sends them. */
@Tag("slow")
class BelowPathTest {
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
    return OperatingPage.block(name)
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
      ShownPublish.await(
          CLIENT,
          request(base + "/v1/overview/stream").header("Cookie", cookie.split(";", 2)[0]).build(),
          () -> api.publish(form, "{\"body\":\"x\"}"));
    }
  }
}
