package dev.reprise.core.timer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TicksTest {
  private static final long TICK = Ticks.NANOS_PER_TICK;

  @ParameterizedTest
  @ValueSource(longs = {0, 12_345, -1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 10})
  void aDeadlineIsRoundedUpAndTheTimeDown(long start) {
    Ticks ticks = new Ticks(start);

    assertThat(ticks.at(start)).isEqualTo(0);
    assertThat(ticks.at(start + TICK - 1)).isEqualTo(0);
    assertThat(ticks.at(start + TICK)).isEqualTo(1);
    assertThat(ticks.after(start, 1)).isEqualTo(1);
    assertThat(ticks.after(start, TICK)).isEqualTo(1);
    assertThat(ticks.after(start, TICK + 1)).isEqualTo(2);
    assertThat(ticks.after(start + 1, TICK)).isEqualTo(2);
    assertThat(ticks.nanosUntil(2, start + 5)).isEqualTo(2 * TICK - 5);
    assertThat(ticks.nanosUntil(2, start + 3 * TICK)).isEqualTo(-TICK);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE, Long.MIN_VALUE})
  void whatNeedNotWaitIsDueInTheTickThatHasBegun(long start) {
    Ticks ticks = new Ticks(start);

    assertThat(ticks.after(start + 7 * TICK + 5, 0)).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, TICK, Long.MAX_VALUE / 2, Long.MAX_VALUE - 1})
  void theLongestDelaysSaturate(long elapsed) {
    Ticks ticks = new Ticks(Long.MAX_VALUE - 5);

    long tick = ticks.after(Long.MAX_VALUE - 5 + elapsed, Long.MAX_VALUE);

    assertThat(tick).isEqualTo(Long.MAX_VALUE / TICK);
    assertThat(ticks.nanosUntil(tick, Long.MAX_VALUE - 5 + elapsed))
        .isGreaterThan(Long.MAX_VALUE - elapsed - TICK - 1);
  }
}
