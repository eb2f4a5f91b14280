package dev.reprise.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.End;
import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.document.Violation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptLogTest {
  private static final String CSV =
      """
      delivery,attempt,startedAt,endedAt,outcome,status,retryAfter
      a@x,1,2026-11-21T14:00:00Z,2026-11-21T14:00:01Z,failed,503,
      a@x,2,2026-11-21T14:00:21Z,2026-11-21T14:00:22Z,failed,429,30
      a@x,3,2026-11-21T14:00:52Z,2026-11-21T14:00:52.5Z,succeeded,204,
      b@y,1,2026-11-21T15:00:00+01:00,2026-11-21T15:00:01+01:00,refused,400,
      """;

  /** What a service has printed whose endpoint was down for 9 s, and then asked for 2 s. */
  private static String printed() {
    try (InputStream log =
        Objects.requireNonNull(
            AttemptLogTest.class.getResourceAsStream("service-attempts.jsonl"))) {
      return new String(log.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static RecordedAttempt attempt(
      int number, String start, String end, RecordedOutcome outcome, int status, int hintSeconds) {
    return new RecordedAttempt(
        number,
        Instant.parse(start),
        Instant.parse(end),
        outcome,
        status,
        hintSeconds == 0 ? null : Duration.ofSeconds(hintSeconds));
  }

  private static List<String> violations(String text) {
    LogException refused = catchThrowableOfType(LogException.class, () -> AttemptLog.read(text));
    return refused.violations().stream().map(Violation::toString).toList();
  }

  @Test
  void linesAreReadAsDeliveries() {
    assertThat(AttemptLog.read(CSV).deliveries())
        .containsExactly(
            new Delivery(
                "a@x",
                "x",
                Instant.parse("2026-11-21T14:00:00Z"),
                End.DELIVERED,
                List.of(
                    attempt(
                        1,
                        "2026-11-21T14:00:00Z",
                        "2026-11-21T14:00:01Z",
                        RecordedOutcome.FAILED,
                        503,
                        0),
                    attempt(
                        2,
                        "2026-11-21T14:00:21Z",
                        "2026-11-21T14:00:22Z",
                        RecordedOutcome.FAILED,
                        429,
                        30),
                    attempt(
                        3,
                        "2026-11-21T14:00:52Z",
                        "2026-11-21T14:00:52.5Z",
                        RecordedOutcome.SUCCEEDED,
                        204,
                        0)),
                List.of()),
            new Delivery(
                "b@y",
                "y",
                Instant.parse("2026-11-21T14:00:00Z"),
                End.GIVEN_UP,
                List.of(
                    attempt(
                        1,
                        "2026-11-21T14:00:00Z",
                        "2026-11-21T14:00:01Z",
                        RecordedOutcome.REFUSED,
                        400,
                        0)),
                List.of()));
  }

  @Test
  void orderAndRepetitionOfLinesDoNotMatter() {
    List<String> lines = new ArrayList<>(CSV.lines().skip(1).toList());
    lines.addAll(List.copyOf(lines));
    Collections.shuffle(lines, new Random(1));

    assertThat(AttemptLog.read(String.join("\n", lines))).isEqualTo(AttemptLog.read(CSV));
  }

  @Test
  void columnsMayHaveAnotherOrderAndAnEndpoint() {
    AttemptLog log =
        AttemptLog.read(
            "endpoint,outcome,endedAt,startedAt,attempt,Delivery\n"
                + "hub,failed,2026-11-21T14:00:01Z,2026-11-21T14:00:00Z,1,a");

    assertThat(log.deliveries())
        .singleElement()
        .satisfies(
            delivery -> {
              assertThat(delivery.endpoint()).isEqualTo("hub");
              assertThat(delivery.end()).isEqualTo(End.GIVEN_UP);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a,1,2026-11-21T14:00:00Z,2026-11-21T14:0|line 1, endedAt is \"2026-11-21T14:0\": must be a"
            + " time such as 2026-11-21T14:02:00.250Z",
        "a,1,2026-11-21T14:00:00Z|line 1, endedAt is missing: must be a time such as"
            + " 2026-11-21T14:02:00.250Z",
        "a,0,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,failed|line 1, attempt is \"0\": must be a"
            + " whole number of at least 1",
        "a,1,2026-11-21T14:00:01Z,2026-11-21T14:00:00Z,failed|line 1, endedAt is"
            + " \"2026-11-21T14:00:00Z\": must not be before startedAt, which is"
            + " 2026-11-21T14:00:01Z",
        "a,1,1000-11-21T14:00:01Z,2026-11-21T14:00:00Z,failed|line 1, startedAt is"
            + " \"1000-11-21T14:00:01Z\": must be a time such as 2026-11-21T14:02:00.250Z",
        "a,1,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,ok|line 1, outcome is \"ok\": must be"
            + " succeeded, failed or refused",
        "a,1,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,failed,x|line 1, status is \"x\": must be a"
            + " whole number of at least 0",
        "a,1,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,failed,503,soon|line 1, retryAfter is"
            + " \"soon\": must be seconds, or a text such as 30s, up to 365 days",
        ",1,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,failed|line 1, delivery is missing: must be"
            + " a text",
        "delivery,attempt|line 1, delivery is \"\": must have a line for each attempt",
      })
  void mistakeInALineIsNamed(String text, String violation) {
    assertThat(violations(text)).contains(violation);
  }

  @Test
  void emptyLogsAreRefused() {
    assertThat(violations(""))
        .containsExactly("line 1, delivery is \"\": must have a line for each attempt");
    assertThat(violations("[]"))
        .containsExactly("history is missing: must have an attempt of at least one delivery");
  }

  @Test
  void attemptsThatCannotFollowEachOtherAreRefused() {
    assertThat(
            violations(
                """
                a,1,2026-11-21T14:00:00Z,2026-11-21T14:00:10Z,failed
                a,1,2026-11-21T14:00:00Z,2026-11-21T14:00:11Z,failed
                a,2,2026-11-21T14:00:05Z,2026-11-21T14:00:06Z,failed
                b,1,2026-11-21T14:00:00Z,2026-11-21T14:00:10Z,succeeded
                b,2,2026-11-21T14:00:20Z,2026-11-21T14:00:30Z,succeeded
                """))
        .containsExactly(
            "line 2, attempt is \"1\": must be given once, and attempt 1 is there otherwise, too",
            "line 3, startedAt is \"2026-11-21T14:00:05Z\": must not be before the end of attempt"
                + " 1, which is 2026-11-21T14:00:10Z: has the clock gone back?",
            "line 5, attempt is \"2\": must not follow attempt 1, which succeeded");
  }

  @Test
  void clockThatWasCorrectedByLessThanASecondIsNoMistake() {
    assertThat(
            AttemptLog.read(
                    """
                    a,1,2026-11-21T14:00:00Z,2026-11-21T14:00:10Z,failed
                    a,2,2026-11-21T14:00:09.5Z,2026-11-21T14:00:11Z,failed
                    """)
                .deliveries())
        .hasSize(1);
  }

  @Test
  void whatTheServicePrintsIsRead() {
    AttemptLog log = AttemptLog.read(printed());

    assertThat(log.deliveries())
        .extracting(Delivery::end)
        .containsExactly(End.DELIVERED, End.DELIVERED, End.GIVEN_UP, End.DELIVERED);
    assertThat(log.deliveries())
        .extracting(delivery -> delivery.attempts().size())
        .containsExactly(9, 9, 1, 1);
    assertThat(log.deliveries()).extracting(Delivery::endpoint).containsOnly("orders-1");
    assertThat(log.deliveries().get(2).last().outcome()).isEqualTo(RecordedOutcome.REFUSED);
    assertThat(log.deliveries().get(0).attempts())
        .filteredOn(attempt -> attempt.status() == 429)
        .isNotEmpty()
        .allSatisfy(attempt -> assertThat(attempt.retryAfter()).isEqualTo(Duration.ofSeconds(2)));
  }

  @Test
  void theRecordedPolicyReplayedGivesAboutTheSame() {
    AttemptLog log = AttemptLog.read(printed());
    String policy =
        """
        {"healthyRetryPolicy": {"numRetries": 9, "numNoDelayRetries": 1, "minDelayTarget": 1,
         "maxDelayTarget": 3}}
        """;

    Replay.Answer answer = Replay.run(log, Map.of("own", PolicyDocuments.read(policy)), 1, 1);

    RunRecord was = answer.asItWas();
    RunRecord replayed = answer.policies().get(0).runs().get(0);
    assertThat(was.figures())
        .containsEntry(Figure.SUCCESS, 0.75)
        .containsEntry(Figure.STRANDED, 1.0)
        .containsEntry(Figure.ATTEMPTS, 5.0);
    assertThat(replayed.figures())
        .containsEntry(Figure.SUCCESS, 0.75)
        .containsEntry(Figure.STRANDED, 1.0);
    assertThat(replayed.figures().getOrDefault(Figure.ATTEMPTS, 0.0)).isCloseTo(5, within(0.5));
  }

  @Test
  void documentsMayStandInAnArrayOrOverSeveralLines() {
    String inArray = "[" + printed().strip().replace("\n", ",\n") + "]";
    String overLines = printed().replace(",\"", ",\n\"");

    assertThat(AttemptLog.read(inArray)).isEqualTo(AttemptLog.read(printed()));
    assertThat(AttemptLog.read(overLines)).isEqualTo(AttemptLog.read(printed()));
  }

  @Test
  void deliveryThatIsPrintedTwiceCountsOnceAsItWasLater() {
    List<String> lines = printed().lines().toList();
    String later = lines.get(3);
    int firstEvent = later.indexOf("},{\"kind\"");
    String earlier =
        later
                .substring(0, firstEvent + 1)
                .replace("\"status\":\"delivered\"", "\"status\":\"pending\"")
            + "]}";

    assertThat(AttemptLog.read(earlier).deliveries().get(0).end()).isEqualTo(End.OPEN);
    assertThat(AttemptLog.read(earlier + later + earlier)).isEqualTo(AttemptLog.read(later));
  }

  @Test
  void whatFollowsARedriveSpeaksForTheEndpointAlone() {
    String event =
        "{\"kind\":\"attempt\",\"at\":\"2026-11-21T14:0%d:00.000Z\",\"attempt\":%d,\"outcome\":"
            + "{\"succeeded\":%s,\"status\":503,\"durationMillis\":5.5}}";
    AttemptLog log =
        AttemptLog.read(
            "{\"id\":\"m@s\",\"subscription\":\"s\",\"status\":\"delivered\",\"publishedAt\":"
                + "\"2026-11-21T14:00:00.000Z\",\"history\":["
                + event.formatted(1, 1, false)
                + ",{\"kind\":\"redriven\",\"at\":\"2026-11-21T14:02:00.000Z\",\"attempt\":1},"
                + event.formatted(3, 2, true)
                + "]}");

    Delivery delivery = log.deliveries().get(0);
    assertThat(delivery.end()).isEqualTo(End.GIVEN_UP);
    assertThat(delivery.attempts()).hasSize(1);
    assertThat(delivery.later()).hasSize(1);
    assertThat(log.failures().get("s").intervals())
        .singleElement()
        .satisfies(
            outage ->
                assertThat(outage.to()).isCloseTo(Duration.ofMinutes(1), Duration.ofMillis(5)));
  }

  @Test
  void attemptsThatTheServiceHasForgottenAreCounted() {
    String event =
        "{\"kind\":\"attempt\",\"at\":\"2026-11-21T14:0%d:00.000Z\",\"attempt\":%d,\"outcome\":"
            + "{\"succeeded\":false,\"status\":503,\"durationMillis\":5.5}}";
    AttemptLog log =
        AttemptLog.read(
            "{\"id\":\"m@s\",\"subscription\":\"s\",\"status\":\"pending\",\"publishedAt\":"
                + "\"2026-11-21T14:00:00.000Z\",\"history\":["
                + event.formatted(1, 1)
                + ","
                + event.formatted(3, 200)
                + "]}");

    assertThat(Replay.run(log, Map.of(), 1, 1).asItWas().figures())
        .containsEntry(Figure.ATTEMPTS, 200.0)
        .containsEntry(Figure.SUCCESS, 0.0)
        .containsEntry(Figure.STRANDED, 0.0);
  }

  @Test
  void mistakesInDocumentsAreNamedByDeliveryAndField() {
    String text =
        "{\"id\":\"m@s\",\"subscription\":\"s\",\"status\":\"lost\",\"publishedAt\":\"today\","
            + "\"history\":[{\"kind\":\"attempt\",\"at\":5,\"attempt\":0,\"outcome\":{}}]}"
            + "{\"id\":\"n@s\",\"subscription\":\"s\",\"status\":\"delivered\",\"publishedAt\":"
            + "\"2026-11-21T14:00:00.000Z\"} 7 {\"id\":";

    assertThat(violations(text))
        .startsWith(
            "delivery 1.status is \"lost\": must be one of pending, delivered, dead-lettered,"
                + " discarded, expired",
            "delivery 1.publishedAt is \"today\": must be a time such as 2026-11-21T14:02:00.250Z",
            "delivery 1.history[0].at is 5: must be a time such as 2026-11-21T14:02:00.250Z",
            "delivery 1.history[0].attempt is 0: must be a whole number of at least 1",
            "delivery 1.history[0].outcome.succeeded is missing: must be true or false",
            "delivery 1.history[0].outcome.durationMillis is missing: must be between 0 and 365"
                + " days",
            "delivery 2.history is missing: must be there: `deliveries show` prints it, and"
                + " `deliveries list` does not",
            "delivery 3 is 7: must be an object")
        .last()
        .asString()
        .startsWith(
            "delivery 4 is not readable: line 1, column 235: the text ends before the JSON does");
  }

  @Property(tries = 100)
  void logsThatAreDamagedAreReadOrRefusedAndNothingElse(@ForAll long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(random.nextBoolean() ? CSV : printed());
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.setLength(at + 1);
        case 1 -> text.deleteCharAt(at).append(' ');
        case 2 -> text.insert(at, text.substring(at, Math.min(text.length(), at + 80)));
        default -> text.setCharAt(at, ",\"\n9-T:{}[]".charAt(random.nextInt(11)));
      }
    }
    try {
      AttemptLog log = AttemptLog.read(text.toString());
      log.failures();
      Replay.run(log, Map.of("p", PolicyDocuments.read("notification-http")), seed, 1);
    } catch (LogException e) {
      assertThat(e.violations()).isNotEmpty();
    }
  }
}
