package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.testkit.SeededRandom;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An endpoint that always answers 204, but after times that vary. */
@Tag("slow")
class VaryingLatencyTest {
  private static final int PLACES = 16;
  private static final int BATCH = 300;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

  @TempDir Path folder;
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(300, TimeUnit.SECONDS);
  }

  @Test
  void allPlacesAreOpenedAndStayOpen() {
    SeededRandom.check(
        random -> {
          try (RunningService api = RunningService.dev(folder)) {
            String id =
                api.subscribe(
                    "varying",
                    "{\"endpoint\":\"http://127.0.0.1:%s/hook\",\"maxInFlight\":%s}"
                        .formatted(listen(random), PLACES));
            publishUntilAllPlacesAreOpen(api, id);
            publish(api);
            // Half of them are tried from time to time.
            publishUntilAllPlacesAreOpen(api, id);

            JsonNode shown =
                api.await("/v1/subscriptions/" + id, s -> s.at("/ledger/pending").longValue() == 0);
            long accepted = shown.at("/ledger/accepted").longValue();
            assertThat(shown.at("/ledger/delivered").longValue()).isEqualTo(accepted);
            assertThat(shown.at("/ledger/attempts").longValue()).isEqualTo(accepted);
          }
        });
  }

  /** Answers after a median of 30 ms, one in six after more than 60 ms. */
  private int listen(SeededRandom random) {
    HttpServer server =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body ->
                                vertx.setTimer(
                                    1 + (long) (30 * Math.exp(0.7 * random.nextGaussian())),
                                    timer -> request.response().setStatusCode(204).end())));
    return server
        .listen()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(300, TimeUnit.SECONDS)
        .join()
        .actualPort();
  }

  /** Keeps more waiting than there are places, so that all of them are of use. */
  private static void publishUntilAllPlacesAreOpen(RunningService api, String id) {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      JsonNode shown = api.get("/v1/subscriptions/" + id).json();
      // A shard that is slow to answer is left out of what is shown.
      if (shown.at("/health/limit").asInt(0) == PLACES) {
        return;
      }
      assertThat(System.nanoTime())
          .as("after a minute, all places are not open: %s", shown)
          .isLessThan(until);
      if (shown.at("/ledger/pending").longValue() < BATCH) {
        publish(api);
      }
    }
  }

  private static void publish(RunningService api) {
    byte[] lines = "{\"body\":1}\n".repeat(BATCH).getBytes(UTF_8);
    assertThat(
            api.send(
                    "POST",
                    "/v1/topics/varying/messages",
                    new String(lines, UTF_8),
                    "application/x-ndjson")
                .status())
        .isLessThan(300);
  }
}
