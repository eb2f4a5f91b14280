package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.attempt.ReceiverFinding.Check;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Outcomes that a real receiver brings about only by chance. */
class ReceiverChecksTest {
  @TempDir Path folder;
  private final List<HttpAttempt> sent = new ArrayList<>();
  private Function<Integer, HttpOutcome> answers = number -> response(204, "");
  private long nowNanos;
  private DeliveryEngine engine;
  private ReceiverChecks checks;

  private final HttpSender sender =
      new HttpSender() {
        @Override
        public void send(HttpAttempt attempt, Consumer<HttpOutcome> done) {
          sent.add(attempt);
          done.accept(answers.apply(sent.size()));
        }

        @Override
        public void close() {}
      };

  @BeforeEach
  void open() {
    engine =
        DeliveryEngine.open(
            EngineSettings.in(folder),
            catalog -> {
              checks = checks(catalog);
              return Attempts.over(catalog, sender);
            });
    engine.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private ReceiverChecks checks(Catalog catalog) {
    AddressGuard guard = AddressGuard.globalOnly();
    Carriers carriers =
        new Carriers(catalog, new CarrierTypes(List.of()), SecretKeys.NONE, sender, guard);
    return new ReceiverChecks(
        catalog, new HttpAttempts(carriers, sender, guard, Duration.ofSeconds(15)), () -> nowNanos);
  }

  private Subscription subscription(String more) {
    return engine.subscribe(
        "orders",
        CatalogDocuments.readSettings(
            JsonMapper.shared()
                .readTree("{\"endpoint\":\"http://93.184.216.34/hook\"" + more + "}"),
            null,
            SecretKeys.NONE));
  }

  private static HttpOutcome response(int status, String body) {
    return new HttpOutcome.Response(
        status, List.of(), null, Map.of(), body.getBytes(UTF_8), "93.184.216.34:80", 1_000_000);
  }

  private Map<Check, ReceiverFinding> check(Subscription subscription) {
    return checks.check(subscription).toCompletableFuture().join().stream()
        .collect(Collectors.toMap(ReceiverFinding::check, finding -> finding));
  }

  private static void assertUnknown(ReceiverFinding finding, String reason) {
    assertThat(finding.passed()).isNull();
    assertThat(finding.text()).isEqualTo("Not checked: " + reason + ".");
  }

  @Test
  void theLargestMessageIsAsLargeAsAMessageMayBe() {
    Payload payload = PayloadRecord.decode(ReceiverChecks.large(subscription("")));

    assertThat(payload.body().length + payload.attributes().length).isEqualTo(Payload.MAX_BYTES);
    assertThat(JsonMapper.shared().readTree(payload.body()).get("test").asBoolean()).isTrue();
  }

  @Test
  void aRequestThatWasNotMadeSaysNothingOfTheReceiver() {
    answers = number -> new HttpOutcome.NotStarted("no connection was free");

    Map<Check, ReceiverFinding> found = check(subscription(""));

    assertUnknown(found.get(Check.ACCEPTED), "nothing was sent, no connection was free");
    assertUnknown(found.get(Check.TIMEOUT), "there was no answer");
    assertThat(sent).hasSize(1);
  }

  @Test
  void aRequestToWaitSaysNothingOfTheMessage() {
    answers = number -> response(number == 1 ? 204 : 429, "");

    Map<Check, ReceiverFinding> found = check(subscription(""));

    assertThat(found.get(Check.ACCEPTED).passed()).isTrue();
    assertUnknown(found.get(Check.BODY), "the receiver asked to wait, with 429 Too Many Requests");
    assertThat(found.get(Check.TIMEOUT).passed()).isTrue();
  }

  @Test
  void aTimeOutOfAnyRequestIsTooSlow() {
    answers =
        number ->
            number == 3
                ? new HttpOutcome.TimedOut("waiting", false, "93.184.216.34:80", 15_000_000_000L)
                : response(204, "");

    Map<Check, ReceiverFinding> found = check(subscription(""));

    assertThat(found.get(Check.TIMEOUT).passed()).isFalse();
    assertThat(found.get(Check.BODY).passed()).isFalse();
    assertThat(found.get(Check.REPETITION).passed()).isTrue();
  }

  @Test
  void anAnswerOf408CameInTime() {
    answers = number -> response(number == 3 ? 408 : 204, "");

    assertThat(check(subscription("")).get(Check.TIMEOUT).passed()).isTrue();
  }

  @Test
  void aCheckEndsWhenTheSubscriptionIsDeleted() {
    Subscription subscription = subscription("");
    answers =
        number -> {
          engine.unsubscribe(subscription.id());
          return response(204, "");
        };

    Map<Check, ReceiverFinding> found = check(subscription);

    assertUnknown(found.get(Check.BODY), "the subscription was deleted meanwhile");
    assertThat(sent).hasSize(1);
  }

  @Test
  void aCheckEndsWhenTheSubscriptionIsChanged() {
    Subscription subscription = subscription("");
    answers =
        number -> {
          engine.changeSubscription(
              subscription.id(),
              settings ->
                  CatalogDocuments.readSettings(
                      JsonMapper.shared().readTree("{\"maxInFlight\":3}"),
                      settings,
                      SecretKeys.NONE));
          return response(204, "");
        };

    assertUnknown(
        check(subscription).get(Check.BODY),
        "the subscription was changed meanwhile: check it again");
    assertThat(sent).hasSize(1);
  }

  @Test
  void noRequestBeginsAfterTheLimit() {
    answers =
        number -> {
          nowNanos += ReceiverCheck.LIMIT.toNanos() - 5;
          return response(204, "");
        };

    Map<Check, ReceiverFinding> found = check(subscription(""));

    assertUnknown(found.get(Check.BODY), "the requests before took more than 40 s");
    assertThat(sent).hasSize(2);
  }

  @Test
  void answersAreShortHarmlessAndWithoutHeadersThatWereSent() {
    answers = number -> response(500, "\u001b[31m<script>\n tenant-blue \u202e" + "y".repeat(990));

    String text =
        check(subscription(",\"http\":{\"headers\":{\"X-Tenant\":\"tenant-blue\"}}"))
            .get(Check.ACCEPTED)
            .text();

    assertThat(text)
        .startsWith(
            "An unsigned message was not taken: 500 Internal Server Error. The answer begins:"
                + " [31m<script>  [hidden]  yyy")
        .hasSizeLessThan(250);
    assertThat(text.chars().noneMatch(c -> c < ' ' || c == 0x202e)).isTrue();
  }

  @Test
  void testsSayThatTheyAreTests() {
    check(subscription(""));

    assertThat(sent).hasSize(3);
    assertThat(sent)
        .allSatisfy(
            attempt -> {
              assertThat(attempt.headers()).contains(Map.entry("Reprise-Test", "true"));
              assertThat(new String(attempt.body(), UTF_8))
                  .contains("\"attributes\":{\"reprise-test\":\"true\"}");
            });
  }
}
