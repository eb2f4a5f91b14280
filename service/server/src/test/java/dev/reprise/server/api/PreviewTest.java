package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations that need no topic: previews, and the open paths. */
@Tag("slow")
class PreviewTest {
  @TempDir static Path folder;
  static RunningService api;

  @BeforeAll
  static void start() {
    api = RunningService.dev(folder);
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @Test
  void previewTellsEveryDelay() {
    Reply reply =
        api.post(
            "/v1/preview",
            "{\"numRetries\":4,\"minDelayTarget\":1,\"maxDelayTarget\":3,\"numNoDelayRetries\":1}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.json().get("attempts").intValue()).isEqualTo(5);
    assertThat(reply.json().get("rows")).hasSize(4);
    assertThat(reply.json().get("warnings")).isNotEmpty();
    assertThat(
            api.post("/v1/preview", "{\"preset\":\"notification-sms\"}")
                .json()
                .get("name")
                .asString())
        .isEqualTo("notification-sms");
    assertThat(api.post("/v1/preview", "{\"preset\":\"none\"}").message())
        .contains("must be one of");
    assertThat(api.get("/v1/presets").json()).hasSize(12);
  }

  @Test
  void previewTellsTheRangesOfAPolicyThatGoesOnForEver() {
    Reply reply = api.post("/v1/preview", "{\"preset\":\"azure-iot\",\"deadline\":\"1h\"}");

    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.json().get("name").asString()).isEqualTo("azure-iot");
    assertThat(reply.json().get("attempts").isNull()).isTrue();
    assertThat(reply.json().get("rows")).hasSize(9);
    assertThat(reply.json().at("/rows/1").toString())
        .isEqualTo(
            "{\"retry\":2,\"delayMillis\":162.5,\"lowestMillis\":150,\"highestMillis\":175,"
                + "\"cumulativeMillis\":262.5,\"times\":1}");
    assertThat(reply.json().at("/rows/8/times").isNull()).isTrue();
    assertThat(api.post("/v1/preview", "{\"strategy\":\"standard\",\"maxAttempts\":0}").fields())
        .containsExactly("maxAttempts");
  }

  @Test
  void openPathsAnswerHead() {
    for (String path :
        List.of(
            "/health/live", "/health/ready", "/metrics", "/openapi.json", "/openapi-3.0.json")) {
      Reply get = api.get(path);
      Reply head = api.send("HEAD", path, null, "");
      assertThat(head.status()).as(path).isEqualTo(200);
      assertThat(head.text()).isEmpty();
      assertThat(head.header("Content-Type")).isEqualTo(get.header("Content-Type"));
      assertThat(head.header("Content-Length")).isNotEqualTo("0");
    }
    assertThat(api.delete("/health/live").header("Allow")).isEqualTo("GET, HEAD");
    assertThat(api.send("HEAD", "/v1/topics", null, "").status()).isEqualTo(405);
  }
}
