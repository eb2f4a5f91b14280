package dev.reprise.bench.device;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Two publishers in turns, one thread each time, on the same broker in the same run: A B, B A, … so
 * that what else happens on the machine hits both.
 *
 * @param outstanding how many messages may be offered and not acknowledged at a time
 */
record Duel(int outstanding, Effort effort, PrintStream out) {
  private static final byte[] BODY = new byte[128];

  /** Lets the broker be cleaned between two measurements. */
  interface Cleaning {
    void run() throws Exception;
  }

  private record Measured(double perSecond, double cpuMicros) {}

  /** Returns the median of the rounds' ratios: ours to bare. */
  double run(Publisher bare, Publisher ours, Cleaning cleaning) throws Exception {
    int rounds = effort == Effort.QUICK ? 5 : 11;
    long roundMillis = effort == Effort.QUICK ? 1_500 : 5_000;
    long warmMillis = effort == Effort.QUICK ? 4_000 : 15_000;
    for (Publisher publisher : List.of(bare, ours, bare, ours)) {
      measure(publisher, warmMillis / 2, cleaning);
    }
    List<Measured> bareRounds = new ArrayList<>();
    List<Measured> ourRounds = new ArrayList<>();
    out.printf(
        Locale.ROOT,
        "%-8s %12s %12s %16s %16s %8s%n",
        "round",
        "bare msg/s",
        "ours msg/s",
        "bare cpu us/msg",
        "ours cpu us/msg",
        "ratio");
    for (int round = 1; round <= rounds; round++) {
      boolean bareFirst = round % 2 == 1;
      if (bareFirst) {
        bareRounds.add(measure(bare, roundMillis, cleaning));
      }
      ourRounds.add(measure(ours, roundMillis, cleaning));
      if (!bareFirst) {
        bareRounds.add(measure(bare, roundMillis, cleaning));
      }
      row("" + round, bareRounds.get(round - 1), ourRounds.get(round - 1));
    }
    row("median", median(bareRounds), median(ourRounds));
    double[] ratios = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      ratios[i] = ourRounds.get(i).perSecond / bareRounds.get(i).perSecond;
    }
    return Figures.median(Arrays.stream(ratios));
  }

  private void row(String name, Measured bare, Measured ours) {
    out.printf(
        Locale.ROOT,
        "%-8s %12.0f %12.0f %16.1f %16.1f %8.2f%n",
        name,
        bare.perSecond,
        ours.perSecond,
        bare.cpuMicros,
        ours.cpuMicros,
        ours.perSecond / bare.perSecond);
  }

  private static Measured median(List<Measured> rounds) {
    return new Measured(
        Figures.median(rounds.stream().mapToDouble(Measured::perSecond)),
        Figures.median(rounds.stream().mapToDouble(Measured::cpuMicros)));
  }

  private Measured measure(Publisher publisher, long millis, Cleaning cleaning) throws Exception {
    cleaning.run();
    Semaphore free = new Semaphore(outstanding);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    long sent = 0;
    long cpuStart = Jvm.cpuNanos();
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() - end < 0) {
      acquire(free, 1);
      sent++;
      var unused =
          publisher
              .send(BODY)
              .whenComplete(
                  (outcome, thrown) -> {
                    if (thrown != null) {
                      failure.set(thrown);
                    }
                    free.release();
                  });
    }
    acquire(free, outstanding);
    double seconds = (System.nanoTime() - start) / 1e9;
    double cpuMicros = (Jvm.cpuNanos() - cpuStart) / 1e3 / sent;
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("a message was not acknowledged", thrown);
    }
    return new Measured(sent / seconds, cpuMicros);
  }

  private static void acquire(Semaphore free, int permits) throws InterruptedException {
    if (!free.tryAcquire(permits, 30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nothing was acknowledged for 30 s");
    }
  }
}
