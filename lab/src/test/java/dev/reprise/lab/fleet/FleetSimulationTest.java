package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.lab.Fleets;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetSimulationTest {
  private static final FleetModel MINUTE_OUT = Fleets.minuteOut();
  private static final StrategyPolicy PATIENT = Fleets.patient(Fleets.FULL_JITTER);

  private static RunRecord run(FleetModel model, Policy policy) {
    return FleetSimulation.run(model, policy, 1);
  }

  private static double figure(RunRecord run, Figure figure) {
    return run.figures().get(figure);
  }

  @Test
  void theSameSeedGivesTheSameAndAnotherSeedSomethingElse() {
    RunRecord first = FleetSimulation.run(MINUTE_OUT, PATIENT, 5);
    RunRecord again = FleetSimulation.run(MINUTE_OUT, PATIENT, 5);
    RunRecord other = FleetSimulation.run(MINUTE_OUT, PATIENT, 6);
    assertThat(again.figures()).isEqualTo(first.figures());
    assertThat(again.events()).isEqualTo(first.events());
    assertThat(again.series()).usingRecursiveComparison().isEqualTo(first.series());
    assertThat(again.distributions()).usingRecursiveComparison().isEqualTo(first.distributions());
    assertThat(other.events()).isNotEqualTo(first.events());
  }

  @Test
  void attemptsAndDevicesAddUpByTheirEnds() {
    FleetModel model =
        MINUTE_OUT.withFailures(
            List.of(
                new Failure.Outage(Duration.ZERO, Duration.ofMinutes(1), Failure.Zone.ALL),
                new Failure.Random(0.2)));
    DevicePolicy decides = DevicePolicy.of(PATIENT.withMaxAttempts(9));
    FleetRun run = new FleetRun(model, decides, decides, 3);
    RunRecord record = run.run();
    FleetCounts counts = run.counts();
    assertThat(counts.unreachableAttempts()).isPositive();
    assertThat(counts.refusedAttempts()).isPositive();
    assertThat(counts.attemptsFailedByChance()).isPositive();
    assertThat(counts.strandedDevices()).isPositive();
    assertThat(record.events())
        .isEqualTo(
            counts.unreachableAttempts()
                + counts.refusedAttempts()
                + counts.attemptsFailedByChance()
                + counts.successes());
    assertThat(counts.successes() + counts.strandedDevices()).isEqualTo(10_000);
    assertThat(Fleets.total(record, Series.ARRIVALS)).isEqualTo((double) record.events());
    assertThat(Fleets.total(record, Series.SUCCESSES)).isEqualTo((double) counts.successes());
    assertThat(Fleets.total(record, Series.FAILURES))
        .isEqualTo((double) (record.events() - counts.successes()));
    double[] connected = Fleets.series(record, Series.CONNECTED).values();
    assertThat(connected[connected.length - 1]).isEqualTo((double) counts.successes());
    Distribution attempts = Fleets.distribution(record, Distribution.ATTEMPTS);
    assertThat(Arrays.stream(attempts.counts()).sum()).isEqualTo(10_000);
    double weighted = 0;
    for (int i = 0; i < attempts.counts().length; i++) {
      weighted += attempts.upperBounds()[i] * attempts.counts()[i];
    }
    assertThat(weighted).isEqualTo((double) record.events());
    assertThat(Arrays.stream(Fleets.distribution(record, Distribution.DELAYS).counts()).sum())
        .isEqualTo(record.events() - 10_000);
    assertThat(Arrays.stream(Fleets.distribution(record, Distribution.WAITS).counts()).sum())
        .isEqualTo(counts.successes());
  }

  @Test
  void theServiceNeverAcceptsMoreThanItsQuotaAndItsBurst() {
    double[] accepted = Fleets.series(run(MINUTE_OUT, PATIENT), Series.SUCCESSES).values();
    double sum = 0;
    for (int second = 60; second < accepted.length; second++) {
      sum += accepted[second];
      assertThat(sum).isLessThanOrEqualTo(100 * (second - 59) + 10);
    }
    assertThat(Arrays.stream(accepted, 0, 60).sum()).isZero();
  }

  @Test
  void capacityIsNothingInAnOutageAndAShareInABrownOut() {
    FleetModel model =
        MINUTE_OUT.withFailures(
            List.of(
                new Failure.Outage(Duration.ZERO, Duration.ofMinutes(1), Failure.Zone.ALL),
                new Failure.BrownOut(Duration.ofSeconds(70), Duration.ofSeconds(90), 0.25)));
    RunRecord run = run(model, PATIENT);
    double[] capacity = Fleets.series(run, Series.CAPACITY).values();
    assertThat(capacity[59]).isZero();
    assertThat(capacity[60]).isEqualTo(100);
    assertThat(capacity[75]).isCloseTo(25, within(1e-9));
    assertThat(capacity[90]).isEqualTo(100);
    double[] accepted = Fleets.series(run, Series.SUCCESSES).values();
    assertThat(Arrays.stream(accepted, 71, 90).sum()).isCloseTo(19 * 25, within(2.0));
    assertThat(accepted[95]).isCloseTo(100, within(2.0));
    assertThat(figure(run, Figure.DRAIN_P50))
        .isCloseTo(figure(run(MINUTE_OUT, PATIENT), Figure.DRAIN_P50) + 15, within(0.5));
  }

  @Test
  void anOutageOfAZoneHitsItsDevicesAlone() {
    FleetModel model =
        MINUTE_OUT
            .withQuota(new Quota(1_000_000, Duration.ofSeconds(1), 0))
            .withFailures(
                List.of(
                    new Failure.Outage(
                        Duration.ZERO, Duration.ofMinutes(1), new Failure.Zone(2, 4))));
    RunRecord run = run(model, PATIENT);
    double[] connected = Fleets.series(run, Series.CONNECTED).values();
    assertThat(connected[0]).isEqualTo(7_500);
    assertThat(connected[59]).isEqualTo(7_500);
    assertThat(connected[connected.length - 1]).isEqualTo(10_000);
    assertThat(figure(run, Figure.DRAIN_P50)).isZero();
    assertThat(figure(run, Figure.DRAIN_P90)).isPositive();
  }

  @Test
  void failuresByChanceTakeTheGeometricNumberOfAttempts() {
    FleetModel model =
        MINUTE_OUT
            .withQuota(new Quota(1_000_000, Duration.ofSeconds(1), 0))
            .withFailures(List.of(new Failure.Random(0.5), new Failure.Random(0.5)));
    RunRecord run = run(model, PATIENT);
    // Two of a half leave a quarter: four attempts, give or take four deviations.
    double deviation = Math.sqrt(0.75) / 0.25 / Math.sqrt(10_000);
    assertThat(figure(run, Figure.ATTEMPTS)).isCloseTo(4, within(4 * deviation));
  }

  @Test
  void aTraceFailsAttemptsInItsIntervalsOnly() {
    FleetModel model =
        MINUTE_OUT
            .withQuota(new Quota(1_000_000, Duration.ofSeconds(1), 0))
            .withSpread(Duration.ofSeconds(100))
            .withFailures(
                List.of(
                    new Failure.Trace(
                        List.of(
                            new Failure.Interval(Duration.ofSeconds(20), Duration.ofSeconds(40), 1),
                            new Failure.Interval(
                                Duration.ofSeconds(60), Duration.ofSeconds(80), 0.5)))));
    RunRecord run = run(model, Fleets.patient(Backoff.fixed(Duration.ofSeconds(1_000))));
    double[] arrived = Fleets.series(run, Series.ARRIVALS).values();
    double[] accepted = Fleets.series(run, Series.SUCCESSES).values();
    assertThat(Arrays.stream(accepted, 0, 20).sum()).isEqualTo(Arrays.stream(arrived, 0, 20).sum());
    assertThat(Arrays.stream(accepted, 20, 40).sum()).isZero();
    assertThat(Arrays.stream(accepted, 40, 60).sum())
        .isEqualTo(Arrays.stream(arrived, 40, 60).sum());
    double half = Arrays.stream(accepted, 60, 80).sum() / Arrays.stream(arrived, 60, 80).sum();
    assertThat(half).isCloseTo(0.5, within(4 * 0.5 / Math.sqrt(2_000)));
    assertThat(figure(run, Figure.SUCCESS)).isEqualTo(1);
  }

  @Test
  void burstsFailAttemptsForTheirShareOfTheTime() {
    FleetModel model =
        MINUTE_OUT
            .withQuota(new Quota(1_000_000, Duration.ofSeconds(1), 0))
            .withSpread(Duration.ofSeconds(3_000))
            .withFailures(
                List.of(new Failure.Bursts(Duration.ofSeconds(3), Duration.ofSeconds(1), 1)));
    RunRecord run = run(model, Fleets.patient(Backoff.fixed(Duration.ofHours(1))));
    // All that fail come too late, so what is left is the first attempts of good times.
    assertThat(figure(run, Figure.SUCCESS)).isBetween(0.70, 0.80);
    double[] failures = Fleets.series(run, Series.FAILURES).values();
    long quiet = Arrays.stream(failures, 0, 3_000).filter(failed -> failed == 0).count();
    assertThat(quiet).isBetween(1_200L, 2_400L);
  }

  @Test
  void aDeviceWhosePolicyStopsIsStranded() {
    StrategyPolicy three = PATIENT.withMaxAttempts(3);
    RunRecord run = run(MINUTE_OUT, three);
    assertThat(figure(run, Figure.STRANDED)).isEqualTo(10_000);
    assertThat(figure(run, Figure.SUCCESS)).isZero();
    assertThat(figure(run, Figure.ATTEMPTS)).isEqualTo(3);
    assertThat(figure(run, Figure.DRAIN_P50)).isInfinite();
  }

  @Test
  void aBudgetStrandsADeviceThatHasUsedItUp() {
    StrategyPolicy bucket =
        PATIENT.withBudget(new BudgetPolicy.TokenBucket(20, TokenPrices.SMITHY_GUIDE, 0, 0));
    // A retry takes 5 tokens of 20: four retries.
    RunRecord run = run(MINUTE_OUT, bucket);
    assertThat(figure(run, Figure.STRANDED)).isEqualTo(10_000);
    assertThat(figure(run, Figure.ATTEMPTS)).isEqualTo(5);

    StrategyPolicy filling =
        PATIENT.withBudget(new BudgetPolicy.TokenBucket(20, TokenPrices.SMITHY_GUIDE, 20, 0));
    assertThat(figure(run(MINUTE_OUT, filling), Figure.STRANDED)).isLessThan(9_000);
  }

  @Test
  void aDeadlineCountsFromTheFirstAttemptOfEachDevice() {
    StrategyPolicy hurried =
        Fleets.patient(Backoff.fixed(Duration.ofSeconds(10)))
            .withCalls(new CallSettings(Duration.ofSeconds(35), null, null, false));
    FleetModel model = MINUTE_OUT.withSpread(Duration.ofSeconds(20));
    RunRecord run = run(model, hurried);
    // At 0, 10, 20 and 30 s of its own; the next would come at 40.
    assertThat(figure(run, Figure.ATTEMPTS)).isEqualTo(4);
    assertThat(figure(run, Figure.STRANDED)).isEqualTo(10_000);
  }

  @Test
  void aThrottleAsksTheThrottleBackoffAndALostConnectionTheOther() {
    StrategyPolicy policy =
        Fleets.patient(Backoff.fixed(Duration.ofSeconds(61)))
            .withBackoffs(
                Backoff.fixed(Duration.ofSeconds(61)), Backoff.fixed(Duration.ofSeconds(500)));
    RunRecord run = run(MINUTE_OUT, policy);
    // All come once at 61 s, and those that are refused 500 s later.
    double[] arrived = Fleets.series(run, Series.ARRIVALS).values();
    assertThat(arrived[0]).isEqualTo(10_000);
    assertThat(arrived[61]).isEqualTo(10_000);
    assertThat(Arrays.stream(arrived, 62, 561).sum()).isZero();
    assertThat(arrived[561]).isPositive();
  }

  @Test
  void aFixedHintBringsTheHerdBackTogether() {
    FleetModel model = MINUTE_OUT.withHint(new Hint.Fixed(Duration.ofSeconds(100)));
    StrategyPolicy policy = PATIENT.withBackoffs(PATIENT.backoff(), Backoff.none());
    double[] arrived = Fleets.series(run(model, policy), Series.ARRIVALS).values();
    double[] without = Fleets.series(run(MINUTE_OUT, PATIENT), Series.ARRIVALS).values();
    double firstSeconds = Arrays.stream(arrived, 60, 70).sum();
    assertThat(Arrays.stream(arrived, 160, 170).sum())
        .isBetween(firstSeconds - 1_000 - 10, firstSeconds);
    assertThat(Arrays.stream(without, 160, 170).sum()).isLessThan(0.7 * firstSeconds);
  }

  @Test
  void aUniformHintSpreadsTheHerd() {
    StrategyPolicy policy = PATIENT.withBackoffs(PATIENT.backoff(), Backoff.none());
    FleetModel herd =
        MINUTE_OUT
            .withHint(new Hint.Uniform(Duration.ofSeconds(100), Duration.ofSeconds(300)))
            .withFailures(List.of());
    double[] arrived = Fleets.series(run(herd, policy), Series.ARRIVALS).values();
    assertThat(arrived[0]).isEqualTo(10_000);
    assertThat(Arrays.stream(arrived, 1, 100).sum()).isZero();
    // 9,900 over 200 s.
    assertThat(Arrays.stream(arrived, 101, 199).average().orElseThrow())
        .isCloseTo(49.4, within(3.0));
  }

  @Test
  void slotsReachTheFloorWithTwoAttempts() {
    FleetModel model = MINUTE_OUT.withHint(new Hint.Slots());
    StrategyPolicy policy = PATIENT.withBackoffs(PATIENT.backoff(), Backoff.none());
    RunRecord run = run(model, policy);
    assertThat(figure(run, Figure.DRAIN_RATIO)).isCloseTo(1, within(0.002));
    assertThat(figure(run, Figure.ATTEMPTS_AFTER_RECOVERY)).isCloseTo(2, within(0.01));
  }

  @Test
  void aDeviceWhoseOwnBackoffIsLongerMissesItsSlotAndGetsAnother() {
    FleetModel model = MINUTE_OUT.withHint(new Hint.Slots());
    RunRecord run = run(model, PATIENT);
    assertThat(figure(run, Figure.SUCCESS)).isEqualTo(1);
    assertThat(figure(run, Figure.ATTEMPTS_AFTER_RECOVERY)).isGreaterThan(2.1);
    assertThat(figure(run, Figure.DRAIN_RATIO)).isGreaterThan(1.05);
  }

  @Test
  void aHintBeyondTheCeilingStrandsOrIsClampedAsThePolicySays() {
    FleetModel model =
        MINUTE_OUT.withHint(new Hint.Fixed(Duration.ofSeconds(100))).withFailures(List.of());
    StrategyPolicy always = Fleets.patient(Backoff.fixed(Duration.ofSeconds(10)));
    RunRecord stopped = run(model, always.withHints(Duration.ofSeconds(99), false));
    assertThat(figure(stopped, Figure.STRANDED)).isBetween(9_970.0, 9_990.0);
    RunRecord obeyed = run(model, always.withHints(Duration.ofSeconds(100), false));
    assertThat(figure(obeyed, Figure.STRANDED)).isZero();
    // 10 s of its own and at most 20 more.
    RunRecord clamped = run(model, always.withHints(Duration.ofSeconds(20), true));
    double[] arrived = Fleets.series(clamped, Series.ARRIVALS).values();
    assertThat(figure(clamped, Figure.STRANDED)).isZero();
    assertThat(Arrays.stream(arrived, 1, 30).sum()).isZero();
    assertThat(arrived[30]).isGreaterThan(9_900);
  }

  @Test
  void aDeviceThatComesTooSoonIsRefusedWhateverIsLeft() {
    FleetModel generous =
        MINUTE_OUT
            .withQuota(new Quota(1_000_000, Duration.ofSeconds(1), 0))
            .withHorizon(Duration.ofMinutes(5))
            .withFailures(List.of(new Failure.Random(0.5)));
    FleetModel strict = generous.withPerDeviceInterval(Duration.ofSeconds(5));
    StrategyPolicy quick = Fleets.patient(Backoff.fixed(Duration.ofSeconds(1)));
    StrategyPolicy slow = Fleets.patient(Backoff.fixed(Duration.ofSeconds(5)));
    assertThat(figure(run(generous, quick), Figure.SUCCESS)).isEqualTo(1);
    // The first attempt decides; whoever fails it is refused for ever, for each refusal counts.
    assertThat(figure(run(strict, quick), Figure.SUCCESS)).isCloseTo(0.5, within(0.02));
    assertThat(figure(run(strict, slow), Figure.SUCCESS)).isEqualTo(1);
  }

  @Test
  void anUnreachableServiceDoesNotCountTheAttemptsOfADevice() {
    FleetModel strict =
        MINUTE_OUT
            .withQuota(new Quota(1_000_000, Duration.ofSeconds(1), 0))
            .withPerDeviceInterval(Duration.ofSeconds(5));
    RunRecord run = run(strict, Fleets.patient(Backoff.fixed(Duration.ofSeconds(1))));
    assertThat(figure(run, Figure.DRAIN_LAST)).isLessThan(1.2);
  }

  @Test
  void aMinorityKeepsItsOwnPolicy() {
    Policy fleet = Fleets.patient(Backoff.fixed(Duration.ofSeconds(100)));
    Policy old = Fleets.patient(Backoff.fixed(Duration.ofSeconds(7)));
    FleetModel model = MINUTE_OUT.withMinority(new Minority(0.3, old));
    double[] arrived = Fleets.series(run(model, fleet), Series.ARRIVALS).values();
    assertThat(arrived[0]).isEqualTo(10_000);
    assertThat(arrived[7]).isEqualTo(3_000);
    assertThat(arrived[8]).isZero();
    assertThat(arrived[14]).isEqualTo(3_000);
  }

  @Test
  void overactiveDevicesTakeQuotaAndAreNotInTheFigures() {
    double goodRate = 0.1;
    FleetModel model =
        MINUTE_OUT
            .withFailures(List.of())
            .withSpread(Duration.ofSeconds(20))
            .withHorizon(Duration.ofSeconds(200))
            .withOveractive(new Overactive(0.1, Duration.ofSeconds(1)));
    RunRecord run = run(model, Fleets.patient(Backoff.fixed(Duration.ofSeconds(10)).withJitter(1)));
    double[] theirs = Fleets.series(run, Series.OVERACTIVE).values();
    assertThat(theirs[0]).isEqualTo(1_000);
    assertThat(theirs[150]).isEqualTo(1_000);
    double[] connected = Fleets.series(run, Series.CONNECTED).values();
    double expected = 0;
    for (int second = 50; second < 150; second++) {
      double waiting = 9_000 - connected[second];
      expected += 100 * waiting * goodRate / (waiting * goodRate + 1_000);
    }
    assertThat(connected[149] - connected[49]).isCloseTo(expected, within(0.05 * expected));
    assertThat(figure(run, Figure.SUCCESS)).isEqualTo(connected[199] / 9_000);
    double[] arrived = Fleets.series(run, Series.ARRIVALS).values();
    assertThat(arrived[150]).isLessThan(900);
  }

  @ParameterizedTest
  @CsvSource({"1500, 666.7", "1, 1000"})
  void overactiveDevicesKeepTheirIntervalToThePartOfAMillisecond(
      long intervalMicros, double perSecond) {
    FleetModel model =
        MINUTE_OUT
            .withDevices(2)
            .withSpread(Duration.ZERO)
            .withHorizon(Duration.ofSeconds(50))
            .withOveractive(new Overactive(0.5, Duration.ofNanos(intervalMicros * 1_000)));
    RunRecord run = run(model, PATIENT);
    assertThat(Fleets.series(run, Series.OVERACTIVE).values()[30])
        .isCloseTo(perSecond, within(1.0));
  }

  @Test
  void aSlotInManyCenturiesIsKeptOrClamped() {
    FleetModel model =
        MINUTE_OUT
            .withDevices(100_000)
            .withFailures(List.of())
            .withHorizon(Duration.ofHours(4))
            .withQuota(new Quota(1e-4, Duration.ofMillis(100), 0))
            .withHint(new Hint.Slots());
    StrategyPolicy always = Fleets.patient(Backoff.fixed(Duration.ofSeconds(10)));
    RunRecord kept = run(model, always.withHints(Duration.ofDays(100_000), false));
    // The second has a slot before the run ends.
    assertThat(figure(kept, Figure.ATTEMPTS)).isCloseTo(1, within(2e-5));
    RunRecord clamped = run(model, always.withHints(Duration.ofDays(1), true));
    assertThat(figure(clamped, Figure.ATTEMPTS)).isCloseTo(1, within(2e-5));
  }

  @Test
  void delaysOfHoursAndSpreadsOfDaysAreKept() {
    FleetModel model =
        MINUTE_OUT
            .withFailures(
                List.of(new Failure.Outage(Duration.ZERO, Duration.ofHours(1), Failure.Zone.ALL)))
            .withSpread(Duration.ofHours(1))
            .withHorizon(Duration.ofDays(30));
    RunRecord run = run(model, Fleets.patient(Backoff.fixed(Duration.ofDays(7))));
    assertThat(figure(run, Figure.SUCCESS)).isEqualTo(1);
    assertThat(figure(run, Figure.ATTEMPTS)).isEqualTo(2);
    // A week after attempts that were spread evenly over the hour of the outage.
    double week = 7 * 86_400;
    assertThat(figure(run, Figure.DRAIN_P50)).isCloseTo(week - 1_800, within(60.0));
    assertThat(figure(run, Figure.DRAIN_LAST)).isCloseTo(week, within(10.0));
    for (Series series : run.series()) {
      assertThat(series.values().length).isLessThanOrEqualTo(20_000);
    }
  }

  @Test
  void whoIsNotBackAtTheHorizonNeverIs() {
    FleetModel model = MINUTE_OUT.withHorizon(Duration.ofSeconds(110));
    RunRecord run = run(model, PATIENT);
    assertThat(figure(run, Figure.SUCCESS)).isCloseTo(0.5, within(0.005));
    assertThat(figure(run, Figure.DRAIN_LAST)).isInfinite();
    assertThat(figure(run, Figure.STRANDED)).isZero();
    assertThat(Fleets.series(run, Series.ARRIVALS).values().length).isBetween(110, 111);
    assertThat(Arrays.stream(Fleets.distribution(run, Distribution.ATTEMPTS).counts()).sum())
        .isEqualTo(10_000);
  }

  @Test
  void noDelayIsShorterThanThePolicySays() {
    FleetModel one = MINUTE_OUT.withDevices(1).withSpread(Duration.ZERO);
    Duration odd = Duration.ofNanos(60_000_000_001L);
    RunRecord run = run(one, Fleets.patient(Backoff.fixed(odd)));
    assertThat(figure(run, Figure.ATTEMPTS)).isEqualTo(2);
    RunRecord early = run(one, Fleets.patient(Backoff.fixed(Duration.ofMillis(59_999))));
    assertThat(figure(early, Figure.ATTEMPTS)).isEqualTo(3);
  }

  @Test
  void twoPoliciesMeetTheSameLuck() {
    RunRecord full = run(MINUTE_OUT, PATIENT);
    StrategyPolicy impatient = PATIENT.withMaxAttempts(1_000);
    assertThat(run(MINUTE_OUT, impatient).figures()).isEqualTo(full.figures());
  }

  @Test
  void anAdaptivePolicyIsRefusedByName() {
    StrategyPolicy adaptive =
        new StrategyPolicy(
            StrategyKind.ADAPTIVE,
            3,
            Fleets.FULL_JITTER,
            Fleets.FULL_JITTER,
            new BudgetPolicy.Unlimited(),
            Duration.ofDays(1),
            false,
            false,
            CallSettings.NONE);
    assertThatThrownBy(() -> run(MINUTE_OUT, adaptive))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("strategy is adaptive: must be standard or none");
  }

  @Test
  void aFleetOfOveractiveDevicesAloneIsRefused() {
    FleetModel model = MINUTE_OUT.withOveractive(new Overactive(1, Duration.ofSeconds(1)));
    assertThatThrownBy(() -> run(model, PATIENT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("overactive.share is 1.0: must leave a device to watch");
  }

  @Test
  void goodTimesOfAYearDoNotOverflow() {
    FleetModel model =
        MINUTE_OUT.withFailures(
            List.of(
                new Failure.Bursts(Duration.ofDays(365), Duration.ofDays(365), 1),
                new Failure.Bursts(Duration.ofDays(365), Duration.ofDays(365), 1),
                new Failure.Bursts(Duration.ofDays(365), Duration.ofDays(365), 1)));
    for (long seed = 0; seed < 5; seed++) {
      RunRecord run = FleetSimulation.run(model, PATIENT, seed);
      assertThat(figure(run, Figure.SUCCESS)).isEqualTo(1);
    }
  }

  @Test
  void anInterruptedRunEnds() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> run(MINUTE_OUT, PATIENT)).isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aDeviceThatNeverWaitsIsStoppedByName() {
    FleetModel dead =
        MINUTE_OUT
            .withDevices(1)
            .withQuota(new Quota(1e6, Duration.ZERO, 0))
            .withSpread(Duration.ZERO)
            .withFailures(List.of(new Failure.Random(1)));
    assertThatThrownBy(() -> run(dead, Fleets.patient(Backoff.none())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "device 0 has made 2097151 attempts in 2097.15 s: must be fewer in a run; its policy"
                + " must wait longer");
  }
}
