package dev.reprise.bench.lab;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventWheel;
import java.io.PrintStream;
import java.util.Locale;
import java.util.PriorityQueue;

/**
 * The hold model: with a million events pending, the next one is taken and comes back after a delay
 * of full jitter, drawn in a window of 1, 2, … 64 s. Both sides draw the same delays, take turns in
 * the same run, and must take the same events in the same order.
 */
final class Hold implements Benchmark {
  private static final int PENDING = 1_000_000;
  private static final int STEPS = 4_000_000;
  private static final int WINDOWS = 7;
  private static final int FIRST_WINDOW_TICKS = 1_000;

  @Override
  public String name() {
    return "hold";
  }

  @Override
  public String goal() {
    return ">=5.00";
  }

  @Override
  public String run(Effort effort, PrintStream out) {
    int rounds = effort == Effort.QUICK ? 1 : 5;
    int steps = effort == Effort.QUICK ? STEPS / 8 : STEPS;
    Side wheel = new Wheel();
    Side queue = new Queue();
    double[] ratios = new double[rounds];
    out.printf(
        Locale.ROOT,
        "%-8s %18s %18s %8s%n",
        "round",
        "queue M events/s",
        "wheel M events/s",
        "ratio");
    // Round 0 is for compiling.
    for (int round = 0; round <= rounds; round++) {
      double queueSeconds = Measured.of(() -> queue.hold(steps)).cpuSeconds();
      double wheelSeconds = Measured.of(() -> wheel.hold(steps)).cpuSeconds();
      if (queue.checksum != wheel.checksum) {
        throw new IllegalStateException("the two sides took different events");
      }
      if (round > 0) {
        ratios[round - 1] = queueSeconds / wheelSeconds;
      }
      out.printf(
          Locale.ROOT,
          "%-8s %18.2f %18.2f %8.2f%n",
          round == 0 ? "cold" : "" + round,
          steps / queueSeconds / 1e6,
          steps / wheelSeconds / 1e6,
          queueSeconds / wheelSeconds);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  /** One set of pending events, which stays as it is between rounds. */
  private abstract static class Side {
    private final CounterRandom random = new CounterRandom(1);
    long checksum;

    abstract void hold(int steps);

    /** Draws a delay for an event that has come so often. */
    final long delay(long event, long times) {
      CounterRandom draws = random.at(event, times);
      int window = (int) ((draws.nextLong() >>> 1) % WINDOWS);
      return 1 + (long) (draws.nextDouble() * ((long) FIRST_WINDOW_TICKS << window));
    }

    final void took(long event, long tick) {
      checksum = 31 * checksum + (event ^ tick);
    }
  }

  private static final class Wheel extends Side {
    private static final int TIMES_BITS = 32;
    private final EventWheel wheel = new EventWheel();

    Wheel() {
      for (long event = 0; event < PENDING; event++) {
        wheel.add(delay(event, 0), event << TIMES_BITS);
      }
    }

    @Override
    void hold(int steps) {
      for (int i = 0; i < steps; i++) {
        long packed = wheel.poll() + 1;
        long event = packed >>> TIMES_BITS;
        took(event, wheel.tick());
        long times = packed & ((1L << TIMES_BITS) - 1);
        wheel.add(wheel.tick() + delay(event, times), packed);
      }
    }
  }

  private static final class Queue extends Side {
    /** Compares by itself, which is faster than a comparator. */
    private static final class Event implements Comparable<Event> {
      private final long number;
      private long tick;
      private long order;
      private long times;

      Event(long number) {
        this.number = number;
      }

      @Override
      public int compareTo(Event other) {
        return tick == other.tick
            ? Long.compare(order, other.order)
            : Long.compare(tick, other.tick);
      }
    }

    private final PriorityQueue<Event> queue = new PriorityQueue<>(PENDING);
    private long added;

    Queue() {
      for (long number = 0; number < PENDING; number++) {
        Event event = new Event(number);
        event.tick = delay(number, 0);
        event.order = added++;
        queue.add(event);
      }
    }

    @Override
    void hold(int steps) {
      for (int i = 0; i < steps; i++) {
        Event event = queue.remove();
        took(event.number, event.tick);
        event.times++;
        event.tick += delay(event.number, event.times);
        event.order = added++;
        queue.add(event);
      }
    }
  }
}
