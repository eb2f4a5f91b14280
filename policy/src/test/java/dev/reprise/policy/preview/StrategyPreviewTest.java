package dev.reprise.policy.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.reprise.core.backoff.Stage;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Previews of policies with jitter, with parts, and without an end. */
class StrategyPreviewTest {
  private static final JsonMapper JSON = new JsonMapper();

  private static SchedulePreview preview(String json) {
    return SchedulePreview.of(PolicyDocuments.read(json.replace('\'', '"')), "p");
  }

  private static SchedulePreview previewOfBackoff(int maxAttempts, String backoff) {
    return preview(
        "{'strategy':'standard','maxAttempts':"
            + maxAttempts
            + ",'backoff':"
            + backoff
            + ",'budget':'unlimited'}");
  }

  private static List<String> warnings(String json, @Nullable Duration lifetime) {
    return SchedulePreview.of(PolicyDocuments.read(json.replace('\'', '"')), "p", lifetime)
        .warnings();
  }

  private static DelaySpan millis(double lowest, double expected, double highest) {
    return new DelaySpan(ofMillis(lowest), ofMillis(expected), ofMillis(highest));
  }

  private static Duration ofMillis(double millis) {
    return Duration.ofNanos(Math.round(millis * 1_000_000));
  }

  private static JsonNode vector(String name) throws Exception {
    try (InputStream in = StrategyPreviewTest.class.getResourceAsStream("/vectors/" + name)) {
      return JSON.readTree(in);
    }
  }

  private static Row rowOf(SchedulePreview preview, int retry) {
    return preview.rows().stream().filter(r -> r.lastRetry() >= retry).findFirst().orElseThrow();
  }

  // --- rows

  @Test
  void everyRangeOfTheDeviceSdkIsShown() throws Exception {
    SchedulePreview preview = SchedulePreview.of(Presets.policy("azure-iot"), "azure-iot");

    JsonNode vector = vector("exponential-jitter.json");
    assertThat(vector.get("rows")).isNotEmpty();
    for (JsonNode row : vector.get("rows")) {
      DelaySpan delay = rowOf(preview, row.get("retry").intValue()).delay();
      assertThat(delay.lowest()).isEqualTo(ofMillis(row.get("minMillis").doubleValue()));
      assertThat(delay.highest()).isEqualTo(ofMillis(row.get("maxMillis").doubleValue()));
    }
    assertThat(preview.rows()).hasSize(9);
    assertThat(preview.isUnlimited()).isTrue();
    assertThat(preview.total()).isNull();
    Row last = preview.rows().get(8);
    assertThat(last.isEndless()).isTrue();
    assertThat(last.firstRetry()).isEqualTo(9);
    assertThat(last.cumulative().lowest()).isEqualTo(ofMillis(23_150));
  }

  @ParameterizedTest
  @CsvSource({"iot-core-32s, 32", "iot-core-64s, 64"})
  void everyRangeOfTheTruncatedBackoffIsShown(String preset, int maximumSeconds) throws Exception {
    SchedulePreview preview = SchedulePreview.of(Presets.policy(preset), preset);

    int checked = 0;
    for (JsonNode row : vector("truncated-exponential.json").get("rows")) {
      if (row.get("maximumBackoffSeconds").intValue() == maximumSeconds) {
        DelaySpan delay = rowOf(preview, 1 + row.get("n").intValue()).delay();
        assertThat(delay.lowest()).isEqualTo(ofMillis(row.get("minMillis").doubleValue()));
        assertThat(delay.highest()).isEqualTo(ofMillis(row.get("maxMillis").doubleValue()));
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(8);
  }

  @Test
  void jitterHasARangeAnAverageAndSumsOfEach() {
    SchedulePreview preview = SchedulePreview.of(Presets.policy("aws-standard"), "aws-standard");

    double nano = 0.000_001;
    assertThat(preview.rows())
        .containsExactly(
            new Row(null, 1, 1, millis(nano, 25, 50), millis(nano, 25, 50)),
            new Row(null, 2, 1, millis(nano, 50, 100), millis(2 * nano, 75, 150)));
    assertThat(preview.throttleRows())
        .containsExactly(
            new Row(null, 1, 1, millis(nano, 500, 1000), millis(nano, 500, 1000)),
            new Row(null, 2, 1, millis(nano, 1000, 2000), millis(2 * nano, 1500, 3000)));
    assertThat(preview.total()).isEqualTo(millis(2 * nano, 75, 150));
  }

  @Test
  void theAverageCountsWhatTheCapCutsOff() {
    // Evenly from 16 to 17 s, and all of the upper half becomes 16.5 s: 16.25 and 16.5 on average.
    SchedulePreview preview =
        previewOfBackoff(6, "{'type':'truncated-exponential','maximumBackoff':'PT16.5S'}");

    assertThat(rowOf(preview, 5).delay()).isEqualTo(millis(16_000, 16_375, 16_500));
    assertThat(rowOf(preview, 4).delay()).isEqualTo(millis(8_000, 8_500, 9_000));
  }

  @Test
  void partsAreNotTakenForOneAnother() {
    SchedulePreview preview =
        previewOfBackoff(
            12,
            "{'type':'fixed','delay':'4s','retries':3,"
                + "'then':{'type':'exponential','base':'1s','cap':'4s'}}");

    assertThat(preview.rows())
        .extracting(Row::firstRetry, Row::times, row -> row.delay().highest().toSeconds())
        .containsExactly(tuple(1, 3, 4L), tuple(4, 1, 1L), tuple(5, 1, 2L), tuple(6, 6, 4L));
  }

  @Test
  void stagesAreNamedInsideJitterAndBesideOtherParts() {
    SchedulePreview preview =
        previewOfBackoff(
            5,
            "{'type':'none','retries':1,'then':{'type':'staged','minDelayRetries':1,"
                + "'maxDelayRetries':2,'minDelay':'1s','maxDelay':'2s','jitter':0.5}}");

    assertThat(preview.rows())
        .extracting(Row::stage)
        .containsExactly(null, Stage.MIN_DELAY, Stage.MAX_DELAY);
    assertThat(preview.rows().get(1).delay()).isEqualTo(millis(500, 1_000, 1_500));
    // The longest delay of the stages is their cap, and jitter lengthens nothing past it.
    assertThat(preview.rows().get(2).delay()).isEqualTo(millis(1_000, 1_500, 2_000));
  }

  @Test
  void aScheduleOfTooManyRowsIsCutOff() {
    SchedulePreview preview =
        previewOfBackoff(2_000_000_000, "{'type':'linear','base':'1ms','step':'1ms','cap':'24h'}");

    assertThat(preview.rows()).hasSize(SchedulePreview.MAX_ROWS);
    assertThat(preview.total()).isNull();
    assertThat(preview.toJson().get("totalDelayMillis").isNull()).isTrue();
    assertThat(preview.warnings()).contains("Only the delays up to retry 1000 are shown.");
  }

  @Test
  void jsonHasTheDocumentTheRangesAndNullForNoEnd() {
    SchedulePreview endless =
        preview(
            "{'strategy':'standard','maxAttempts':'unlimited','budget':'unlimited',"
                + "'deadline':'1h',"
                + "'backoff':{'type':'linear','base':'1s','step':'PT0.5S','cap':'PT1.5S',"
                + "'jitter':'equal'}}");

    assertThat(endless.toJson().without("policy"))
        .hasToString(
            ("{'name':'p','retries':null,'attempts':null,'totalDelayMillis':null,"
                    + "'lowestTotalMillis':null,'highestTotalMillis':null,'delays':["
                    + "{'lowestMillis':500,'delayMillis':750,'times':1,'highestMillis':1000},"
                    + "{'lowestMillis':750,'delayMillis':1125,'times':null,'highestMillis':1500}],"
                    + "'warnings':['The deadline of 1 h may end before the schedule: attempt 2401"
                    + " is the last that can start in time when all delays are long, attempt 4801"
                    + " when all are short.']}")
                .replace('\'', '"'));
    assertThat(
            SchedulePreview.of(Presets.policy("aws-standard"), "p")
                .toJson()
                .at("/delays/0/lowestMillis")
                .decimalValue())
        .isEqualByComparingTo(new BigDecimal("0.000001"));
  }

  // --- warnings

  @Test
  void presetsAreShownWithWhatMaySurprise() {
    assertThat(warnings("'reprise-default'", null))
        .containsExactly("The cap of 20 s is never reached: 2 retries get no further than 200 ms.");
    assertThat(warnings("'aws-standard'", null))
        .containsExactly(
            "The cap of 20 s is never reached: 2 retries get no further than 100 ms.",
            "Hints are clamped: a retry may come earlier than the other side asked, for a hint"
                + " lengthens a delay by at most 5 s.");
    assertThat(warnings("'azure-iot'", null))
        .containsExactly(
            "Retries go on for ever: there is no limit of attempts, no deadline and no budget.",
            "Jitter is lost from retry 9 on: every delay is exactly 10 s, so what fails together"
                + " stays together. Change backoff.atCap to \"jitter\".");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'preset':'azure-iot','maxAttempts':20,'backoff':{'type':'exponential-with-jitter',"
            + "'atCap':'jitter'}}",
        "{'strategy':'standard','maxAttempts':20}",
        "{'strategy':'standard','maxAttempts':20,'deadline':'5h','attemptTimeout':'1m',"
            + "'idempotent':true,'hedging':{'delay':'30s','maxHedges':3}}"
      })
  void nothingIsSaidOfWhatIsInOrder(String json) {
    assertThat(warnings(json, null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'maxAttempts':1} | No retries: the first failed attempt is the last.
          {'maxAttempts':'unlimited','budget':{'type':'ratio','retriesPerSuccess':0.1}} | Retries go on for as long as the budget pays: there is no limit of attempts and no deadline.
          {'backoff':{'type':'none'}} | No delay before any retry: whatever is down gets all of them at once. Change backoff to {"type":"exponential","base":"1s","factor":2.0,"cap":"64s","jitter":"full"}.
          {'backoff':{'type':'fixed','delay':'1s'}} | No jitter: whatever fails together is retried together. Change backoff.jitter to "full".
          {'throttleBackoff':{'type':'fixed','delay':'1ms'}} | No jitter after a throttle: whatever fails together is retried together. Change throttleBackoff.jitter to "full".
          {'throttleBackoff':{'type':'fixed','delay':'1ms'}} | After a throttle the first delay is shorter than after other failures: who asks for less gets more.
          {'maxAttempts':9,'backoff':{'type':'fixed','delay':'1s','jitter':'full','retries':1,'then':{'type':'fixed','delay':'2s'}}} | Jitter is lost from retry 2 on: every delay is exactly 2 s, so what fails together stays together. Change backoff.then.jitter to "full".
          {'maxAttempts':9,'backoff':{'type':'fixed','delay':'1s','jitter':'full','retries':1,'then':{'type':'none'}}} | Jitter is lost from retry 2 on: every delay is exactly 0 s, so what fails together stays together. Change backoff.then to {"type":"exponential","base":"1s","factor":2.0,"cap":"64s","jitter":"full"}.
          {'maxAttempts':6,'backoff':{'type':'truncated-exponential','maximumBackoff':'PT16.25S'}} | Jitter is lost from retry 5 on: at least 75 % of delays are exactly 16250 ms, so most of what fails together stays together. Change backoff to {"type":"exponential","base":"1s","factor":2.0,"cap":"16250ms","jitter":"full"}.
          {'maxAttempts':'unlimited','backoff':{'type':'exponential-with-jitter','jitterDown':1}} | Jitter is lost from retry 10 on: at least 74.2 % of delays are exactly 10 s, so most of what fails together stays together. Change backoff.atCap to "jitter".
          {'backoff':{'type':'fixed','delay':'1s','jitter':'full','retries':2,'then':{'type':'fixed','delay':'2s'}}} | Part 2 of backoff is never reached: it begins at retry 3, and there are 2.
          {'backoff':{'type':'staged','noDelayRetries':3,'maxDelayRetries':1,'minDelay':'1s','maxDelay':'2s'}} | The stages have 4 retries together, but there are 2: never reached: maxDelay.
          {'backoff':{'type':'staged','minDelayRetries':3,'minDelay':'1s','maxDelay':'2s'}} | The stages have 3 retries together, but there are 2: the last stage is cut short.
          {'backoff':{'type':'staged','minDelayRetries':1,'minDelay':'1s','maxDelay':'2s'}} | The stages have 1 retries together, but there are 2: the others wait maxDelay, 2 s.
          {'budget':{'type':'token-bucket','capacityTokens':4}} | The budget holds 4 tokens, and a retry costs 10: it is always denied.
          {'budget':{'type':'token-bucket','capacityTokens':10,'timeoutTokens':10.5}} | The budget holds 10 tokens, and a retry after a timeout costs 10.5: it is always denied.
          {'budget':{'type':'token-bucket','rewardTokens':0}} | The budget is never filled again: after 50 retries there are no more.
          {'budget':{'type':'ratio','retriesPerSuccess':0}} | The budget is never filled again: after 10 retries there are no more.
          {'hintCeiling':'0s'} | The hint ceiling is 0: any hint ends the call.
          {'deadline':'1s','attemptTimeout':'1s'} | attemptTimeout ends no attempt: the deadline comes first.
          {'attemptTimeout':'1s','hedging':{'delay':'1s'},'idempotent':true} | No hedge is ever started: an attempt is ended after 1 s.
          {'hedging':{'delay':'1s','maxHedges':3},'idempotent':true} | Of 3 hedges at most 2 are started: every hedge is an attempt.
          {'deadline':'250ms'} | The deadline of 250 ms may end before the schedule: attempt 2 of 3 is the last that can start in time when all delays are long.
          {'maxAttempts':4,'deadline':'3s','backoff':{'type':'fixed','delay':'2s','jitter':'equal'}} | The deadline of 3 s may end before the schedule: attempt 2 of 4 is the last that can start in time when all delays are long.
          {'maxAttempts':5,'deadline':'3s','backoff':{'type':'fixed','delay':'2s','jitter':'equal'}} | The deadline of 3 s may end before the schedule: attempt 2 of 5 is the last that can start in time when all delays are long, attempt 4 when all are short.
          """)
  void whatMaySurpriseIsSaid(String fields, String warning) {
    assertThat(warnings("{'strategy':'standard'," + fields.substring(1), null)).contains(warning);
  }

  @Test
  void aLifetimeOfTheCallerCountsWhenItIsShorterThanTheDeadline() {
    String json =
        "{'strategy':'standard','maxAttempts':50,'deadline':'1m',"
            + "'backoff':{'type':'fixed','delay':'10s'}}";

    assertThat(warnings(json, Duration.ofSeconds(35)))
        .anyMatch(w -> w.startsWith("The lifetime of 35 s may end") && w.contains("attempt 4 of"));
    assertThat(warnings(json, Duration.ofHours(1)))
        .anyMatch(w -> w.startsWith("The deadline of 1 min may") && w.contains("attempt 7 of"));
    assertThat(warnings("{'preset':'azure-iot'}", Duration.ofSeconds(20)))
        .noneMatch(w -> w.startsWith("Retries go on for ever"));
  }

  @Test
  void aLifetimeBeyondAllTimesIsNoLimit() {
    assertThat(warnings("{'preset':'azure-iot'}", Duration.ofSeconds(Long.MAX_VALUE)))
        .noneMatch(w -> w.contains("lifetime"));
  }
}
