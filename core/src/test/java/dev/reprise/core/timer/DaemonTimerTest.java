package dev.reprise.core.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DaemonTimerTest {
  private static final long MILLI = 1_000_000;

  private final DaemonTimer timer = new DaemonTimer(2);

  private Thread timerThread() {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    timer.schedule(0, () -> thread.complete(Thread.currentThread()));
    return thread.join();
  }

  @Test
  void itsThreadIsADaemonThatTakesNothingFromWhoStartedIt() throws Exception {
    InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
    inherited.set("of the starter");
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(new ClassLoader(loader) {});
    CompletableFuture<Object> seen = new CompletableFuture<>();
    try {
      timer.schedule(1, () -> seen.complete(String.valueOf(inherited.get())));
    } finally {
      Thread.currentThread().setContextClassLoader(loader);
    }

    assertThat(seen.get()).isEqualTo("null");
    Thread thread = timerThread();
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).isEqualTo("reprise-timer");
    assertThat(thread.getContextClassLoader()).isSameAs(ClassLoader.getSystemClassLoader());
    assertThat(timerThread()).as("one thread for all").isSameAs(thread);
  }

  @Test
  void isNeverEarly() throws Exception {
    SplittableRandom random = new SplittableRandom(6);
    Queue<Long> earlyNanos = new ConcurrentLinkedQueue<>();
    int count = 1_000;
    CountDownLatch done = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      long delay = random.nextLong(20 * MILLI);
      long start = System.nanoTime();
      timer.schedule(
          delay,
          () -> {
            long waited = System.nanoTime() - start;
            if (waited < delay) {
              earlyNanos.add(delay - waited);
            }
            done.countDown();
          });
    }

    done.await();
    assertThat(earlyNanos).isEmpty();
  }

  @Test
  void anEarlierTimeoutWakesItBeforeALaterOne() throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    timer.schedule(Long.MAX_VALUE, () -> first.complete("never"));
    var hour = timer.schedule(3_600_000 * MILLI, () -> first.complete("in an hour"));
    timerThread();

    timer.schedule(MILLI, () -> first.complete("soon"));

    assertThat(first.get()).isEqualTo("soon");
    assertThat(hour.cancel()).isTrue();
  }

  @Test
  void survivesTasksThatThrowAndInterrupt() throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    Thread thread = timerThread();
    thread.setUncaughtExceptionHandler(
        (t, e) -> {
          told.complete(e);
          throw new IllegalStateException("a handler that fails too");
        });
    Error error = new StackOverflowError("on purpose");

    timer.schedule(
        0,
        () -> {
          throw error;
        });
    timer.schedule(0, () -> Thread.currentThread().interrupt());

    assertThat(told.get()).isSameAs(error);
    assertThat(timerThread()).isSameAs(thread);
    assertThat(thread.isAlive()).isTrue();
  }

  /** A tick that no wheel has a slot for fails as the lack of memory for a slot does. */
  @Test
  void aTurnThatFailsEndsNeitherItsThreadNorLosesTimeouts() throws Exception {
    DaemonTimer one = new DaemonTimer(1);
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    CountDownLatch broken = new CountDownLatch(1);
    one.schedule(
        0,
        () -> {
          thread.complete(Thread.currentThread());
          await(broken);
        });
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    thread.join();
    var timeout = one.schedule(100 * MILLI, () -> ran.complete(Thread.currentThread()));
    Field dueTick = timeout.getClass().getDeclaredField("dueTick");
    dueTick.setAccessible(true);
    long tick = dueTick.getLong(timeout);
    dueTick.setLong(timeout, 1L << 50);
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    thread
        .join()
        .setUncaughtExceptionHandler(
            (t, e) -> {
              try {
                dueTick.setLong(timeout, tick);
              } catch (IllegalAccessException impossible) {
                e.addSuppressed(impossible);
              }
              told.complete(e);
            });

    broken.countDown();

    assertThat(told.get()).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(ran.get()).isSameAs(thread.join());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Each timeout is cancelled while its time comes; of the two, exactly one must win. */
  @Test
  void ofCancellationAndExpiryExactlyOneWins() throws Exception {
    int threads = 4;
    int perThread = 50_000;
    AtomicIntegerArray ran = new AtomicIntegerArray(threads * perThread);
    AtomicIntegerArray cancelled = new AtomicIntegerArray(threads * perThread);
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Future<?>> futures = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      SplittableRandom random = new SplittableRandom(t);
      int first = t * perThread;
      futures.add(
          executor.submit(
              () -> {
                start.await();
                List<dev.reprise.core.timer.Timeout> timeouts = new ArrayList<>();
                for (int i = 0; i < perThread; i++) {
                  int id = first + i;
                  timeouts.add(
                      timer.schedule(random.nextLong(10 * MILLI), () -> ran.incrementAndGet(id)));
                  int other = random.nextInt(i + 1);
                  if (timeouts.get(other).cancel()) {
                    cancelled.incrementAndGet(first + other);
                  }
                }
                return null;
              }));
    }
    for (Future<?> future : futures) {
      future.get();
    }
    executor.shutdown();
    // What is scheduled last with the longest delay on each wheel runs last.
    CountDownLatch last = new CountDownLatch(8);
    for (int i = 0; i < 8; i++) {
      Thread adder = new Thread(() -> timer.schedule(11 * MILLI, last::countDown));
      adder.start();
      adder.join();
    }
    last.await();

    int cancellations = 0;
    for (int id = 0; id < threads * perThread; id++) {
      assertThat(ran.get(id) + cancelled.get(id)).as("timeout %s", id).isEqualTo(1);
      cancellations += cancelled.get(id);
    }
    assertThat(cancellations).isBetween(1, threads * perThread - 1);
  }

  /**
   * The timer's thread is on its way to sleep each time; a lost wake-up would be its last sleep.
   * Who waits by parking comes back too late to meet it there.
   */
  @SuppressWarnings("ThreadPriorityCheck")
  @Test
  void isWokenOnItsWayToSleep() throws Exception {
    int threads = 2;
    int rounds = 20_000;
    // Where a round takes long, fewer must do.
    long end = System.nanoTime() + 10_000 * MILLI;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Future<?>> futures = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      futures.add(
          executor.submit(
              () -> {
                int round = 0;
                do {
                  AtomicBoolean ran = new AtomicBoolean();
                  timer.schedule(0, () -> ran.set(true));
                  while (!ran.get()) {
                    Thread.yield();
                  }
                } while (++round < rounds && System.nanoTime() - end < 0);
              }));
    }

    for (Future<?> future : futures) {
      future.get();
    }
    executor.shutdown();
  }

  @Test
  void refusesANegativeDelay() {
    assertThatThrownBy(() -> timer.schedule(-1, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("delayNanos is -1: must be >= 0");
    assertThatThrownBy(() -> timer.schedule(1, null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void aJvmExitsAlthoughTimeoutsWait() throws Exception {
    assertThat(runJvm(ParksAndReturns.class)).isEqualTo("0: parked");
  }

  @Test
  void noThreadStartsBeforeTheFirstTimeout() throws Exception {
    assertThat(runJvm(OnlyLooks.class)).isEqualTo("0: false, then true");
  }

  private static String runJvm(Class<?> main) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output;
    try (var in = process.getInputStream()) {
      output = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
    return process.waitFor() + ": " + output;
  }

  /** Leaves main while timeouts wait. */
  public static final class ParksAndReturns {
    private ParksAndReturns() {}

    public static void main(String[] arguments) {
      for (long hours = 1; hours < 1_000_000; hours *= 4) {
        DaemonTimer.shared().schedule(hours * 3_600_000 * MILLI, () -> {});
      }
      System.out.println("parked");
    }
  }

  /** Tells whether the timer's thread runs before the first timeout and after it. */
  public static final class OnlyLooks {
    private OnlyLooks() {}

    public static void main(String[] arguments) {
      DaemonTimer timer = DaemonTimer.shared();
      boolean before = isRunning();
      timer.schedule(Long.MAX_VALUE, () -> {});
      System.out.println(before + ", then " + isRunning());
    }

    private static boolean isRunning() {
      return Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().equals("reprise-timer"));
    }
  }
}
