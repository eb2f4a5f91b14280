package dev.reprise.lab.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.Failure.Interval;
import dev.reprise.lab.scenario.Failure.Outage;
import dev.reprise.lab.scenario.Failure.Zone;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActiveFailuresTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void anOutageBeginsAndEndsToTheNanosecondAndHitsItsZoneOnly() {
    ActiveFailures conditions =
        conditions(
            new Outage(Duration.ofSeconds(1), Duration.ofSeconds(3), new Zone(1, 2)),
            new Outage(Duration.ofSeconds(2), Duration.ofSeconds(3), Zone.ALL));

    conditions.moveTo(SECOND - 1);
    assertThat(conditions.isOut(99)).isFalse();
    conditions.moveTo(SECOND);
    assertThat(conditions.isOut(49)).isFalse();
    assertThat(conditions.isOut(50)).isTrue();
    conditions.moveTo(2 * SECOND);
    assertThat(conditions.isOut(49)).isTrue();
    conditions.moveTo(3 * SECOND);
    assertThat(conditions.isOut(50)).isFalse();
  }

  @Test
  void chancesAreThoseOfAllThatMayFailAtTheMoment() {
    ActiveFailures conditions =
        conditions(
            new Failure.Random(0.5),
            new Failure.Trace(
                List.of(
                    new Interval(Duration.ofSeconds(1), Duration.ofSeconds(2), 0.2),
                    new Interval(Duration.ofSeconds(2), Duration.ofSeconds(3), 1))));

    conditions.moveTo(0);
    assertThat(conditions.chance()).isEqualTo(0.5);
    conditions.moveTo(SECOND);
    assertThat(conditions.chance()).isCloseTo(0.6, within(1e-12));
    conditions.moveTo(2 * SECOND);
    assertThat(conditions.chance()).isEqualTo(1);
    conditions.moveTo(3 * SECOND);
    assertThat(conditions.chance()).isEqualTo(0.5);
  }

  @Test
  void badTimesTakeTheirShareWhereverTheyAreLookedAt() {
    Failure bursts = new Failure.Bursts(Duration.ofSeconds(3), Duration.ofSeconds(1), 1);
    ActiveFailures often = conditions(bursts);
    ActiveFailures seldom = conditions(bursts);
    int bad = 0;
    for (int i = 0; i < 400_000; i++) {
      long now = i * SECOND / 10;
      often.moveTo(now);
      bad += often.chance() == 1 ? 1 : 0;
      if (i % 1_000 == 0) {
        seldom.moveTo(now);
        assertThat(seldom.chance()).isEqualTo(often.chance());
      }
    }

    // 10,000 turns on average: a standard deviation of about 0.3 %.
    assertThat(bad / 400_000.0).isCloseTo(0.25, within(0.01));
  }

  private static ActiveFailures conditions(Failure... failures) {
    return new ActiveFailures(List.of(failures), 100, new CounterRandom(5));
  }
}
