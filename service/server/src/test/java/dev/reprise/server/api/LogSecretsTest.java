package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.log.AttemptLogger;
import dev.reprise.server.log.JsonLines;
import dev.reprise.testkit.RefusingPort;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** No line of the log, in any form and at any level, has a secret or a body. */
@Tag("slow")
class LogSecretsTest {
  private static final String POLICY =
      "{\"healthyRetryPolicy\":{\"numRetries\":1,\"minDelayTarget\":0,\"maxDelayTarget\":0}}";

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  /** Part of every secret here. */
  private static final String SECRET = "hunter2";

  @TempDir Path folder;

  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final Logger ours = context.getLogger("dev.reprise");
  private final Lines lines = new Lines();

  /** Keeps what both forms of the log would have of each event. */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    final List<String> json = new CopyOnWriteArrayList<>();
    final List<String> text = new CopyOnWriteArrayList<>();
    private final JsonLines encoder = new JsonLines();
    private final PatternLayout layout = new PatternLayout();

    void begin(LoggerContext context) {
      setContext(context);
      layout.setContext(context);
      layout.setPattern("%level %logger %msg %kvp %mdc%n%ex");
      layout.start();
      start();
    }

    @Override
    protected void append(ILoggingEvent event) {
      json.add(new String(encoder.encode(event), UTF_8));
      text.add(layout.doLayout(event));
    }
  }

  @BeforeEach
  void listen() {
    lines.begin(context);
    ours.setLevel(Level.TRACE);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(lines);
  }

  @AfterEach
  void leave() {
    context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(lines);
    ours.setLevel(null);
  }

  private static void awaitEnd(RunningService api, String id) {
    api.await(
        "/v1/subscriptions/" + id,
        each -> each.at("/ledger/accepted").asInt() > 0 && each.at("/ledger/pending").asInt() == 0);
  }

  private static String subscribe(RunningService api, String topic, String settings) {
    String id = api.subscribe(topic, settings);
    assertThat(api.put("/v1/topics/" + topic, POLICY).status()).isEqualTo(200);
    return id;
  }

  @Test
  void noLineHasASecretOrABody() throws Exception {
    try (ScriptedEndpoint good = new ScriptedEndpoint().withBody("body-hunter2");
        ScriptedEndpoint bad = new ScriptedEndpoint().always(500).withBody("body-hunter2");
        RefusingPort closed = RefusingPort.take();
        RunningService api = RunningService.dev(folder)) {
      String query = "?token=hunter2";
      String login =
          "\"http\":{\"username\":\"u\",\"password\":\"hunter2pw\","
              + "\"headers\":{\"X-Api-Key\":\"hunter2key\"}}";
      String message =
          "{\"body\":\"hunter2 body\",\"attributes\":{\"card\":\"hunter2 attribute\"}}";
      String fine =
          subscribe(api, "good", "{\"endpoint\":\"" + good.url() + query + "\"," + login + "}");
      String failing =
          subscribe(api, "bad", "{\"endpoint\":\"" + bad.url() + query + "\"," + login + "}");
      String unreachable =
          subscribe(
              api,
              "none",
              "{\"endpoint\":\"http://127.0.0.1:"
                  + closed.number()
                  + "/"
                  + query
                  + "\","
                  + login
                  + "}");
      api.post(
          "/v1/carriers",
          "{\"name\":\"relay\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"127.0.0.1:"
              + closed.number()
              + "\"],\"password\":\"hunter2relay\"}}");
      String queue =
          subscribe(
              api, "queue", "{\"protocol\":\"queue\",\"endpoint\":\"q\",\"carrier\":\"relay\"}");
      assertThat(api.post("/v1/subscriptions/" + fine + "/signing-secret", "{}").status())
          .isEqualTo(200);
      for (String topic : List.of("good", "bad", "none", "queue")) {
        Reply published =
            api.send(
                "POST",
                "/v1/topics/" + topic + "/messages",
                message,
                "application/json",
                "traceparent",
                "00-" + TRACE + "-b7ad6b7169203331-01");
        assertThat(published.status()).isEqualTo(202);
      }
      for (String id : List.of(fine, failing, unreachable, queue)) {
        awaitEnd(api, id);
      }
      Await.value(
          "lines of deliveries that were given up",
          () -> lines.text.stream().filter(line -> line.contains("gave up")).count(),
          count -> count >= 2);

      assertThat(lines.text)
          .anyMatch(line -> line.startsWith("DEBUG " + AttemptLogger.ATTEMPTS))
          .anyMatch(line -> line.contains("500 Internal Server Error"))
          .noneMatch(line -> line.contains(SECRET));
      assertThat(lines.json).hasSameSizeAs(lines.text).noneMatch(line -> line.contains(SECRET));
      JsonNode attempt = fields(bad(failing));
      assertThat(attempt.get("level").asString()).isEqualTo("DEBUG");
      assertThat(attempt.get("trace_id").asString()).isEqualTo(TRACE);
      assertThat(attempt.get("messaging.destination.name").asString()).isEqualTo("bad");
      assertThat(attempt.get("messaging.destination.subscription.name").asString())
          .isEqualTo(failing);
      assertThat(attempt.get("outcome").asString()).isEqualTo("5xx");
      assertThat(attempt.get("attempt").asInt()).isEqualTo(1);
      assertThat(attempt.get("delivery").asString())
          .isEqualTo(attempt.get("messaging.message.id").asString() + "@" + failing);
      assertThat(api.get("/v1/deliveries/" + attempt.get("delivery").asString()).status())
          .isEqualTo(200);
    }
  }

  private String bad(String subscription) {
    return lines.json.stream()
        .filter(line -> line.contains(AttemptLogger.ATTEMPTS) && line.contains(subscription))
        .findFirst()
        .orElseThrow();
  }

  private static JsonNode fields(String line) {
    assertThat(line).endsWith("}\n").doesNotContain("\n{");
    return JsonMapper.shared().readTree(line);
  }
}
