package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class HttpAttemptsTest {
  /** A sender whose every attempt ends as the test says. */
  private static final class ScriptedSender implements HttpSender {
    private volatile HttpOutcome outcome;

    @Override
    public void send(HttpAttempt attempt, Consumer<HttpOutcome> done) {
      done.accept(outcome);
    }

    @Override
    public void close() {}
  }

  private static final String DATE = "Sun, 06 Nov 1994 08:49:37 GMT";

  @TempDir Path folder;
  private final ScriptedSender sender = new ScriptedSender();
  private final BlockingQueue<AttemptOutcome> outcomes = new LinkedBlockingQueue<>();
  private DeliveryEngine engine;

  @BeforeEach
  void open() {
    engine =
        DeliveryEngine.open(
            EngineSettings.in(folder),
            catalog -> {
              ProtocolAttempts attempts = Attempts.over(catalog, sender);
              return (claim, done) ->
                  attempts.send(
                      claim,
                      outcome -> {
                        outcomes.add(outcome);
                        // The shard is of no interest here, and is done with it.
                        done.accept(new AttemptOutcome(null, 204, "", "", new byte[0], 1));
                      });
            });
    engine.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
    engine.subscribe("orders", SubscriptionSettings.of("http://93.184.216.34/hook"));
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void theLongestRetryAfterCounts() throws Exception {
    AttemptOutcome outcome = attempt(response(429, "1", "6", "soon"));

    assertThat(outcome.status()).isEqualTo(429);
    assertThat(failure(outcome).retryAfter()).isEqualTo(Duration.ofSeconds(6));
    assertThat(failure(attempt(response(503, "1", "Sun, 06 Nov 1994 08:50:37 GMT"))).retryAfter())
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(failure(attempt(response(503, "soon"))).retryAfter()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"421, YES", "425, YES", "600, MAYBE", "999, MAYBE", "422, NO", "404, NO"})
  void aStatusSaysWhetherToTryAgain(int status, RetrySafety safety) throws Exception {
    assertThat(failure(attempt(response(status))).isRetrySafe()).isEqualTo(safety);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 503})
  void theNoteOfAResponseIsInTheHistory(int status) throws Exception {
    HttpOutcome noted =
        new HttpOutcome.Response(
            status, List.of(), DATE, Map.of(), new byte[0], "93.184.216.34:80", 1, "sent again");

    assertThat(attempt(noted).summary()).startsWith(status + " ").endsWith(" (sent again)");
    assertThat(attempt(response(status)).summary()).doesNotContain("(");
  }

  @Test
  void anAttemptThatWasNotStartedIsNotMade() throws Exception {
    AttemptOutcome outcome = attempt(new HttpOutcome.NotStarted("no connection was free"));

    assertThat(outcome.made()).isFalse();
    assertThat(outcome.summary()).isEqualTo("no connection was free");
  }

  @Test
  void aRefusalIsSafeToRetryAndIsOneByName() throws Exception {
    AttemptOutcome outcome = attempt(new HttpOutcome.Refused("host 'a' must have another", 1));

    assertThat(outcome.isRefused()).isTrue();
    assertThat(outcome.made()).isTrue();
    assertThat(outcome.summary()).isEqualTo("refused: host 'a' must have another");
    assertThat(failure(outcome).isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(attempt(response(500)).isRefused()).isFalse();
  }

  private static HttpOutcome response(int status, String... retryAfter) {
    return new HttpOutcome.Response(
        status, List.of(retryAfter), DATE, Map.of(), new byte[0], "93.184.216.34:80", 1);
  }

  private static RetryInfo failure(AttemptOutcome outcome) {
    RetryInfo failure = outcome.failure();
    assertThat(failure).isNotNull();
    return failure;
  }

  private AttemptOutcome attempt(HttpOutcome answer) throws InterruptedException {
    sender.outcome = answer;
    Payload payload = new Payload("text/plain", new byte[0], "x".getBytes(UTF_8));
    engine
        .publish("orders", payload, JsonMapper.shared().createObjectNode(), null)
        .toCompletableFuture()
        .orTimeout(300, SECONDS)
        .join();
    AttemptOutcome outcome = outcomes.poll(300, SECONDS);
    assertThat(outcome).as("an outcome within 60 s").isNotNull();
    return outcome;
  }
}
