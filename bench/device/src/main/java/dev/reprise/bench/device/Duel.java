package dev.reprise.bench.device;

import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import java.io.PrintStream;
import java.util.ArrayList;
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

  /** The messages that a broker can hold in memory: about 1 KB of its heap each. */
  private static final int MAX_BETWEEN_CLEANINGS = 200_000;

  /** Lets the broker be cleaned, outside the time that is measured. */
  interface Cleaning {
    void run() throws Exception;
  }

  private record Measured(double perSecond, double cpuMicros) {}

  /** Part of a measurement: the messages between two cleanings. */
  private record Piece(long sent, long nanos, long cpuNanos) {
    Piece plus(Piece next) {
      return new Piece(sent + next.sent, nanos + next.nanos, cpuNanos + next.cpuNanos);
    }
  }

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
    return Figures.median(ratios);
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
    long leastNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    Piece all = new Piece(0, 0, 0);
    while (all.nanos < leastNanos) {
      cleaning.run();
      all = all.plus(piece(publisher, leastNanos - all.nanos));
    }
    return new Measured(all.sent * 1e9 / all.nanos, all.cpuNanos / 1e3 / all.sent);
  }

  /** Sends for so long, or until the broker must be cleaned. */
  private Piece piece(Publisher publisher, long mostNanos) throws Exception {
    Semaphore free = new Semaphore(outstanding);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    long sent = 0;
    long cpuStart = Jvm.cpuNanos();
    long start = System.nanoTime();
    while (sent < MAX_BETWEEN_CLEANINGS && System.nanoTime() - start < mostNanos) {
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
    Piece piece = new Piece(sent, System.nanoTime() - start, Jvm.cpuNanos() - cpuStart);
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("a message was not acknowledged", thrown);
    }
    return piece;
  }

  private static void acquire(Semaphore free, int permits) throws InterruptedException {
    if (!free.tryAcquire(permits, 30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nothing was acknowledged for 30 s");
    }
  }
}
