package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long START = 1_700_000_000_000L;

  private long wallMillis = START;
  private long nanos = Long.MAX_VALUE - 2_000_000_000L; // nanoTime may wrap at any time

  private SteadyClock clock(long floorMillis) {
    return new SteadyClock(() -> wallMillis, () -> nanos, floorMillis);
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
    pass(1_000);

    assertThat(clock.tick()).isEqualTo(START + 1_803_000);
  }

  @Test
  void followsAClockThatIsHoursAheadOnlyIfItStaysSo() {
    SteadyClock clock = clock(0);
    wallMillis += 31_536_000_000L;
    for (int i = 0; i < 30; i++) {
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).as("a slip of half a minute").isEqualTo(START + 30_000);
    for (int i = 0; i < 31; i++) {
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void anIdleServiceFollowsWithinAMinuteOfTimeAndNotOfTurns() {
    SteadyClock clock = clock(0);
    clock.tick();
    wallMillis += 3 * 3_600_000L; // The machine was suspended.
    for (int turn = 0; turn < 7; turn++) {
      pass(10_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(wallMillis);
  }

  @Test
  void twoSlipsOfHalfAMinuteAreNotOneOfAMinute() {
    SteadyClock clock = clock(0);
    for (int slip = 0; slip < 2; slip++) {
      wallMillis += 3 * 3_600_000L;
      for (int i = 0; i < 40; i++) {
        pass(1_000);
        clock.tick();
      }
      wallMillis -= 3 * 3_600_000L;
      pass(1_000);
      clock.tick();
    }
    assertThat(clock.epochMillis()).isEqualTo(START + 82_000);
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
