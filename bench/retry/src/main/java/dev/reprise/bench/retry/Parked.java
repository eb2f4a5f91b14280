package dev.reprise.bench.retry;

import com.sun.management.ThreadMXBean;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.retry.peer.AsyncCalls;
import dev.reprise.bench.retry.peer.AsyncLoop;
import dev.reprise.bench.retry.peer.AsyncWork;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Parks retries of one loop, in a JVM that nothing else runs in. Arguments: what to measure, the
 * loop, how many calls. Prints the numbers of what is measured.
 */
final class Parked {
  private static final Duration BRIEF = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofHours(1);
  private static final int WARM_UPS = 8;
  private static final int ROUNDS = 7;
  private static final int LOOKS = 20;

  private Parked() {}

  enum What {
    /** Thousands of calls per second, and bytes retained and allocated for each. */
    WAIT,
    /** Milliseconds to cancel all calls, and bytes then still retained for each. */
    CANCEL
  }

  public static void main(String[] args) throws InterruptedException, ExecutionException {
    AsyncLoop loop = AsyncLoop.valueOf(args[1]);
    int calls = Integer.parseInt(args[2]);
    double[] figures =
        switch (What.valueOf(args[0])) {
          case WAIT ->
              new double[] {
                kiloCallsPerSecond(loop, calls, WARM_UPS, ROUNDS),
                retainedBytes(loop, calls),
                allocatedBytes(loop, calls)
              };
          case CANCEL -> {
            cancel(loop, Math.max(1, calls / 10)); // Compiles what is measured next.
            yield cancel(loop, calls);
          }
        };
    System.out.println(
        Arrays.stream(figures)
            .mapToObj(figure -> String.format(Locale.ROOT, "%.3f", figure))
            .collect(Collectors.joining(" ")));
    System.exit(0); // Timers of peers may still run.
  }

  /** Measures from the start of the first call to the end of the last one, their delay included. */
  static double kiloCallsPerSecond(AsyncLoop loop, int calls, int warmUps, int rounds)
      throws InterruptedException, ExecutionException {
    double[] measured = new double[rounds];
    Object[] parked = new Object[calls];
    try (AsyncCalls opened = loop.open(AsyncWork.failingOnThisThread(), BRIEF)) {
      for (int round = -warmUps; round < rounds; round++) {
        Arrays.fill(parked, null);
        System.gc();
        long start = System.nanoTime();
        parkAndJoin(opened, parked);
        double millis = (System.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
        if (round >= 0) {
          measured[round] = calls / millis;
        }
      }
    }
    return Figures.median(Arrays.stream(measured));
  }

  private static void parkAndJoin(AsyncCalls opened, Object[] parked)
      throws InterruptedException, ExecutionException {
    park(opened, parked);
    for (Object call : parked) {
      if (!AsyncWork.RESULT.equals(opened.join(call))) {
        throw new IllegalStateException("a call returned something else");
      }
    }
  }

  /** Returns what all threads allocate for a call, from its start to its end. */
  private static double allocatedBytes(AsyncLoop loop, int calls)
      throws InterruptedException, ExecutionException {
    Object[] parked = new Object[calls];
    try (AsyncCalls opened = loop.open(AsyncWork.failingOnThisThread(), BRIEF)) {
      long before = allocatedBytes();
      parkAndJoin(opened, parked);
      return (allocatedBytes() - before) / (double) calls;
    }
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    // -1 stands for a thread that has ended.
    return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  private static double retainedBytes(AsyncLoop loop, int calls) {
    double[] measured = new double[3];
    for (int round = 0; round < measured.length; round++) {
      Object[] parked = new Object[calls];
      try (AsyncCalls opened = loop.open(AsyncWork.failingOnThisThread(), LONG)) {
        long before = usedBytes();
        park(opened, parked);
        measured[round] = (usedBytes() - before) / (double) calls;
        cancelAll(opened, parked);
      }
    }
    return Figures.median(Arrays.stream(measured));
  }

  static double[] cancel(AsyncLoop loop, int calls) {
    Object[] parked = new Object[calls];
    try (AsyncCalls opened = loop.open(AsyncWork.failingOnThisThread(), LONG)) {
      long before = usedBytes();
      park(opened, parked);
      long start = System.nanoTime();
      cancelAll(opened, parked);
      double millis = (System.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);

      // A wheel may let go of what is cancelled a few ticks later; every look takes longer.
      Arrays.fill(parked, null);
      double left = Double.MAX_VALUE;
      for (int look = 1; look <= LOOKS && left > 1; look++) {
        left = (usedBytes() - before) / (double) calls;
      }
      return new double[] {millis, Math.max(0, left)};
    }
  }

  private static void park(AsyncCalls opened, Object[] parked) {
    for (int i = 0; i < parked.length; i++) {
      parked[i] = opened.start();
    }
  }

  private static void cancelAll(AsyncCalls opened, Object[] parked) {
    for (Object call : parked) {
      opened.cancel(call);
    }
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
