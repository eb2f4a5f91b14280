package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Permit;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.ProjectSettings;
import dev.reprise.server.http.Route;
import dev.reprise.server.proxy.RequestSource;
import dev.reprise.server.trace.Tracing;
import dev.reprise.server.watch.Metrics;
import io.vertx.core.MultiMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@Tag("slow")
class PublishOperationsTest {
  @TempDir Path folder;
  private final AtomicInteger elsewhere = new AtomicInteger();
  private DeliveryEngine engine;
  private Route publish;
  private Permit permit;

  @BeforeEach
  void open() {
    EngineSettings settings =
        new EngineSettings(
            folder, 1, ShardSettings.DEFAULT, RocksSettings.defaults(), Duration.ZERO);
    // Attempts begin and never end.
    engine = DeliveryEngine.open(settings, catalog -> (claim, done) -> {});
    publish =
        new PublishOperations(
                engine,
                new Metrics(10, Duration.ZERO, System::nanoTime),
                null,
                null,
                work -> {
                  elsewhere.incrementAndGet();
                  work.run();
                },
                Tracing.PASS_ON)
            .routes()
            .get(0);
    engine.addTopic("t");
    Project project =
        new Project(
            engine.catalog().of("default"), 0, ProjectSettings.OF_DEFAULT, System::nanoTime);
    permit = new Permit(Caller.DEV, project, true, RequestSource.of(""));
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private String publish(String attributes) {
    byte[] body = ("{\"body\":1,\"attributes\":{\"a\":" + attributes + "}}").getBytes(UTF_8);
    MultiMap none = MultiMap.caseInsensitiveMultiMap();
    CompletableFuture<Answer> answer =
        publish
            .operation()
            .answer(new Call(Map.of("topic", "t"), none, List.of(), none, body, permit))
            .toCompletableFuture();
    return new String(answer.join().body(), UTF_8);
  }

  @Test
  void matchingThatTakesLongHoldsUpNoOtherConnection() {
    String suffixes = ("{\"suffix\":\"" + "x".repeat(2000) + "\"},").repeat(149) + "\"y\"";
    String settings = "{\"endpoint\":\"http://a.example/\",\"filter\":{\"a\":[" + suffixes + "]}}";
    engine.subscribe(
        "t",
        CatalogDocuments.readSettings(
            JsonMapper.shared().readTree(settings), null, SecretKeys.NONE));
    assertThat(publish("\"y\"")).contains("\"deliveries\":1");
    assertThat(publish("\"x\"")).contains("\"deliveries\":0");
    assertThat(elsewhere).hasValue(0);

    String list = "[" + "\"x\",".repeat(99) + "\"y\"]";
    assertThat(publish(list)).contains("\"deliveries\":1");
    assertThat(elsewhere).hasValue(1);
  }
}
