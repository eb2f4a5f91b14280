package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long START = 1_700_000_000_000L;

  private long wallMillis = START;
  private long nanos = Long.MAX_VALUE - 2_000_000_000L; // nanoTime may wrap at any time

  /** By as much the machine was suspended. */
  private long suspendedMillis = 1;

  private final long originNanos = nanos;

  private SteadyClock clock(long floorMillis) {
    return new SteadyClock(
        () -> wallMillis,
        () -> nanos,
        () -> suspendedMillis + (nanos - originNanos) / 1_000_000,
        floorMillis);
  }

  private static void run(SteadyClock clock, SteadyClockTest time, int seconds) {
    for (int i = 0; i < seconds; i++) {
      long before = clock.tick();
      time.pass(1_000);
      // Half a second passes in each, at the least.
      assertThat(clock.tick()).isGreaterThanOrEqualTo(before + 499);
    }
  }

  @Test
  void aSlipOfSecondsNeverGetsIn() {
    for (long slip : List.of(3_000_000L, -3_000_000L, 10_000_000L)) {
      SteadyClock clock = clock(0);
      wallMillis += slip;
      run(clock, this, 6);
      wallMillis -= slip;
      run(clock, this, 200);
      assertThat(clock.epochMillis()).isEqualTo(wallMillis);
    }
  }

  @Test
  void aSlipOfMinutesIsOutInTwiceItsSize() {
    SteadyClock clock = clock(0);
    wallMillis += 300_000;
    run(clock, this, 200);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
    wallMillis -= 300_000;
    run(clock, this, 121);
    assertThat(clock.epochMillis()).isBetween(wallMillis + 299_000, wallMillis + 300_000);
    run(clock, this, 600);
    assertThat(clock.epochMillis()).isBetween(wallMillis, wallMillis + 1_000);
  }

  @Test
  void itSaysHowItDiffersWhileItDoesAndHowThatEnded() {
    SteadyClock clock = clock(0);
    run(clock, this, 5);
    assertThat(clock.state().differs()).isFalse();
    wallMillis += 3_000_000;
    run(clock, this, 6);
    assertThat(clock.state().text())
        .isEqualTo(
            "the service's clock is 3000.0 s behind the system's, for 5 s now; it follows if that"
                + " lasts for two minutes");
    wallMillis -= 3_000_000;
    run(clock, this, 1);
    assertThat(clock.state().differs()).isFalse();
    assertThat(clock.state().endText(0))
        .isEqualTo(
            "the service's clock and the system's agree again after 6 s; it was up to 3000.0 s"
                + " behind");
    // One that lasts gets in, and is given up once the clock was mended.
    wallMillis += 300_000;
    run(clock, this, 130);
    assertThat(clock.state().differs()).isFalse();
    assertThat(clock.state().endText(0))
        .isEqualTo(
            "the service's clock and the system's agree again after 120 s; it was up to 300.0 s"
                + " behind and was set ahead by 300.0 s");
    wallMillis -= 300_000;
    run(clock, this, 1);
    assertThat(clock.state().text())
        .isEqualTo(
            "the service's clock is 300.0 s ahead of the system's, for 0 s now; if that lasts for"
                + " two minutes, delivery goes at half speed until they agree");
    run(clock, this, 220);
    assertThat(clock.state().course()).isEqualTo(ClockState.Course.WAITS);
    assertThat(clock.state().text())
        .matches(
            "the service's clock is 2[45]\\d\\.\\d s ahead of the system's, for 220 s now; delivery"
                + " goes at half speed until they agree, in about (49|5\\d)\\d s");
    run(clock, this, 520);
    assertThat(clock.state().differs()).isFalse();
    assertThat(clock.state().endText(300_000)).endsWith("it was up to 300.0 s ahead");
  }

  @Test
  void aLeadThatAShardBringsAlongIsSaid() {
    SteadyClock clock = clock(0);
    run(clock, this, 130);
    clock.notBefore(wallMillis + 600_000);
    run(clock, this, 2);
    assertThat(clock.state().course()).isEqualTo(ClockState.Course.WAITS);
    clock.notBefore(wallMillis + 8_000_000);
    run(clock, this, 2);
    assertThat(clock.state().course()).isEqualTo(ClockState.Course.FAR);
    assertThat(clock.state().text()).contains("8000.0 s ahead", "--clock-from-system");
  }

  @Test
  void aStartThatIsAheadIsSaidBeforeTheFirstTurn() {
    ClockState state = clock(START + 1_200_000).state();
    assertThat(state.course()).isEqualTo(ClockState.Course.UNPROVEN);
    assertThat(state.aheadMillis()).isEqualTo(1_200_000);
  }

  @Test
  void aThreadThatStoodStillBetweenBothClocksSeesNoSlip() {
    AtomicBoolean stands = new AtomicBoolean();
    SteadyClock clock =
        new SteadyClock(
            () -> {
              if (stands.getAndSet(false)) {
                pass(5_000);
              }
              return wallMillis;
            },
            () -> nanos,
            0);
    pass(2_000);
    stands.set(true);
    assertThat(clock.state().differs()).isFalse();
    pass(2_000);
    assertThat(clock.state().differs()).isFalse();
  }

  @Test
  void whatDiffersByTurnsHasNotLasted() {
    SteadyClock clock = clock(0);
    for (int i = 0; i < 20; i++) {
      wallMillis += i % 2 == 0 ? 60_000 : -60_000;
      run(clock, this, 60);
    }
    assertThat(clock.epochMillis()).isEqualTo(START + 1_200_000);
  }

  @Test
  void anIdleClockGivesUpNoMoreThanItsLead() {
    SteadyClock clock = clock(START + 4_000);
    run(clock, this, 121);
    pass(60_000);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
    assertThat(clock.tick()).isEqualTo(wallMillis);
  }

  @Test
  void partsOfMillisecondsAreNotLost() {
    SteadyClock clock = clock(0);
    wallMillis += 500;
    for (int i = 0; i < 1_000; i++) {
      wallMillis += 1_000;
      nanos += 1_000_000_000L + (i % 2 == 0 ? 999_999 : -999_999);
      clock.tick();
    }
    assertThat(clock.epochMillis() - wallMillis).isBetween(-2L, 2L);
  }

  @Test
  void underAnySlipsItIsMonotoneAndRightAgainInTime() {
    Random random = new Random(43);
    for (int walk = 0; walk < 50; walk++) {
      SteadyClock clock = clock(0);
      long last = 0;
      long real = wallMillis;
      for (int i = 0; i < 2_000; i++) {
        if (random.nextInt(100) == 0) {
          wallMillis = real + random.nextLong(-1_800_000, 1_800_000);
        }
        long step = random.nextLong(1, 10_000);
        real += step;
        pass(step);
        long now = random.nextBoolean() ? clock.tick() : clock.epochMillis();
        assertThat(now).as("walk %s of seed 43", walk).isGreaterThanOrEqualTo(last);
        last = now;
      }
      // Once the wall clock stands right, for two minutes and twice the greatest lead.
      wallMillis = real;
      for (int i = 0; i < 125 + 2 * 3_600; i++) {
        pass(1_000);
        clock.tick();
      }
      assertThat(Math.abs(clock.epochMillis() - wallMillis)).isLessThanOrEqualTo(1_000);
    }
  }

  @Test
  void aStepWhileALeadIsGivenUpIsFollowedAsWell() {
    SteadyClock clock = clock(START + 3_000_000);
    run(clock, this, 200);
    wallMillis += 3_005_000;
    run(clock, this, 123);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void aSlipWhileALeadIsGivenUpCostsNoMoreThanItsTime() {
    SteadyClock clock = clock(START + 600_000);
    run(clock, this, 200);
    wallMillis -= 100_000;
    run(clock, this, 6);
    wallMillis += 100_000;
    run(clock, this, 121 + 2 * 600);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void aSuspensionIsTimeThatHasPassedOnceOnly() {
    SteadyClock clock = clock(START + 1_800_000);
    run(clock, this, 10);
    // Known by both, and it counts although the wall clock is behind.
    suspendedMillis += 1_800_000;
    wallMillis += 1_800_000;
    run(clock, this, 1);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis + 1_800_000);
    run(clock, this, 130 + 3_600);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
    // A later slip is none.
    wallMillis += 1_200_000;
    run(clock, this, 6);
    wallMillis -= 1_200_000;
    run(clock, this, 6);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void aTimeSinceTheStartThatJumpsByItselfIsNoSuspension() {
    SteadyClock clock = clock(0);
    run(clock, this, 5);
    suspendedMillis += 86_400_000;
    run(clock, this, 5);
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  private void pass(long millis) {
    wallMillis += millis;
    nanos += millis * 1_000_000;
  }

  @Test
  void showsWallTimeWhileTheClocksAgree() {
    SteadyClock clock = clock(0);
    for (int i = 1; i <= 10_000; i++) {
      pass(1);
      assertThat(clock.tick()).isEqualTo(START + i);
      assertThat(clock.epochMillis()).isEqualTo(START + i);
    }
  }

  @Test
  void goesOnWhenTheWallClockIsSetBackByAnHour() {
    SteadyClock clock = clock(0);
    pass(5_000);
    clock.tick();

    wallMillis -= 3_600_000;
    pass(10_000);

    assertThat(clock.tick()).isBetween(START + 14_900, START + 15_000);
  }

  @Test
  void neverRunsBackwardsWhileItLeansTowardsAWallClockThatIsBehind() {
    SteadyClock clock = clock(0);
    wallMillis -= 500;
    long last = clock.tick();
    for (int i = 0; i < 100_000; i++) {
      pass(7);
      long now = clock.tick();
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now;
    }
    assertThat(last - wallMillis).as("the lead has been given up").isBetween(0L, 1L);
  }

  @Test
  void followsAMachineThatWasSuspended() {
    SteadyClock clock = clock(0);
    pass(2_000);
    clock.tick();

    wallMillis += 1_800_000; // The monotonic clock stood still.
    suspendedMillis += 1_800_000;
    pass(1_000);

    assertThat(clock.tick()).isEqualTo(START + 1_803_000);
  }

  @Test
  void followsAClockThatIsHoursAheadOnlyIfItStaysSo() {
    SteadyClock clock = clock(0);
    wallMillis += 31_536_000_000L;
    for (int i = 0; i < 90; i++) {
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).as("a slip of 90 seconds").isEqualTo(START + 90_000);
    for (int i = 0; i < 31; i++) {
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void anIdleServiceFollowsByTimeAndNotByTurns() {
    SteadyClock clock = clock(0);
    clock.tick();
    wallMillis += 3 * 3_600_000L;
    for (int turn = 0; turn < 13; turn++) {
      pass(10_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void twoShortSlipsAreNotALongOne() {
    SteadyClock clock = clock(0);
    for (int slip = 0; slip < 2; slip++) {
      wallMillis += 3 * 3_600_000L;
      for (int i = 0; i < 90; i++) {
        pass(1_000);
        clock.tick();
      }
      wallMillis -= 3 * 3_600_000L;
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(START + 182_000);
  }

  @Test
  void manyThreadsThatTickNeverSeeItRunBackwards() throws Exception {
    SteadyClock clock =
        new SteadyClock(() -> System.currentTimeMillis() - 5_000, System::nanoTime, 0);
    AtomicBoolean backwards = new AtomicBoolean();
    Thread[] threads = new Thread[3];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(
              () -> {
                long last = 0;
                for (int n = 0; n < 200_000; n++) {
                  long now = clock.tick();
                  backwards.compareAndSet(false, now < last);
                  last = now;
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(backwards).isFalse();
  }

  @Test
  void leansTowardsAWallClockThatIsALittleAhead() {
    SteadyClock clock = clock(0);
    wallMillis += 30;
    for (int i = 0; i < 60; i++) {
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void beginsNoEarlierThanWhatWasStored() {
    assertThat(clock(START + 3_600_000).epochMillis()).isEqualTo(START + 3_600_000);
    assertThat(clock(START - 3_600_000).epochMillis()).isEqualTo(START);
  }
}
