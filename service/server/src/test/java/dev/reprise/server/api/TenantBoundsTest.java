package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.access.WrongKeys;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service whose projects have hostile tenants: what they do disturbs nobody else. */
@Tag("slow")
class TenantBoundsTest {
  private static final String STREAM = "/v1/overview/stream";

  @TempDir static Path folder;
  private static RunningService api;
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @BeforeAll
  static void start() {
    api = RunningService.withKeys(folder);
    for (String project : List.of("alpha", "beta")) {
      assertThat(api.post("/v1/projects", "{\"name\":\"" + project + "\"}").status())
          .isEqualTo(201);
    }
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  /** A key that was made: its id and its text. */
  private record Key(String id, String text) {
    String header() {
      return "Bearer " + text;
    }
  }

  private static Key key(String project) {
    Reply made =
        api.post(
            "/v1/keys", "{\"name\":\"k\",\"scopes\":[\"read\"],\"project\":\"" + project + "\"}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return new Key(made.json().get("id").asString(), made.json().get("key").asString());
  }

  private static String operator() {
    return "Bearer " + api.service.firstKey().orElseThrow();
  }

  private static HttpResponse<InputStream> stream(String... headers) {
    try {
      return CLIENT.send(
          HttpRequest.newBuilder(URI.create(api.service.baseUrl() + STREAM))
              .headers(headers)
              .build(),
          HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Test
  void oneKeyDoesNotTakeTheStreamsOfOthers() throws IOException {
    Key greedy = key("alpha");
    List<InputStream> open = new ArrayList<>();
    try {
      HttpResponse<InputStream> last = stream("Authorization", greedy.header());
      while (last.statusCode() == 200) {
        open.add(last.body());
        assertThat(open).hasSizeLessThan(1000);
        last = stream("Authorization", greedy.header());
      }
      assertThat(last.statusCode()).isEqualTo(503);
      assertThat(new String(last.body().readAllBytes(), UTF_8))
          .contains("'" + greedy.id() + "'", "the most of a key");
      for (String other : List.of(operator(), key("beta").header(), key("alpha").header())) {
        HttpResponse<InputStream> stream = stream("Authorization", other);
        open.add(stream.body());
        assertThat(stream.statusCode()).isEqualTo(200);
      }
    } finally {
      for (InputStream each : open) {
        each.close();
      }
    }
    Await.value(
        "a place of those that were closed",
        () -> stream("Authorization", greedy.header()),
        again -> {
          try (InputStream body = again.body()) {
            assertThat(body).isNotNull();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return again.statusCode() == 200;
        });
  }

  /** Reads a stream to its end, and returns the number of its events. */
  private static long events(InputStream stream) throws IOException {
    try (stream) {
      return new String(stream.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> line.startsWith("data: "))
          .count();
    }
  }

  @Test
  void aStreamEndsWithItsKeyAndWithItsSession() throws IOException {
    Key revoked = key("alpha");
    InputStream ofKey = stream("Authorization", revoked.header()).body();
    String cookie = signIn(key("beta").text()).header("Set-Cookie").split(";", 2)[0];
    HttpResponse<InputStream> ofSession = stream("Cookie", cookie);
    assertThat(ofSession.statusCode()).isEqualTo(200);

    assertThat(api.delete("/v1/keys/" + revoked.id()).status()).isEqualTo(204);
    assertThat(console("DELETE", null, "Cookie", cookie).status()).isEqualTo(204);

    // Left alone a stream has an event a second, and ends after a minute.
    assertThat(events(ofKey)).isLessThan(40);
    assertThat(events(ofSession.body())).isLessThan(40);
  }

  private static Reply signIn(String key) {
    return console("POST", "{\"key\":\"" + key + "\"}");
  }

  private static Reply console(String method, String body, String... headers) {
    List<String> all =
        new ArrayList<>(List.of("Reprise-Console", "1", "Origin", api.service.baseUrl()));
    all.addAll(List.of(headers));
    return api.send(
        method,
        "/console/session",
        body,
        body == null ? "" : "application/json",
        all.toArray(String[]::new));
  }

  @Test
  void aRightKeyPassesHoweverManyWrongOnesCame() {
    Key right = key("beta");
    String last = right.text().endsWith("A") ? "E" : "A";
    String wrong = right.text().substring(0, right.text().length() - 1) + last;
    List<Integer> signIns = new ArrayList<>();
    for (int i = 0; i < 3 * WrongKeys.MAX_A_MINUTE; i++) {
      signIns.add(signIn(wrong).status());
      assertThat(api.send("GET", STREAM, null, "", "Authorization", "Bearer " + wrong).status())
          .isEqualTo(401);
    }
    assertThat(signIns).contains(401).doesNotContain(200);

    for (String good : List.of(right.text(), api.service.firstKey().orElseThrow())) {
      assertThat(signIn(good).status()).isEqualTo(200);
      assertThat(api.send("GET", "/v1/topics", null, "", "Authorization", "Bearer " + good))
          .extracting(Reply::status)
          .isEqualTo(200);
    }
  }

  @Test
  void noAnswerOfTheApiMayBeKeptByACache() {
    for (Reply reply :
        List.of(
            api.get("/v1/topics"),
            api.get("/v1/topics/none"),
            api.get("/v1/nothing"),
            api.get("/v1/overview"),
            api.put("/v1/topics/t", "{}"),
            api.put("/v1/topics/t", "[]"),
            api.send("GET", "/v1/topics", null, "", "Authorization", "Bearer rk_wrong"),
            api.delete("/v1/topics/t"))) {
      assertThat(reply.response().headers().allValues("Cache-Control"))
          .as(reply.response().request() + " " + reply.status())
          .containsExactly("no-store");
    }
    HttpResponse<InputStream> stream = stream("Authorization", operator());
    try (InputStream body = stream.body()) {
      assertThat(body).isNotNull();
      assertThat(stream.headers().allValues("Cache-Control"))
          .containsExactly("no-store, no-transform");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
