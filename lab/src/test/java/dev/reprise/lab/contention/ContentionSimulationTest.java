package dev.reprise.lab.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ContentionSimulationTest {
  private static final Backoff FULL_JITTER =
      Backoff.exponential(Duration.ofMillis(10), Duration.ofSeconds(2)).withFullJitter();

  private static ContentionModel clients(int count) {
    return new ContentionModel(count, Duration.ofMillis(10), Duration.ofMillis(2));
  }

  private static Policy attempts(int most, Backoff backoff) {
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        most,
        backoff,
        backoff,
        new BudgetPolicy.Unlimited(),
        Duration.ZERO,
        false,
        false,
        CallSettings.NONE);
  }

  @Test
  void withoutScatterOneClientSucceedsInEveryRound() {
    ContentionModel model = new ContentionModel(10, Duration.ofMillis(10), Duration.ZERO);
    RunRecord record =
        ContentionSimulation.run(model, attempts(Policy.UNLIMITED, Backoff.none()), 1);
    assertThat(record.figures())
        .containsEntry(Figure.ATTEMPTS, 5.5)
        .containsEntry(Figure.SUCCESS, 1.0)
        .containsEntry(Figure.WASTED_WORK, 45 / 55.0)
        .containsEntry(Figure.DRAIN_P50, 0.2)
        .containsEntry(Figure.DRAIN_LAST, 0.4);
    assertThat(record.events()).isEqualTo(55);
  }

  @Test
  void theSameSeedGivesTheSame() {
    Policy policy = attempts(Policy.UNLIMITED, FULL_JITTER);
    RunRecord first = ContentionSimulation.run(clients(100), policy, 7);
    RunRecord again = ContentionSimulation.run(clients(100), policy, 7);
    RunRecord other = ContentionSimulation.run(clients(100), policy, 8);
    assertThat(again.figures()).isEqualTo(first.figures());
    assertThat(again.events()).isEqualTo(first.events());
    assertThat(other.figures()).isNotEqualTo(first.figures());
  }

  @Test
  void aPolicyWithALimitStrandsClients() {
    RunRecord record = ContentionSimulation.run(clients(100), attempts(3, FULL_JITTER), 1);
    assertThat(record.figures().get(Figure.STRANDED)).isGreaterThan(50);
    assertThat(record.figures().get(Figure.SUCCESS))
        .isCloseTo(1 - record.figures().get(Figure.STRANDED) / 100, within(1e-9));
    assertThat(record.figures())
        .containsEntry(Figure.DRAIN_LAST, Double.POSITIVE_INFINITY)
        .hasEntrySatisfying(
            Figure.ATTEMPTS, attempts -> assertThat(attempts).isLessThanOrEqualTo(3));
  }

  @Test
  void everyWriteIsASuccessOrAConflict() {
    RunRecord record =
        ContentionSimulation.run(clients(200), attempts(Policy.UNLIMITED, FULL_JITTER), 1);
    double writes = total(record, Series.ARRIVALS);
    assertThat(writes).isCloseTo(200 * record.figures().get(Figure.ATTEMPTS), within(1e-6));
    assertThat(total(record, Series.SUCCESSES)).isCloseTo(200, within(1e-6));
    assertThat(total(record, Series.FAILURES)).isCloseTo(writes - 200, within(1e-6));
    for (Distribution distribution : record.distributions()) {
      long counted = Arrays.stream(distribution.counts()).sum();
      assertThat(counted)
          .as(distribution.name())
          .isEqualTo(
              distribution.name().equals(Distribution.DELAYS) ? Math.round(writes) - 200 : 200);
    }
  }

  private static double total(RunRecord record, String name) {
    Series series =
        record.series().stream().filter(each -> each.name().equals(name)).findAny().orElseThrow();
    return Arrays.stream(series.values()).sum() * series.binSeconds();
  }
}
