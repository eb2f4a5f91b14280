package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shard whose thread has ended: only a restart helps, so whoever watches the process must see.
 */
class DeadShardTest {
  @TempDir Path folder;

  @Test
  void failsTheLiveCheckUntilTheProcessIsRestarted() {
    try (RunningService api = RunningService.dev(folder)) {
      api.put("/v1/topics/orders", "{}");
      api.awaitReady();
      assertThat(api.get("/health/live").status()).isEqualTo(200);

      endShard("reprise-shard-1");

      RunningService.Reply live =
          Await.value("liveness", () -> api.get("/health/live"), reply -> reply.status() == 503);
      assertThat(live.json().get("status").asString()).isEqualTo("failed");
      assertThat(live.json().get("reason").asString())
          .isEqualTo("a shard or the store has failed for good; restart the process");
      assertThat(api.get("/health/ready").status()).isEqualTo(503);
      assertThat(api.post("/v1/topics/orders/messages", "{\"body\":1}").status()).isEqualTo(503);
      assertThat(api.get("/health/live").status()).as("for good").isEqualTo(503);
    }
    try (RunningService again = RunningService.dev(folder)) {
      again.awaitReady();
      assertThat(again.get("/health/live").status()).isEqualTo(200);
    }
  }

  /** An interrupt ends the thread as an error in it does. */
  private static void endShard(String name) {
    Thread shard =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(name))
            .findAny()
            .orElseThrow();
    shard.interrupt();
  }
}
