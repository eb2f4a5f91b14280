package dev.reprise.bench.endpoints;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestContext;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Messages a second of a carrier beside those of the bare library that it stands on, in turns, with
 * the same server, the same messages and as many of them under way.
 */
abstract class CarrierRate implements Benchmark {
  private static final int WARM_UP_ROUNDS = 3;

  private final String name;
  private final int messages;

  /**
   * A comparison.
   *
   * @param messages in a round, about two seconds' worth
   */
  CarrierRate(String name, int messages) {
    this.name = name;
    this.messages = messages;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String goal() {
    return ">=0.70";
  }

  /** Empties the server between rounds, outside the time that is measured. */
  interface Cleaning {
    void run() throws Exception;
  }

  /** Measures both, and returns the figures of the last line. */
  final String compare(
      Effort effort, PrintStream out, Contender carrier, Contender bare, Cleaning cleaning)
      throws Exception {
    int rounds = effort == Effort.QUICK ? 3 : 11;
    double[] ours = new double[rounds];
    double[] theirs = new double[rounds];
    double[] ratios = new double[rounds];
    out.printf(
        Locale.ROOT, "%-8s %14s %14s %8s%n", "round", "bare msg/s", "carrier msg/s", "ratio");
    for (int i = -WARM_UP_ROUNDS; i < rounds; i++) {
      boolean bareFirst = i % 2 == 0;
      double first = rate(bareFirst ? bare : carrier, cleaning);
      double second = rate(bareFirst ? carrier : bare, cleaning);
      if (i >= 0) {
        theirs[i] = bareFirst ? first : second;
        ours[i] = bareFirst ? second : first;
        ratios[i] = ours[i] / theirs[i];
        row(out, "" + (i + 1), theirs[i], ours[i], ratios[i]);
      }
    }
    double ratio = Figures.median(ratios);
    row(out, "median", Figures.median(theirs), Figures.median(ours), ratio);
    return Figures.ratio(ratio);
  }

  private static void row(PrintStream out, String name, double theirs, double ours, double ratio) {
    out.printf(Locale.ROOT, "%-8s %14.0f %14.0f %8.2f%n", name, theirs, ours, ratio);
  }

  private double rate(Contender contender, Cleaning cleaning) throws Exception {
    long start = System.nanoTime();
    contender.send(messages);
    double rate = messages * 1e9 / (System.nanoTime() - start);
    cleaning.run();
    return rate;
  }

  /** Opens a carrier as the service does. */
  static <S> Carrier open(CarrierType<S> type, String settings, TestContext context) {
    return type.open(CarrierCalls.settings(type, settings), context);
  }

  /** The carrier as a contender, with this many attempts under way. */
  static Contender sending(Carrier carrier, int window, Supplier<CarrierAttempt> attempts) {
    return count -> {
      Semaphore free = new Semaphore(window);
      AtomicReference<String> failure = new AtomicReference<>();
      for (int i = 0; i < count; i++) {
        acquire(free, 1);
        carrier.send(
            attempts.get(),
            outcome -> {
              if (!outcome.succeeded()) {
                failure.set(outcome.summary());
              }
              free.release();
            });
      }
      acquire(free, window);
      if (failure.get() != null) {
        throw new IllegalStateException("a message was not taken: " + failure.get());
      }
    };
  }

  /** Takes permits, which come back within half a minute where anything is taken at all. */
  static void acquire(Semaphore free, int permits) throws InterruptedException {
    if (!free.tryAcquire(permits, 30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nothing was taken for 30 s");
    }
  }
}
