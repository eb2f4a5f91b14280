package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ApiKeysTest {
  @TempDir Path folder;

  @Test
  void withoutAKeyOnlyHealthMetricsAndDescriptionAnswer() {
    try (RunningService api = RunningService.withKeys(folder)) {
      String key = api.service.firstKey().orElseThrow();
      assertThat(api.get("/v1/topics").status()).isEqualTo(200);
      for (String wrong :
          List.of(
              "Bearer x", "Basic abc", "Bearer " + key + "x", "Bearer", flipped("Bearer " + key))) {
        Reply reply = api.send("GET", "/v1/topics", null, "", "Authorization", wrong);
        assertThat(reply.status()).as(wrong).isEqualTo(401);
        assertThat(reply.code()).isEqualTo("unauthorized");
        assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer");
      }
      for (String open :
          List.of(
              "/health/live", "/health/ready", "/metrics", "/openapi.json", "/openapi-3.0.json")) {
        assertThat(api.send("GET", open, null, "", "Authorization", "none").status())
            .isEqualTo(200);
      }
    }
  }

  private static String flipped(String key) {
    char last = key.charAt(key.length() - 5);
    return key.substring(0, key.length() - 5)
        + (last == 'A' ? 'B' : 'A')
        + key.substring(key.length() - 4);
  }

  @Test
  void keysOutliveTheProcessAndTheirSecretsAreNotStored() throws IOException {
    String secret;
    String second;
    try (RunningService api = RunningService.withKeys(folder)) {
      secret = api.service.firstKey().orElseThrow();
      Reply made = api.post("/v1/keys", "{\"name\":\"shop\"}");
      assertThat(made.status()).isEqualTo(201);
      second = made.json().get("key").asString();
      assertThat(api.get("/v1/keys").text()).contains("shop").doesNotContain(second);
      assertThat(api.get("/v1/keys?limit=1").json().get("next").isNull()).isFalse();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      assertThat(files.filter(Files::isRegularFile).map(ApiKeysTest::content))
          .noneMatch(content -> content.contains(secret.substring(16)));
    }
    try (RunningService api = RunningService.withKeys(folder)) {
      assertThat(api.service.firstKey()).isEmpty();
      String bearer = "Bearer " + second;
      Reply list = api.send("GET", "/v1/keys", null, "", "Authorization", bearer);
      assertThat(list.json().get("items")).hasSize(2);
      String firstId = list.json().at("/items/0/id").asString();
      String secondId = list.json().at("/items/1/id").asString();
      assertThat(revoke(api, firstId, bearer).status()).isEqualTo(204);
      assertThat(revoke(api, firstId, bearer).status()).isEqualTo(404);
      assertThat(revoke(api, secondId, bearer).status()).isEqualTo(409);
      assertThat(
              api.send("GET", "/v1/keys", null, "", "Authorization", "Bearer " + secret).status())
          .isEqualTo(401);
    }
  }

  private static Reply revoke(RunningService api, String id, String bearer) {
    return api.send("DELETE", "/v1/keys/" + id, null, "", "Authorization", bearer);
  }

  private static String content(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
