package dev.reprise.lab.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Comparator;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EventWheelTest {
  private record Pending(long tick, long sequence) {}

  private static final Comparator<Pending> ORDER =
      Comparator.comparingLong(Pending::tick).thenComparingLong(Pending::sequence);

  /**
   * Distances of all sizes, many of them equal, so that ticks are shared and every level is used.
   */
  private static long distance(SplittableRandom random, int longestBits) {
    int bits = random.nextInt(longestBits + 1);
    long distance = random.nextLong() >>> (Long.SIZE - 1 - bits);
    return random.nextInt(4) == 0 ? distance & -64 : distance;
  }

  @Property(tries = 60)
  void theOrderIsThatOfAPriorityQueueByTickAndSequence(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 24) int longestBits) {
    SplittableRandom random = new SplittableRandom(seed);
    EventWheel wheel = new EventWheel();
    PriorityQueue<Pending> queue = new PriorityQueue<>(ORDER);
    long sequence = 0;
    for (int step = 0; step < 200; step++) {
      int added = random.nextInt(120);
      for (int i = 0; i < added; i++) {
        long at = wheel.tick() + distance(random, longestBits);
        wheel.add(at, sequence);
        queue.add(new Pending(at, sequence++));
      }
      int polled = random.nextInt(step < 150 ? 120 : 400);
      for (int i = 0; i < polled && !queue.isEmpty(); i++) {
        assertSameNext(wheel, queue);
        // What comes in at the tick that is being read comes after all of it.
        if (random.nextInt(8) == 0) {
          wheel.add(wheel.tick(), sequence);
          queue.add(new Pending(wheel.tick(), sequence++));
        }
      }
    }
    while (!queue.isEmpty()) {
      assertSameNext(wheel, queue);
    }
    assertThat(wheel.size()).isZero();
  }

  private static void assertSameNext(EventWheel wheel, PriorityQueue<Pending> queue) {
    assertThat(wheel.size()).isEqualTo(queue.size());
    Pending expected = queue.remove();
    long event = wheel.poll();
    if (event != expected.sequence() || wheel.tick() != expected.tick()) {
      throw new AssertionError(
          "polled " + event + " at " + wheel.tick() + " where " + expected + " was next");
    }
  }

  @Test
  void eventsOfAYearAwayComeInTurn() {
    EventWheel wheel = new EventWheel();
    wheel.add(EventWheel.TICKS - 1, 3);
    wheel.add(31_536_000_000L, 2);
    wheel.add(86_400_000, 1);
    assertThat(wheel.poll()).isEqualTo(1);
    assertThat(wheel.tick()).isEqualTo(86_400_000);
    assertThat(wheel.poll()).isEqualTo(2);
    assertThat(wheel.tick()).isEqualTo(31_536_000_000L);
    assertThat(wheel.poll()).isEqualTo(3);
    assertThat(wheel.tick()).isEqualTo(EventWheel.TICKS - 1);
  }

  @Test
  void manyEventsOfOneTickKeepTheirOrder() {
    EventWheel wheel = new EventWheel();
    for (int i = 0; i < 100_000; i++) {
      wheel.add(5_000, i);
    }
    for (int i = 0; i < 100_000; i++) {
      assertThat(wheel.poll()).isEqualTo(i);
    }
  }

  @Test
  void allBitsOfAnEventAreKept() {
    EventWheel wheel = new EventWheel();
    wheel.add(1, -1);
    wheel.add(100_000, Long.MIN_VALUE);
    assertThat(wheel.poll()).isEqualTo(-1);
    assertThat(wheel.poll()).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void whatIsPastOrTooFarIsRefusedByItsTick() {
    EventWheel wheel = new EventWheel();
    wheel.add(10, 0);
    wheel.poll();
    assertThatThrownBy(() -> wheel.add(9, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("at is 9: must be from the tick, which is 10, to before 34359738368");
    assertThatThrownBy(() -> wheel.add(EventWheel.TICKS, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(wheel::poll).isInstanceOf(NoSuchElementException.class);
  }
}
