package dev.reprise.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class VirtualClockTest {
  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  @Test
  void standsStillUntilTold() {
    VirtualClock clock = new VirtualClock(5, START);

    assertThat(clock.nanoTime()).isEqualTo(5);
    assertThat(clock.wallMillis()).isEqualTo(START.toEpochMilli());
    assertThat(clock.elapsedNanos()).isZero();
  }

  @Test
  void bothTimesPassTogetherAndNoFractionIsLost() {
    VirtualClock clock = new VirtualClock(0, START);

    for (int i = 0; i < 1000; i++) {
      clock.advanceNanos(1_001);
    }

    assertThat(clock.nanoTime()).isEqualTo(1_001_000);
    assertThat(clock.wallMillis()).isEqualTo(START.toEpochMilli() + 1);
  }

  @Test
  void wallTimeIsSetBackWithoutTheMonotonicNoticing() {
    VirtualClock clock = new VirtualClock(0, START);
    clock.advance(Duration.ofSeconds(10));

    clock.shiftWall(Duration.ofHours(-1));

    assertThat(clock.nanoTime()).isEqualTo(10_000_000_000L);
    assertThat(clock.wallMillis()).isEqualTo(START.plusSeconds(10 - 3600).toEpochMilli());

    clock.setWall(START);
    clock.advance(Duration.ofSeconds(1));

    assertThat(clock.wallMillis()).isEqualTo(START.plusSeconds(1).toEpochMilli());
    assertThat(clock.elapsedNanos()).isEqualTo(11_000_000_000L);
  }

  @Test
  void monotonicTimeWrapsAroundAndDifferencesStayRight() {
    VirtualClock clock = new VirtualClock(Long.MAX_VALUE - 10, START);
    long before = clock.nanoTime();

    clock.advanceNanos(25);

    assertThat(clock.nanoTime()).isNegative();
    assertThat(clock.nanoTime() - before).isEqualTo(25);
    assertThat(clock.elapsedNanos()).isEqualTo(25);
  }

  @Test
  void timeDoesNotRunBackwardsOrOut() {
    VirtualClock clock = new VirtualClock();
    clock.advanceNanos(Long.MAX_VALUE);

    assertThatThrownBy(() -> clock.advanceNanos(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("nanos is -1: time does not run backwards");
    assertThatThrownBy(() -> clock.advanceNanos(1)).isInstanceOf(ArithmeticException.class);
    assertThat(clock.elapsedNanos()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void wallClockMovesAlong() {
    VirtualClock clock = new VirtualClock(0, START);
    Clock wall = clock.wallClock();
    Clock elsewhere = wall.withZone(ZoneId.of("Asia/Tokyo"));

    clock.advance(Duration.ofMinutes(1));

    assertThat(wall.instant()).isEqualTo(START.plusSeconds(60));
    assertThat(elsewhere.instant()).isEqualTo(START.plusSeconds(60));
    assertThat(elsewhere.getZone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
  }
}
