package dev.reprise.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VirtualSchedulerTest {
  private final VirtualClock clock = new VirtualClock();
  private final VirtualScheduler scheduler = new VirtualScheduler(clock);
  private final List<String> ran = new ArrayList<>();

  private Runnable log(String name) {
    return () -> ran.add(name + "@" + clock.elapsedNanos());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE, Long.MAX_VALUE - 20, Long.MIN_VALUE, -15})
  void tasksRunByDueTimeThenInOrderWhereverNanoTimeStarts(long startNanos) {
    VirtualClock anyClock = new VirtualClock(startNanos, Instant.EPOCH);
    VirtualScheduler anyScheduler = new VirtualScheduler(anyClock);
    List<String> order = new ArrayList<>();
    anyScheduler.scheduleNanos(30, () -> order.add("c@" + (anyClock.nanoTime() - startNanos)));
    anyScheduler.scheduleNanos(10, () -> order.add("a1@" + (anyClock.nanoTime() - startNanos)));
    anyScheduler.scheduleNanos(20, () -> order.add("b@" + (anyClock.nanoTime() - startNanos)));
    anyScheduler.scheduleNanos(10, () -> order.add("a2@" + (anyClock.nanoTime() - startNanos)));
    anyScheduler.scheduleNanos(10, () -> order.add("a3@" + (anyClock.nanoTime() - startNanos)));

    assertThat(anyScheduler.runUntilIdle(5)).isEqualTo(5);

    assertThat(order).containsExactly("a1@10", "a2@10", "a3@10", "b@20", "c@30");
  }

  @Test
  void manyTasksOfOneTimeKeepTheirOrder() {
    List<Integer> order = new ArrayList<>();
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      int number = i;
      expected.add(i);
      scheduler.scheduleNanos(7, () -> order.add(number));
    }

    scheduler.runUntilIdle(1000);

    assertThat(order).isEqualTo(expected);
  }

  @Test
  void advanceRunsWhatIsDueAndLeavesTheRest() {
    scheduler.scheduleNanos(10, log("due"));
    scheduler.scheduleNanos(11, log("later"));

    assertThat(scheduler.advance(Duration.ofNanos(10))).isEqualTo(1);

    assertThat(ran).containsExactly("due@10");
    assertThat(clock.elapsedNanos()).isEqualTo(10);
    assertThat(scheduler.pending()).isEqualTo(1);

    assertThat(scheduler.advance(Duration.ofNanos(5))).isEqualTo(1);
    assertThat(ran).containsExactly("due@10", "later@11");
    assertThat(clock.elapsedNanos()).isEqualTo(15);
  }

  @Test
  void tasksScheduleTasksWithinTheSameAdvance() {
    scheduler.scheduleNanos(
        10,
        () -> {
          log("first").run();
          scheduler.scheduleNanos(0, log("at once"));
          scheduler.scheduleNanos(5, log("soon"));
          scheduler.scheduleNanos(50, log("too late"));
        });
    scheduler.scheduleNanos(10, log("second"));

    scheduler.advance(Duration.ofNanos(20));

    assertThat(ran).containsExactly("first@10", "second@10", "at once@10", "soon@15");
    assertThat(scheduler.pending()).isEqualTo(1);
  }

  @Test
  void cancelledTasksDoNotRun() {
    VirtualScheduler.Task cancelled = scheduler.scheduleNanos(10, log("cancelled"));
    VirtualScheduler.Task kept = scheduler.scheduleNanos(10, log("kept"));

    assertThat(cancelled.cancel()).isTrue();
    assertThat(cancelled.cancel()).isFalse();
    scheduler.runUntilIdle(10);

    assertThat(ran).containsExactly("kept@10");
    assertThat(kept.cancel()).isFalse();
  }

  @Test
  void taskMayCancelItsNeighbour() {
    List<VirtualScheduler.Task> neighbours = new ArrayList<>();
    scheduler.scheduleNanos(10, () -> assertThat(neighbours.get(0).cancel()).isTrue());
    neighbours.add(scheduler.scheduleNanos(10, log("neighbour")));

    assertThat(scheduler.runUntilIdle(10)).isEqualTo(1);
    assertThat(ran).isEmpty();
  }

  @Test
  void settingWallTimeMovesNoTask() {
    scheduler.schedule(Duration.ofSeconds(10), log("task"));
    clock.shiftWall(Duration.ofHours(1));

    assertThat(scheduler.advance(Duration.ofSeconds(9))).isZero();
    clock.shiftWall(Duration.ofHours(-2));

    assertThat(scheduler.advance(Duration.ofSeconds(1))).isEqualTo(1);
  }

  @Test
  void taskThatIsOverdueRunsLateNotInThePast() {
    scheduler.scheduleNanos(10, log("overdue"));
    clock.advanceNanos(25);

    assertThat(scheduler.advance(Duration.ZERO)).isEqualTo(1);

    assertThat(ran).containsExactly("overdue@25");
  }

  @Test
  void failureOfATaskSurfacesAndTheRestStays() {
    scheduler.scheduleNanos(
        10,
        () -> {
          throw new IllegalStateException("broken");
        });
    scheduler.scheduleNanos(20, log("after"));

    assertThatThrownBy(() -> scheduler.runUntilIdle(10)).hasMessage("broken");
    assertThat(clock.elapsedNanos()).isEqualTo(10);
    assertThat(scheduler.runUntilIdle(10)).isEqualTo(1);
    assertThat(ran).containsExactly("after@20");
  }

  @Test
  void endlessTasksEndTheTest() {
    Runnable[] forever = new Runnable[1];
    forever[0] = () -> scheduler.scheduleNanos(1, forever[0]);
    forever[0].run();

    assertThatThrownBy(() -> scheduler.runUntilIdle(100))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("1 tasks are left after 100 ran: not idle, elapsed PT0.0000001S");
  }

  @Test
  void taskOfTheFarFutureWaitsForTheEndOfTime() {
    clock.advanceNanos(1000);
    scheduler.scheduleNanos(Long.MAX_VALUE, log("end"));

    assertThat(scheduler.advance(Duration.ofDays(36_500))).isZero();
    assertThat(scheduler.runUntilIdle(1)).isEqualTo(1);
    assertThat(ran).containsExactly("end@" + Long.MAX_VALUE);
  }

  @Test
  void misuseIsNamed() {
    assertThatThrownBy(() -> scheduler.scheduleNanos(-1, log("never")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("delayNanos is -1: must be >= 0");
    assertThatThrownBy(() -> scheduler.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    scheduler.scheduleNanos(0, () -> scheduler.advance(Duration.ZERO));
    assertThatThrownBy(() -> scheduler.runUntilIdle(5))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a task cannot run tasks: schedule them instead");
  }
}
