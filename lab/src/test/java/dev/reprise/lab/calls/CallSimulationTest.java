package dev.reprise.lab.calls;

import static dev.reprise.lab.calls.Scene.attempts;
import static dev.reprise.lab.calls.Scene.noRetry;
import static dev.reprise.lab.calls.Scene.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.Hedging;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.CallModel.Queue.Order;
import dev.reprise.lab.scenario.CallModel.Step;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each part of a {@link dev.reprise.lab.scenario.CallModel} does what it says. */
class CallSimulationTest {
  private static final Backoff FULL_JITTER =
      Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(2)).withFullJitter();
  private static final Policy THREE = attempts(3, FULL_JITTER);

  private static RunRecord record(Scene scene, Policy policy) {
    return CallSimulation.run(scene.model(), policy, 1);
  }

  private static double figure(Scene scene, Policy policy, Figure figure) {
    return record(scene, policy).figures().get(figure);
  }

  private static double[] series(RunRecord record, String name) {
    return record.series().stream()
        .filter(series -> series.name().equals(name))
        .findAny()
        .orElseThrow()
        .values();
  }

  private static Distribution distribution(RunRecord record, String name) {
    return record.distributions().stream()
        .filter(distribution -> distribution.name().equals(name))
        .findAny()
        .orElseThrow();
  }

  /** Everything at once. */
  private static Scene busy() {
    return direct().layer(null, seconds(0.3));
  }

  /** The same without a layer. */
  private static Scene direct() {
    return new Scene()
        .clients(20)
        .open(50)
        .timeout(0.5)
        .exponential(2, 0.02)
        .queue(Order.LIFO, 50, true)
        .quota(70, 1, 0.2)
        .hint(new Hint.Uniform(seconds(0.1), seconds(2)))
        .hop(0.005)
        .failure(new Failure.Outage(seconds(20), seconds(25), new Failure.Zone(1, 3)))
        .failure(new Failure.BrownOut(seconds(40), seconds(50), 0.5))
        .failure(new Failure.Bursts(seconds(5), seconds(1), 0.5))
        .failure(new Failure.Random(0.01))
        .warmUp(5)
        .duration(60);
  }

  @Test
  void theSameSeedGivesTheSameToTheLastBit() {
    Policy policy = PolicyDocuments.read("{\"preset\": \"reprise-default\", \"idempotent\": true}");
    String first = everythingOf(record(busy(), policy));
    assertThat(everythingOf(record(busy(), policy))).isEqualTo(first);
    assertThat(everythingOf(CallSimulation.run(busy().model(), policy, 2))).isNotEqualTo(first);
  }

  private static String everythingOf(RunRecord record) {
    StringBuilder everything = new StringBuilder();
    everything.append(record.figures()).append(record.events());
    for (Series series : record.series()) {
      everything.append(series.name()).append(Arrays.toString(series.values()));
    }
    for (Distribution distribution : record.distributions()) {
      everything
          .append(distribution.name())
          .append(Arrays.toString(distribution.upperBounds()))
          .append(Arrays.toString(distribution.counts()));
    }
    return everything.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void noCallAndNoAttemptIsLost(int seed) {
    CallTally tally = direct().warmUp(0).run(THREE, seed).tally;
    assertThat(tally.going()).isZero();
    assertThat(tally.measuredBegun()).isEqualTo(tally.begun());
    assertThat(tally.measuredSuccesses() + tally.measuredFailures()).isEqualTo(tally.begun());
    assertThat(tally.successes.bins().total() + tally.failures.bins().total())
        .isEqualTo((double) tally.measuredAttempts());
    assertThat(tally.attempts.bins().total())
        .isLessThanOrEqualTo((double) tally.measuredAttempts());

    // A layer goes on when nobody waits for it any more; what it still does then is not awaited.
    CallTally layered = busy().warmUp(0).run(THREE, seed).tally;
    assertThat(layered.going()).isZero();
    assertThat(layered.successes.bins().total() + layered.failures.bins().total())
        .isBetween(layered.measuredAttempts() - 20.0, layered.measuredAttempts() + 0.0);
  }

  @Test
  void theProductionRetryWaitsExactlyItsDelays() {
    Backoff backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(1));
    RunRecord record = record(new Scene().failure(new Failure.Random(1)), attempts(4, backoff));
    assertThat(record.figures())
        .containsEntry(Figure.ATTEMPTS, 4.0)
        .containsEntry(Figure.SUCCESS, 0.0)
        .containsEntry(Figure.LATENCY_P50, 0.7)
        .containsEntry(Figure.LATENCY_P99, 0.7);
    // 100, 200 and 400 ms, as often as each other.
    Distribution delays = distribution(record, Distribution.DELAYS);
    long calls = Math.round(record.figures().get(Figure.STRANDED));
    assertThat(Arrays.stream(delays.counts()).filter(count -> count > 0))
        .containsExactly(calls, calls, calls);
    assertThat(figure(new Scene().failure(new Failure.Random(1)), noRetry(), Figure.ATTEMPTS))
        .isEqualTo(1);
  }

  @Test
  void whatMayHaveTakenEffectIsRetriedOnlyIfAllowed() {
    Policy careful = Scene.calls(3, FULL_JITTER, CallSettings.NONE);
    Scene failing = new Scene().failure(new Failure.Random(1));
    Scene slow = new Scene().fixed(0, 2).timeout(1);
    Scene cutOff =
        new Scene().failure(new Failure.Outage(seconds(0), seconds(200), Failure.Zone.ALL));
    Scene refusing = new Scene().quota(1e-9, 0, 0);
    assertThat(figure(failing, careful, Figure.ATTEMPTS)).isEqualTo(1);
    assertThat(figure(failing, THREE, Figure.ATTEMPTS)).isEqualTo(3);
    assertThat(figure(slow, careful, Figure.ATTEMPTS)).isEqualTo(1);
    assertThat(figure(slow, THREE, Figure.ATTEMPTS)).isEqualTo(3);
    assertThat(figure(cutOff, careful, Figure.ATTEMPTS)).isEqualTo(3);
    assertThat(figure(refusing, careful, Figure.ATTEMPTS)).isGreaterThan(2.9);
  }

  @Test
  void theServiceDoesNotLearnOfTimeouts() {
    Scene scene = new Scene().fixed(0, 2).timeout(1);
    RunRecord record = record(scene, noRetry());
    assertThat(record.figures())
        .containsEntry(Figure.SUCCESS, 0.0)
        .containsEntry(Figure.LATENCY_P99, 1.0)
        .containsEntry(Figure.WASTED_WORK, 1.0);
  }

  @Test
  void workForAClientThatHasGoneIsWastedWhateverStandsBetween() {
    Scene scene = new Scene().fixed(0, 0.2).timeout(0.05).layer(noRetry(), null);
    RunRecord record = record(scene, noRetry());
    assertThat(record.figures())
        .containsEntry(Figure.SUCCESS, 0.0)
        .containsEntry(Figure.WASTED_WORK, 1.0);
    assertThat(Arrays.stream(series(record, Series.SUCCESSES)).sum()).isZero();
  }

  @Test
  void aQueueThatDropsTheExpiredKnowsThemBehindALayerToo() {
    Scene direct = overloaded();
    Scene layered = overloaded().layer(noRetry(), null);
    assertThat(figure(layered, noRetry(), Figure.SUCCESS))
        .isEqualTo(figure(direct, noRetry(), Figure.SUCCESS));
    // Each attempt is counted once, whether the layer gives it up later or never.
    assertCountedOnce(overloaded().layer(noRetry(), null));
    assertCountedOnce(overloaded().layer(noRetry(), seconds(5)));
  }

  private static void assertCountedOnce(Scene scene) {
    CallTally tally = scene.warmUp(0).run(noRetry(), 1).tally;
    // Some are under way when the last client has gone.
    assertThat(tally.successes.bins().total() + tally.failures.bins().total())
        .isBetween(tally.measuredAttempts() - 20.0, tally.measuredAttempts() + 0.0);
  }

  private static Scene overloaded() {
    return new Scene()
        .open(20)
        .fixed(1, 0.1)
        .timeout(1)
        .warmUp(40)
        .queue(Order.FIFO, Integer.MAX_VALUE, true);
  }

  @Test
  void figuresOfTheServiceEndWithTheMeasuredTime() {
    Scene scene = new Scene().open(200).fixed(1, 0.01).duration(10);
    RunRecord record = record(scene, noRetry());
    assertThat(record.figures().get(Figure.SERVER_CPU)).isBetween(9.8, 10.0);
    assertThat(record.figures().get(Figure.GOODPUT)).isBetween(0.98, 1.0);
  }

  @Test
  void slotsInManyCenturiesAreKept() {
    Scene scene =
        new Scene()
            .herd(100_000)
            .quota(1e-5, 0, 0)
            .hint(new Hint.Slots())
            .failure(new Failure.BrownOut(seconds(0), seconds(1), 0.5));
    Policy patient =
        new StrategyPolicy(
            StrategyKind.STANDARD,
            Policy.UNLIMITED,
            Backoff.fixed(seconds(1)),
            Backoff.fixed(seconds(1)),
            new BudgetPolicy.Unlimited(),
            Duration.ofNanos(Long.MAX_VALUE),
            false,
            false,
            CallSettings.NONE);
    // Only the first has a slot before the run is cut off.
    assertThat(figure(scene, patient, Figure.ATTEMPTS)).isEqualTo(1);
  }

  @Test
  void thePolicysOwnAttemptTimeoutComesBeforeTheClients() {
    Policy policy = Scene.calls(1, FULL_JITTER, new CallSettings(null, seconds(0.25), null, false));
    assertThat(figure(new Scene().fixed(0, 2).timeout(1), policy, Figure.LATENCY_P99))
        .isEqualTo(0.25);
  }

  @Test
  void noCallOutlivesTheDeadlineOfThePolicy() {
    Policy policy =
        Scene.calls(Policy.UNLIMITED, FULL_JITTER, new CallSettings(seconds(3), null, null, true));
    RunRecord record = record(new Scene().fixed(0, 0.5).failure(new Failure.Random(1)), policy);
    assertThat(record.figures().get(Figure.LATENCY_P99)).isBetween(1.0, 3.0);
    assertThat(record.figures().get(Figure.ATTEMPTS)).isBetween(3.0, 6.0);
  }

  @Test
  void hedgesCutTheLongestTimesAtThePriceOfAttempts() {
    Policy hedging =
        Scene.calls(
            2, FULL_JITTER, new CallSettings(null, null, new Hedging(seconds(0.3), 1), true));
    RunRecord with = record(new Scene().exponential(0, 0.1), hedging);
    RunRecord without = record(new Scene().exponential(0, 0.1), noRetry());
    // Of exponential times of mean 0.1 s, exp(-3) are longer than 0.3 s.
    assertThat(with.figures().get(Figure.ATTEMPTS)).isCloseTo(1 + Math.exp(-3), within(0.02));
    assertThat(with.figures().get(Figure.LATENCY_P99))
        .isLessThan(without.figures().get(Figure.LATENCY_P99));
    // A hedge that was outrun has not failed.
    assertThat(DoubleStream.of(series(with, Series.FAILURES)).sum()).isZero();
  }

  @Test
  void anAdaptivePolicySendsNoFasterThanTheServiceAccepts() {
    Scene scene = new Scene().clients(100).sharedBudget().closed(0.5).quota(50, 0.2, 0).warmUp(20);
    double standard = figure(scene, policy(StrategyKind.STANDARD), Figure.ATTEMPTS);
    double adaptive = figure(scene, policy(StrategyKind.ADAPTIVE), Figure.ATTEMPTS);
    assertThat(standard).isGreaterThan(1.8);
    assertThat(adaptive).isLessThan(1.2);
  }

  private static StrategyPolicy policy(StrategyKind kind) {
    return Scene.policy(
        kind,
        3,
        FULL_JITTER,
        new BudgetPolicy.Unlimited(),
        new CallSettings(null, null, null, true));
  }

  @Test
  void slotsBringEverybodyBackOnceAndAsFastAsTheQuotaAllows() {
    Scene scene = new Scene().herd(1000).quota(100, 0, 0).hint(new Hint.Slots());
    RunRecord record = record(scene, THREE);
    assertThat(record.figures())
        .containsEntry(Figure.SUCCESS, 1.0)
        .containsEntry(Figure.ATTEMPTS, 2 - 1 / 1000.0);
    // The jitter of the backoff may be longer than the hint of the first.
    assertThat(record.figures().get(Figure.LATENCY_P99)).isCloseTo(9.9, within(0.1));
  }

  @Test
  void slotsOutliveABrownOut() {
    Scene scene =
        new Scene()
            .herd(100)
            .quota(10, 0, 0)
            .hint(new Hint.Slots())
            .failure(new Failure.BrownOut(seconds(2), seconds(6), 0.5));
    RunRecord record = record(scene, THREE);
    assertThat(record.figures().get(Figure.ATTEMPTS)).isCloseTo(2, within(0.02));
    assertThat(record.figures().get(Figure.LATENCY_P99)).isCloseTo(11.8, within(0.2));
  }

  @Test
  void aFixedHintBringsEverybodyBackAtTheSameMoment() {
    Scene scene = new Scene().herd(100).quota(10, 0, 0).hint(new Hint.Fixed(seconds(5)));
    RunRecord record = record(scene, attempts(Policy.UNLIMITED, FULL_JITTER));
    // Each time one succeeds, and the next herd finds one acceptance again.
    assertThat(record.figures().get(Figure.ATTEMPTS)).isCloseTo(50.5, within(0.5));
    assertThat(record.figures().get(Figure.LATENCY_P99)).isCloseTo(490, within(0.1));
  }

  @Test
  void aUniformHintSpreadsThem() {
    Scene scene =
        new Scene().herd(100).quota(20, 0, 0).hint(new Hint.Uniform(seconds(5), seconds(25)));
    RunRecord record = record(scene, attempts(2, Backoff.none()));
    assertThat(record.figures().get(Figure.SUCCESS)).isBetween(0.7, 0.99);
    assertThat(record.figures().get(Figure.LATENCY_P99)).isBetween(20.0, 25.0);
  }

  @Test
  void aHintBeyondTheCeilingEndsTheCall() {
    Scene scene = new Scene().herd(10).quota(1, 0, 0).hint(new Hint.Fixed(Duration.ofHours(25)));
    assertThat(record(scene, THREE).figures())
        .containsEntry(Figure.STRANDED, 9.0)
        .containsEntry(Figure.ATTEMPTS, 1.0);
  }

  @Test
  void refusalsTakeTheirShareOfTheQuota() {
    // 100 a second come, C is 50 and k 0.5: g + 0.5 (100 - g) = 50 leaves nothing.
    Scene scene = new Scene().open(100).quota(50, 0, 0.5).warmUp(20);
    RunRecord record = record(scene, noRetry());
    assertThat(record.figures().get(Figure.SUCCESS)).isLessThan(0.1);
    // k 0.2: g + 0.2 (100 - g) = 50, g = 37.5.
    RunRecord cheaper = record(new Scene().open(100).quota(50, 1, 0.2).warmUp(20), noRetry());
    assertThat(cheaper.figures().get(Figure.SUCCESS)).isCloseTo(0.375, within(0.02));
    assertThat(cheaper.figures().get(Figure.GOODPUT)).isCloseTo(0.75, within(0.04));
    assertThat(cheaper.figures().get(Figure.WASTED_WORK)).isCloseTo(0.25, within(0.02));
  }

  @Test
  void aBurstIsSavedUpInQuietTimes() {
    assertThat(figure(new Scene().herd(1000).quota(100, 2, 0), noRetry(), Figure.SUCCESS))
        .isEqualTo(0.2);
  }

  @Test
  void aBoundedQueueRefusesWhatItHasNoRoomFor() {
    Scene scene = new Scene().herd(100).fixed(3, 1).queue(Order.FIFO, 17, false);
    RunRecord record = record(scene, noRetry());
    assertThat(record.figures().get(Figure.SUCCESS)).isEqualTo(0.2);
    assertThat(record.figures().get(Figure.LATENCY_P99)).isCloseTo(7, within(0.001));
  }

  @Test
  void inOverloadTheLastShouldBeServedFirst() {
    Scene fifo = new Scene().open(20).fixed(1, 0.1).timeout(1).warmUp(40);
    Scene lifo =
        new Scene()
            .open(20)
            .fixed(1, 0.1)
            .timeout(1)
            .warmUp(40)
            .queue(Order.LIFO, Integer.MAX_VALUE, false);
    assertThat(figure(fifo, noRetry(), Figure.SUCCESS)).isZero();
    assertThat(figure(fifo, noRetry(), Figure.WASTED_WORK)).isEqualTo(1);
    assertThat(figure(lifo, noRetry(), Figure.SUCCESS)).isGreaterThan(0.3);
  }

  @Test
  void aQueueThatDropsTheExpiredServesOnlyThoseWhoWait() {
    assertThat(figure(overloaded(), noRetry(), Figure.SUCCESS)).isBetween(0.05, 0.5);
    assertThat(figure(overloaded(), noRetry(), Figure.WASTED_WORK)).isLessThan(1);
  }

  @Test
  void inAnOutageNobodyGetsThroughAndAfterItEverybody() {
    Scene scene =
        new Scene()
            .open(40)
            .exponential(10, 0.01)
            .failure(new Failure.Outage(seconds(30), seconds(60), Failure.Zone.ALL));
    RunRecord record = record(scene, attempts(1000, FULL_JITTER));
    double[] successes = series(record, Series.SUCCESSES);
    assertThat(Arrays.stream(successes, 31, 60).sum()).isZero();
    assertThat(record.figures().get(Figure.SUCCESS)).isEqualTo(1);
    // The gap of 30 s in 100 s: 30² / 2 / 100.
    assertThat(record.figures().get(Figure.FELT_OUTAGE)).isCloseTo(4.5, within(0.2));
    assertThat(record.figures().get(Figure.PEAK_DURING_OUTAGE)).isGreaterThan(400);
    assertThat(record.figures().get(Figure.PEAK_AFTER_RECOVERY)).isGreaterThan(400);
  }

  @Test
  void anOutageOfAZoneHitsOnlyItsClients() {
    Scene scene =
        new Scene()
            .clients(300)
            .open(100)
            .failure(new Failure.Outage(seconds(0), seconds(100), new Failure.Zone(2, 3)));
    assertThat(figure(scene, noRetry(), Figure.SUCCESS)).isCloseTo(2 / 3.0, within(0.02));
  }

  @Test
  void aBrownOutSlowsServersAndQuotaDown() {
    Failure half = new Failure.BrownOut(seconds(0), seconds(200), 0.5);
    RunRecord servers = record(new Scene().herd(100).fixed(1, 1).failure(half), noRetry());
    assertThat(servers.figures().get(Figure.LATENCY_P99)).isCloseTo(99 * 2, within(0.001));
    RunRecord quota =
        record(new Scene().open(100).quota(50, 1, 0).failure(half).warmUp(10), noRetry());
    assertThat(quota.figures().get(Figure.SUCCESS)).isCloseTo(0.25, within(0.01));
    assertThat(quota.figures().get(Figure.GOODPUT)).isCloseTo(1, within(0.02));
    assertThat(series(quota, Series.CAPACITY)[50]).isCloseTo(25, within(1e-6));
  }

  @Test
  void workThatABrownOutInterruptsGoesOnAfterIt() {
    Scene scene =
        new Scene()
            .herd(1)
            .fixed(1, 10)
            .failure(new Failure.BrownOut(seconds(2), seconds(6), 0.5))
            .failure(new Failure.BrownOut(seconds(0), seconds(4), 0.5));
    // 2 s do 1 s of work, 2 s do half a second, 2 s do 1 s, and 7.5 s are left.
    assertThat(figure(scene, noRetry(), Figure.LATENCY_P99)).isCloseTo(13.5, within(0.001));
  }

  @Test
  void burstsFailTheirShareOfTheTime() {
    Scene scene =
        new Scene().open(200).failure(new Failure.Bursts(seconds(0.3), seconds(0.1), 0.8));
    assertThat(figure(scene, noRetry(), Figure.SUCCESS)).isCloseTo(0.8, within(0.02));
  }

  @Test
  void aTraceFailsWhatIsServedInItsIntervals() {
    Scene scene =
        new Scene()
            .open(100)
            .failure(
                new Failure.Trace(
                    List.of(
                        new Failure.Interval(seconds(10), seconds(20), 1),
                        new Failure.Interval(seconds(50), seconds(60), 0.5))));
    RunRecord record = record(scene, noRetry());
    assertThat(Arrays.stream(series(record, Series.SUCCESSES), 10, 20).sum()).isZero();
    assertThat(record.figures().get(Figure.SUCCESS)).isCloseTo(0.85, within(0.02));
  }

  @ParameterizedTest
  @CsvSource({"1, 0.1", "4, 0.5"})
  void clientsOfAClosedLoopCallAsOftenAsThinkingAndServingLetThem(double think, double serve) {
    Scene scene = new Scene().clients(200).closed(think).exponential(0, serve).warmUp(20);
    CallTally tally = scene.run(noRetry(), 1).tally;
    assertThat(tally.measuredBegun() / 80.0)
        .isCloseTo(200 / (think + serve), within(0.05 * 200 / (think + serve)));
  }

  @Test
  void aLoadWithStepsOffersEachForItsTime() {
    Scene scene =
        new Scene()
            .steps(
                new Step(seconds(0), 0),
                new Step(seconds(10), 100),
                new Step(seconds(20), 0),
                new Step(seconds(30), 50));
    double[] offered = series(record(scene.duration(40), noRetry()), Series.OFFERED);
    // Bins of 100 ms.
    assertThat(Arrays.stream(offered, 0, 100).sum()).isZero();
    assertThat(Arrays.stream(offered, 100, 200).sum() / 100).isCloseTo(100, within(10.0));
    assertThat(Arrays.stream(offered, 200, 300).sum()).isZero();
    assertThat(Arrays.stream(offered, 300, 400).sum() / 100).isCloseTo(50, within(8.0));
  }

  @Test
  void whatHappensInTheWarmUpIsNotMeasured() {
    Scene scene =
        new Scene()
            .open(100)
            .failure(new Failure.Trace(List.of(new Failure.Interval(seconds(0), seconds(9), 1))))
            .warmUp(10);
    CallTally tally = scene.run(THREE, 1).tally;
    assertThat(tally.measuredSuccesses()).isEqualTo(tally.measuredBegun());
    assertThat(tally.measuredBegun()).isLessThan(tally.begun());
    assertThat(tally.measuredAttempts()).isEqualTo(tally.measuredBegun());
  }

  @Test
  void clientsThatShareABudgetSpendItOnce() {
    BudgetPolicy five =
        new BudgetPolicy.TokenBucket(5, new TokenPrices(1000, 1000, 1000, 0, false), 0, 0);
    Policy policy = Scene.budget(3, FULL_JITTER, five);
    Scene alone = new Scene().clients(10).open(100).failure(new Failure.Random(1));
    Scene together =
        new Scene().clients(10).sharedBudget().open(100).failure(new Failure.Random(1));
    assertThat(retries(alone, policy)).isEqualTo(50);
    assertThat(retries(together, policy)).isEqualTo(5);
  }

  private static long retries(Scene scene, Policy policy) {
    CallTally tally = scene.run(policy, 1).tally;
    return tally.measuredAttempts() - tally.measuredBegun();
  }

  @Test
  void aLayerAnswersWithWhatItGaveUpOn() {
    Scene scene = new Scene().open(1).fixed(0, 5).layer(noRetry(), seconds(1)).timeout(3);
    // The layer's timeout is known to the client after 1 s; it tries 3 times without a delay.
    assertThat(figure(scene, attempts(3, Backoff.none()), Figure.LATENCY_P99)).isEqualTo(3);
    Scene refused = new Scene().herd(10).quota(1, 0, 0).layer(noRetry(), null);
    assertThat(figure(refused, Scene.calls(2, FULL_JITTER, CallSettings.NONE), Figure.ATTEMPTS))
        .isEqualTo(1.9);
  }

  @Tag("slow")
  @Test
  void aServiceThatFallsShortHasAHysteresis() {
    Step[] ramp = new Step[13];
    for (int i = 0; i < ramp.length; i++) {
      ramp[i] = new Step(seconds(20 * i), 150 - Math.abs(i - 6) * 20);
    }
    Scene metastable =
        new Scene().steps(ramp).timeout(0.5).exponential(2, 0.02).duration(20 * ramp.length);
    Scene dropping =
        new Scene()
            .steps(ramp)
            .timeout(0.5)
            .exponential(2, 0.02)
            .queue(Order.FIFO, 20, true)
            .duration(20 * ramp.length);
    assertThat(figure(metastable, attempts(4, Backoff.none()), Figure.HYSTERESIS))
        .isGreaterThan(40);
    assertThat(figure(dropping, noRetry(), Figure.HYSTERESIS)).isLessThanOrEqualTo(20);
    assertThat(record(busy(), THREE).figures()).doesNotContainKey(Figure.HYSTERESIS);
  }

  @Test
  void callsThatNeverEndAreCutOffAndStranded() {
    Scene scene = new Scene().open(1).failure(new Failure.Random(1)).duration(10);
    RunRecord record = record(scene, attempts(Policy.UNLIMITED, Backoff.fixed(seconds(10))));
    assertThat(record.figures())
        .containsEntry(Figure.LATENCY_P50, Double.POSITIVE_INFINITY)
        .containsEntry(Figure.SUCCESS, 0.0);
    assertThat(record.figures().get(Figure.STRANDED)).isGreaterThan(0);
  }

  @Tag("slow")
  @Test
  void attemptsWithoutEndAndWithoutTimeAreRefused() {
    Scene scene =
        new Scene()
            .clients(1)
            .closed(0)
            .fixed(1, 0.01)
            .hop(0.005)
            .failure(new Failure.Outage(seconds(0), seconds(1), Failure.Zone.ALL));
    assertThatThrownBy(() -> record(scene, attempts(Policy.UNLIMITED, Backoff.none())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at 0.0 s")
        .hasMessageEndingWith(
            "give the policy a delay or fewer attempts, or, where no outage makes them fail at"
                + " once, the model a hop or a service time");
  }

  @Test
  void slotsOfNoQuotaAreRefused() {
    assertThatThrownBy(() -> record(new Scene().hint(new Hint.Slots()), THREE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hint is slots: needs a quota, whose slots they are");
  }

  @Test
  void aRunEndsWhenItsThreadIsInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> record(new Scene().open(10_000), THREE))
          .isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
