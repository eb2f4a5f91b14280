package dev.reprise.core.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares the wheel, driven in nanoseconds, with a list that is sorted. */
class TimerWheelModelTest {
  private static final int STEPS = 400;

  private final List<Integer> ran = new ArrayList<>();

  /** A timeout that the model knows of; nanos count from the start. */
  private record Expected(int id, long addedNanos, long dueNanos, Timeout timeout) {}

  @Property(tries = 300)
  void agreesWithASortedList(@ForAll long startNanos, @ForAll long seed) {
    run(startNanos, new SplittableRandom(seed));
  }

  @Property(tries = 50)
  void agreesWithASortedListWhenTheClockWrapsAround(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    run(Long.MAX_VALUE - random.nextLong(1L << (1 + random.nextInt(45))), random);
  }

  private void run(long startNanos, SplittableRandom random) {
    Ticks ticks = new Ticks(startNanos);
    TimerWheel wheel = new TimerWheel();
    List<Expected> waiting = new ArrayList<>();
    long elapsed = 0;
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          long delay = anyDelay(random);
          int id = step;
          Timeout timeout = wheel.add(ticks.after(startNanos + elapsed, delay), () -> ran.add(id));
          long due = delay > Long.MAX_VALUE - elapsed ? Long.MAX_VALUE : elapsed + delay;
          waiting.add(new Expected(id, elapsed, due, timeout));
        }
        case 2 -> {
          if (!waiting.isEmpty()) {
            Expected cancelled = waiting.remove(random.nextInt(waiting.size()));
            assertThat(cancelled.timeout.cancel()).isTrue();
          }
        }
        default -> {
          elapsed +=
              random.nextBoolean()
                  ? untilNextVisit(wheel, ticks, startNanos + elapsed)
                  : random.nextLong(1L << (1 + random.nextInt(46)));
          advance(wheel, ticks, startNanos, elapsed, waiting);
        }
      }
    }
    assertThat(wheel.isEmpty()).isEqualTo(waiting.isEmpty());
  }

  /** From none to all of a long, each order of magnitude as likely as any other. */
  private static long anyDelay(SplittableRandom random) {
    int bits = random.nextInt(64);
    return bits == 63 ? Long.MAX_VALUE : random.nextLong(1L << bits);
  }

  /** What the timer's thread would sleep; nothing happens in between, so no timeout is missed. */
  private static long untilNextVisit(TimerWheel wheel, Ticks ticks, long nowNanos) {
    long tick = wheel.nextVisitTick();
    long nanos = tick == TimerWheel.NOTHING ? 0 : ticks.nanosUntil(tick, nowNanos);
    // Years in one leap would use up the clock in a few steps.
    return nanos > 1L << 55 ? 0 : Math.max(nanos, 0);
  }

  private void advance(
      TimerWheel wheel, Ticks ticks, long startNanos, long elapsed, List<Expected> waiting) {
    ran.clear();
    wheel.advanceTo(
        ticks.at(startNanos + elapsed),
        thrown -> {
          throw new AssertionError(thrown);
        });

    List<Expected> expired = waiting.stream().filter(it -> ran.contains(it.id)).toList();
    assertThat(ran).hasSameSizeAs(expired);
    for (Expected it : expired) {
      assertThat(it.dueNanos).as("never early").isLessThanOrEqualTo(elapsed);
      assertThat(it.timeout.cancel()).isFalse();
    }
    waiting.removeAll(expired);
    for (Expected it : waiting) {
      assertThat(it.dueNanos)
          .as("late by less than a tick")
          .isGreaterThan(elapsed - Ticks.NANOS_PER_TICK);
    }
    List<Long> dueTicks = new ArrayList<>();
    for (int id : ran) {
      Expected it = expired.stream().filter(e -> e.id == id).findFirst().orElseThrow();
      // What was added when its tick had begun runs first, as it came.
      long dueTick = ticks.after(startNanos + it.addedNanos, it.dueNanos - it.addedNanos);
      dueTicks.add(dueTick == ticks.at(startNanos + it.addedNanos) ? -1 : dueTick);
    }
    assertThat(dueTicks).isSortedAccordingTo(Comparator.naturalOrder());
  }
}
