package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.http.Route;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A service with {@code --public-url}, asked with the path in front and without. */
class PublicUrlApiTest {
  private static final String ORIGIN = "https://reprise.example";

  @TempDir static Path folder;
  static RunningService api;

  @BeforeAll
  static void start() {
    api = with(folder.resolve("keys"), false);
  }

  private static RunningService with(Path data, boolean dev) {
    return RunningService.start(
        data,
        dev,
        Duration.ofSeconds(2),
        settings -> settings.with(Settings.PUBLIC_URL, ORIGIN + "/reprise"));
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  private static RunningService.Reply signIn(String path, String... headers) {
    String key = api.service.firstKey().orElseThrow();
    List<String> all =
        Stream.concat(Stream.of("Reprise-Console", "1"), Stream.of(headers)).toList();
    return api.send(
        "POST", path, "{\"key\":\"" + key + "\"}", "application/json", all.toArray(String[]::new));
  }

  @Test
  void requestsAreServedWithThePathAndWithout() {
    for (String front : List.of("", "/reprise")) {
      assertThat(api.get(front + "/health/ready").status()).isEqualTo(200);
      assertThat(api.put(front + "/v1/topics/a%2Fb", "{}").status()).isLessThan(500);
      assertThat(api.put(front + "/v1/topics/t", "{}").status()).isLessThan(300);
      assertThat(api.get(front + "/v1/topics?limit=1").json().get("items")).hasSize(1);
      assertThat(api.get(front + "/topics/t").text()).contains("<base href=\"../\">");
      assertThat(api.get(front + "/none").status()).isEqualTo(404);
    }
    assertThat(api.get("/other/v1/topics").status()).isEqualTo(404);
    assertThat(api.get("/reprise/reprise/v1/topics").status()).isEqualTo(404);
  }

  @Test
  void theDescriptionOfTheApiNamesThePublicUrl() {
    for (String path : List.of("/openapi.json", "/openapi-3.0.json")) {
      JsonNode servers = api.get("/reprise" + path).json().get("servers");

      assertThat(servers).hasSize(1);
      assertThat(servers.at("/0/url").asString()).isEqualTo(ORIGIN + "/reprise");
    }
  }

  @Test
  void thePathWithoutItsSlashIsRedirected() {
    RunningService.Reply reply = api.get("/reprise?a=b");

    assertThat(reply.status()).isEqualTo(308);
    assertThat(reply.header("Location")).isEqualTo("/reprise/?a=b");
  }

  @Test
  void theCookieIsThatOfThePublicUrl() {
    // Through a proxy that changes Host, by a browser too old to send where a request comes from.
    for (String path : List.of("/console/session", "/reprise/console/session")) {
      RunningService.Reply reply = signIn(path, "Origin", ORIGIN);

      assertThat(reply.status()).as(reply.text()).isEqualTo(200);
      assertThat(reply.header("Set-Cookie").split("; "))
          .contains("Path=/reprise/", "Secure", "HttpOnly");
    }
    assertThat(signIn("/console/session", "Sec-Fetch-Site", "same-origin").header("Set-Cookie"))
        .contains("; Path=/reprise/;")
        .endsWith("; Secure");
    for (String other : List.of("http://reprise.example", ORIGIN + ":444", "null")) {
      assertThat(signIn("/console/session", "Origin", other).status()).isEqualTo(403);
    }
    assertThat(
            api.send(
                    "DELETE",
                    "/console/session",
                    null,
                    "",
                    "Reprise-Console",
                    "1",
                    "Origin",
                    ORIGIN)
                .header("Set-Cookie"))
        .contains("Path=/reprise/;", "Max-Age=0");
  }

  @Test
  void withoutKeysOnlyPagesOfThePublicUrlAreServed() {
    try (RunningService dev = with(folder.resolve("dev"), true)) {
      assertThat(asked(dev, ORIGIN)).isEqualTo(200);
      assertThat(asked(dev, dev.service.baseUrl())).isEqualTo(200);
      assertThat(asked(dev, "https://other.example")).isEqualTo(403);
    }
  }

  private static int asked(RunningService dev, String origin) {
    return dev.send("GET", "/reprise/v1/topics", null, "", "Origin", origin).status();
  }

  @Test
  void noPublicPathIsTakenForAPathOfTheService() {
    Stream<Route> served =
        Stream.of(
                OpenApiTest.routes(),
                new ConsoleRoutes().pages(),
                new ConsoleRoutes().files(),
                new SessionOperations(null).routes())
            .flatMap(List::stream);

    assertThat(served.map(route -> route.pattern().split("/", -1)[1]).filter(s -> !s.isEmpty()))
        .isNotEmpty()
        .allMatch(PublicUrl::isOwn);
  }
}
