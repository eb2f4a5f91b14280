package dev.reprise.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.replay.AttemptLog.End;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ReplayTest {
  private static final Policy EXAMPLE =
      PolicyDocuments.read(
          """
          {"healthyRetryPolicy": {"numRetries": 20, "numNoDelayRetries": 3, "numMinDelayRetries": 4,
           "numMaxDelayRetries": 4, "minDelayTarget": 20, "maxDelayTarget": 60,
           "backoffFunction": "linear"}}
          """);

  /** Reaches past the outage, which the example does not. */
  private static final Policy JITTERED =
      PolicyDocuments.read(
          """
          {"strategy": "standard", "maxAttempts": 100, "budget": "unlimited", "backoff":
           {"type": "exponential", "base": "1s", "cap": "2m", "jitter": "full"}}
          """);

  private static final AttemptLog LOG = KnownTruth.record(EXAMPLE, 1);
  private static final AttemptLog JITTERED_LOG = KnownTruth.record(JITTERED, 2);

  private static RunRecord replayed(AttemptLog log, Policy policy) {
    return Replay.run(log, Map.of("p", policy), 1, 1).policies().get(0).runs().get(0);
  }

  private static RunRecord asItWas(AttemptLog log) {
    return Replay.run(log, Map.of(), 1, 1).asItWas();
  }

  private static double figure(RunRecord record, Figure figure) {
    return record.figures().getOrDefault(figure, Double.NaN);
  }

  private static void assertAbout(RunRecord replayed, RunRecord truth) {
    assertThat(figure(replayed, Figure.SUCCESS))
        .isCloseTo(figure(truth, Figure.SUCCESS), within(0.01));
    assertThat(figure(replayed, Figure.STRANDED))
        .isCloseTo(figure(truth, Figure.STRANDED), within(0.01 * LOG.deliveries().size()));
    assertThat(figure(replayed, Figure.ATTEMPTS) / figure(truth, Figure.ATTEMPTS))
        .isCloseTo(1, within(0.04));
    assertThat(figure(replayed, Figure.WASTED_WORK))
        .isCloseTo(figure(truth, Figure.WASTED_WORK), within(0.02));
    assertThat(figure(replayed, Figure.LATENCY_P50) / figure(truth, Figure.LATENCY_P50))
        .isCloseTo(1, within(0.1));
    assertThat(figure(replayed, Figure.LATENCY_P99) / figure(truth, Figure.LATENCY_P99))
        .isCloseTo(1, within(0.1));
  }

  @Test
  void recordedPolicyGivesAboutTheRecordedFigures() {
    assertAbout(replayed(LOG, EXAMPLE), asItWas(LOG));
    assertAbout(replayed(JITTERED_LOG, JITTERED), asItWas(JITTERED_LOG));
  }

  @Test
  void anotherPolicyGivesAboutWhatItWouldReallyHaveGiven() {
    assertAbout(replayed(LOG, JITTERED), asItWas(JITTERED_LOG));
    assertAbout(replayed(JITTERED_LOG, EXAMPLE), asItWas(LOG));
  }

  @Test
  void policiesDifferByMuchMoreThanTheReplayIsOff() {
    assertThat(figure(asItWas(JITTERED_LOG), Figure.SUCCESS))
        .isGreaterThan(figure(asItWas(LOG), Figure.SUCCESS) + 0.05);
  }

  @Test
  void outageIsFoundWhereItWas() {
    Failure.Trace trace = LOG.failures().get("outage");

    assertThat(trace.intervals()).hasSize(1);
    Failure.Interval outage = trace.intervals().get(0);
    Duration first =
        Duration.between(KnownTruth.START, LOG.deliveries().get(0).attempts().get(0).startedAt());
    assertThat(outage.from().plus(first)).isCloseTo(KnownTruth.DOWN_FROM, Duration.ofSeconds(5));
    assertThat(outage.to().plus(first)).isCloseTo(KnownTruth.DOWN_TO, Duration.ofSeconds(5));
    assertThat(outage.probability()).isEqualTo(1);
  }

  @Test
  void failuresByChanceAreOneTimeWithTheirShare() {
    assertThat(LOG.failures().get("chance").intervals())
        .singleElement()
        .satisfies(all -> assertThat(all.probability()).isCloseTo(KnownTruth.CHANCE, within(0.02)));
  }

  @Test
  void deliveriesThatFailForThemselvesSayNothingOfTheirEndpoint() {
    assertThat(LOG.failures().get("poison").intervals()).isEmpty();
    long poison =
        LOG.deliveries().stream()
            .filter(each -> each.endpoint().equals("poison") && each.end() == End.GIVEN_UP)
            .filter(each -> each.last().outcome() == RecordedOutcome.FAILED)
            .count();
    assertThat(poison).isGreaterThan(5);
  }

  @Test
  void sameSeedGivesTheSame() {
    Map<String, Policy> policies = Map.of("p", JITTERED);
    List<RunRecord> runs = Replay.run(LOG, policies, 7, 2).policies().get(0).runs();

    assertThat(Replay.run(LOG, policies, 8, 1).policies().get(0).runs().get(0).figures())
        .isEqualTo(runs.get(1).figures())
        .isNotEqualTo(runs.get(0).figures());
  }

  @Test
  void seriesAndDistributionsCountEveryAttempt() {
    RunRecord record = asItWas(LOG);
    Series arrivals = record.series().get(0);
    long attempts = LOG.deliveries().stream().mapToLong(each -> each.attempts().size()).sum();

    assertThat(Arrays.stream(arrivals.values()).sum() * arrivals.binSeconds())
        .isCloseTo((double) attempts, within(0.5));
    assertThat(record.events()).isEqualTo(attempts);
    assertThat(Arrays.stream(record.distributions().get(0).counts()).sum())
        .isEqualTo(LOG.deliveries().size());
  }

  /** The endpoint was down when the log ended. */
  private static AttemptLog endsDown() {
    return AttemptLog.read(
        """
        a@x,1,2026-11-21T14:00:00Z,2026-11-21T14:00:01Z,succeeded
        b@x,1,2026-11-21T14:01:00Z,2026-11-21T14:01:01Z,failed
        b@x,2,2026-11-21T14:02:00Z,2026-11-21T14:02:01Z,failed
        c@x,1,2026-11-21T14:02:00Z,2026-11-21T14:02:01Z,failed
        c@x,2,2026-11-21T14:03:00Z,2026-11-21T14:03:01Z,failed
        """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"azure-iot", "iot-core-64s"})
  void policyThatNeverGivesUpWaitsOpenForAnEndpointThatStaysDown(String preset) {
    RunRecord record = replayed(endsDown(), Presets.policy(preset));

    assertThat(figure(record, Figure.SUCCESS)).isEqualTo(1.0 / 3);
    assertThat(figure(record, Figure.STRANDED)).isZero();
  }

  @Test
  void policyThatGivesUpMakesDeadLettersOfAnEndpointThatStaysDown() {
    RunRecord record = replayed(endsDown(), Presets.policy("notification-sms"));

    assertThat(figure(record, Figure.STRANDED)).isEqualTo(2);
    assertThat(figure(record, Figure.ATTEMPTS)).isEqualTo((1 + 51 + 51) / 3.0);
  }

  @Test
  void policyWithoutDelaysEndsToo() {
    Policy hasty =
        PolicyDocuments.read(
            "{\"strategy\":\"standard\",\"maxAttempts\":\"unlimited\",\"budget\":\"unlimited\","
                + "\"backoff\":{\"type\":\"none\"},\"deadline\":\"1h\"}");

    RunRecord record = replayed(endsDown(), hasty);

    assertThat(figure(record, Figure.STRANDED)).isEqualTo(2);
    assertThat(figure(record, Figure.ATTEMPTS)).isCloseTo(7201 / 3.0, within(2.0));
  }

  @Test
  void delayOfCenturiesIsNoRetryThatAnybodySees() {
    Policy slow =
        PolicyDocuments.read(
            "{\"strategy\":\"standard\",\"maxAttempts\":\"unlimited\",\"budget\":\"unlimited\","
                + "\"backoff\":{\"type\":\"fixed\",\"delay\":\"P100000D\"}}");

    assertThat(figure(replayed(endsDown(), slow), Figure.ATTEMPTS)).isEqualTo(1);
  }

  @Test
  void hintsOfTheLogAreObeyed() {
    AttemptLog log =
        AttemptLog.read(
            """
            a@x,1,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,failed,429,50
            a@x,2,2026-11-21T14:00:50Z,2026-11-21T14:00:50Z,succeeded
            """);

    RunRecord record = replayed(log, Presets.policy("azure-iot"));

    assertThat(figure(record, Figure.ATTEMPTS)).isEqualTo(2);
    assertThat(figure(record, Figure.LATENCY_P50)).isCloseTo(50, within(0.01));
  }

  @ParameterizedTest
  @CsvSource({"false, 1, 0", "true, 4, 1"})
  void hintsBeyondTheCeilingEndADeliveryOrAreClamped(
      boolean clamps, double attempts, double success) {
    AttemptLog log =
        AttemptLog.read(
            """
            a@x,1,2026-11-21T14:00:00Z,2026-11-21T14:00:00Z,failed,429,30
            a@x,2,2026-11-21T14:00:30Z,2026-11-21T14:00:30Z,succeeded
            """);
    Policy policy =
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
             "backoff": {"type": "fixed", "delay": "1s"}, "hintCeiling": "5s",
             "clampsHints": %s}
            """
                .formatted(clamps));

    RunRecord record = replayed(log, policy);

    // 1 s of its own and at most 5 s more; the endpoint is taken to be back after half of the 30 s.
    assertThat(figure(record, Figure.ATTEMPTS)).isEqualTo(attempts);
    assertThat(figure(record, Figure.SUCCESS)).isEqualTo(success);
  }

  @Test
  void refusedDeliveriesAreRefusedByTheFirstAttemptThatGetsThrough() {
    AttemptLog log =
        AttemptLog.read(
            """
            a@x,1,2026-11-21T14:00:00Z,2026-11-21T14:00:01Z,succeeded
            b@x,1,2026-11-21T14:00:02Z,2026-11-21T14:00:03Z,refused
            """);

    RunRecord record = replayed(log, JITTERED);

    assertThat(figure(record, Figure.STRANDED)).isEqualTo(1);
    assertThat(figure(record, Figure.ATTEMPTS)).isEqualTo(1);
    assertThat(log.failures().get("x").intervals()).isEmpty();
  }

  @Test
  void emptyReplaysAreRefused() {
    assertThatThrownBy(() -> Replay.run(new AttemptLog(List.of()), Map.of(), 1, 1))
        .hasMessage("deliveries is empty: must have at least one");
    assertThatThrownBy(() -> Replay.run(LOG, Map.of(), 1, 0)).hasMessage("runs is 0: must be >= 1");
  }
}
