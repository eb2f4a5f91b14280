package dev.reprise.bench.device;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.device.ConnectionState;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import dev.reprise.fixtures.Mosquitto;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A broker with many devices is killed and comes back: when does each device knock that is let in,
 * beside a simulation of what the policy says.
 */
final class ReconnectStorm implements Benchmark {
  private static final long DOWN_MILLIS = 10_000;
  private static final long BUCKET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FIRST_SPREAD_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_WAIT_SECONDS = 120;
  private static final int MAX_CONNECTING = 50;
  private static final double MAX_DEVIATION = 0.10;
  private static final int PLOT_WIDTH = 60;
  private static final int MAX_ATTEMPTS = 32;
  private static final int DRAWS = 100_000;

  private final AtomicInteger up = new AtomicInteger();
  private final AtomicLong attempts = new AtomicLong();

  @Override
  public String name() {
    return "reconnect-storm";
  }

  @Override
  public String goal() {
    return "<=1.00";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int count = effort == Effort.QUICK ? 2_000 : 10_000;
    List<Device> devices = new ArrayList<>();
    try (Mosquitto broker = DeviceBrokers.mosquitto()) {
      connect(broker, count, devices);
      // A connection that is not stable yet does not begin at the first retry.
      Jvm.pause(2_000);
      int threadsBefore = Jvm.threads();
      long heapBefore = Jvm.liveHeapBytes();
      attempts.set(0);
      Peak peak = new Peak();
      long cpuBefore = Jvm.cpuNanos();
      long killedNanos = System.nanoTime();
      broker.kill();
      Jvm.pause(DOWN_MILLIS);
      broker.restart();
      long backNanos = System.nanoTime();
      double cpuNanos = Jvm.cpuNanos() - cpuBefore;
      long attemptsDown = attempts.get();
      boolean allBack = awaitAll(count);
      long[] arrivals =
          devices.stream().mapToLong(device -> device.knockNanos - backNanos).toArray();
      long[] accepted =
          devices.stream().mapToLong(device -> device.readyNanos - backNanos).toArray();
      long mostThreads = peak.end();
      long downNanos = backNanos - killedNanos;
      long[] expected = simulate(count * 10, downNanos, new Pace(devices, killedNanos));
      long[] ideal = simulate(count * 10, downNanos, Pace.NONE);
      double deviation = deviation(arrivals, expected);
      plot(arrivals, accepted, expected, out);
      boolean isNeverEarly = waits(devices, out);
      Path csv = write(arrivals, accepted, expected);
      out.printf(
          Locale.ROOT,
          "%d of %d back, the last after %.1f s; down for %.1f s; %d attempts; threads %d before,"
              + " %d at most, %d after; heap %.0f MB before, %.0f MB after; figures in %s%n",
          up.get(),
          count,
          Arrays.stream(accepted).max().orElse(0) / 1e9,
          (backNanos - killedNanos) / 1e9,
          attempts.get(),
          threadsBefore,
          mostThreads,
          Jvm.threads(),
          heapBefore / 1e6,
          Jvm.liveHeapBytes() / 1e6,
          csv);
      out.printf(
          Locale.ROOT,
          "deviation of the cumulative curves: knocks %.1f %%, accepted %.1f %% (chance alone: %.1f"
              + " %%; of knocks from a machine that takes no time to fail: %.1f %%)%n",
          100 * deviation,
          100 * deviation(accepted, expected),
          // What 1 of 20 samples of this size exceeds (Kolmogorov and Smirnov).
          136 / Math.sqrt(count),
          100 * deviation(arrivals, ideal));
      out.printf(
          Locale.ROOT,
          "%.0f us of processor time for each attempt during the outage%n",
          cpuNanos / 1e3 / attemptsDown);
      double ratio = allBack && isNeverEarly ? deviation / MAX_DEVIATION : Double.POSITIVE_INFINITY;
      return Figures.ratio(ratio);
    } finally {
      devices.forEach(device -> device.client.close());
    }
  }

  private void connect(Mosquitto broker, int count, List<Device> devices) throws IOException {
    List<CompletableFuture<?>> connecting = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Device device = new Device("device-" + i, broker.port());
      devices.add(device);
      connecting.add(device.client.open().toCompletableFuture());
      if (connecting.size() == MAX_CONNECTING) {
        connecting.forEach(CompletableFuture::join);
        connecting.clear();
      }
    }
    connecting.forEach(CompletableFuture::join);
  }

  private boolean awaitAll(int count) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS);
    while (up.get() < count && System.nanoTime() - end < 0) {
      Jvm.pause(20);
    }
    return up.get() == count;
  }

  /** Returns when devices that follow the policy to the letter knock first on the open door. */
  private static long[] simulate(int runs, long downNanos, Pace pace) {
    RetryPolicy policy = new ExponentialBackoffWithJitter();
    TransportException refused =
        DeviceErrors.exception(ErrorDetails.of(DeviceErrors.row("network", "connection-refused")));
    long[] arrivals = new long[runs];
    for (int i = 0; i < arrivals.length; i++) {
      long now = pace.lossNanos() + ThreadLocalRandom.current().nextLong(FIRST_SPREAD_NANOS);
      for (int retries = 0; ; retries++) {
        now += policy.getRetryDecision(retries, refused).delay().toNanos();
        if (now >= downNanos) {
          break;
        }
        now += pace.failureNanos(retries);
      }
      arrivals[i] = now - downNanos;
    }
    return arrivals;
  }

  /** Prints how long the devices waited before each retry, and returns whether none was early. */
  private static boolean waits(List<Device> devices, PrintStream out) {
    RetryPolicy policy = new ExponentialBackoffWithJitter();
    TransportException refused =
        DeviceErrors.exception(ErrorDetails.of(DeviceErrors.row("network", "connection-refused")));
    boolean isNeverEarly = true;
    out.printf(
        Locale.ROOT,
        "%6s %8s %20s %20s%n",
        "retry",
        "devices",
        "policy least, mean s",
        "waited least, mean s");
    for (int retry = 0; retry < MAX_ATTEMPTS; retry++) {
      int number = retry;
      LongSummaryStatistics waited =
          devices.stream()
              .filter(device -> device.waits > number)
              .mapToLong(device -> device.waitNanos[number])
              .summaryStatistics();
      if (waited.getCount() == 0) {
        break;
      }
      LongSummaryStatistics policyWaits =
          LongStream.range(0, DRAWS)
              .map(i -> policy.getRetryDecision(number, refused).delay().toNanos())
              .summaryStatistics();
      double spread = retry == 0 ? FIRST_SPREAD_NANOS / 2.0 : 0;
      out.printf(
          Locale.ROOT,
          "%6d %8d %12.3f %7.3f %12.3f %7.3f%n",
          retry + 1,
          waited.getCount(),
          policyWaits.getMin() / 1e9,
          (policyWaits.getAverage() + spread) / 1e9,
          waited.getMin() / 1e9,
          waited.getAverage() / 1e9);
      // Draws may all miss the very least that the formula can give.
      isNeverEarly &= waited.getMin() > policyWaits.getMin() * 0.99;
    }
    return isNeverEarly;
  }

  /**
   * The times that the policy has no say in, as measured: until a device knew of the loss, and
   * until each of its attempts had failed. All devices share the processors of one machine.
   */
  private static final class Pace {
    static final Pace NONE = new Pace(new long[] {0}, List.of());

    private final long[] losses;
    private final List<long[]> failures;

    Pace(List<Device> devices, long killedNanos) {
      this(
          devices.stream().mapToLong(device -> device.lossNanos - killedNanos).toArray(),
          IntStream.range(0, MAX_ATTEMPTS)
              .mapToObj(
                  number ->
                      devices.stream()
                          .filter(device -> device.failures > number)
                          .mapToLong(device -> device.failureNanos[number])
                          .toArray())
              .filter(measured -> measured.length > 0)
              .toList());
    }

    private Pace(long[] losses, List<long[]> failures) {
      this.losses = losses;
      this.failures = failures;
    }

    long lossNanos() {
      return any(losses);
    }

    /** Returns the time of an attempt that came after so many others. */
    long failureNanos(int before) {
      return failures.isEmpty() ? 0 : any(failures.get(Math.min(before, failures.size() - 1)));
    }

    private static long any(long[] values) {
      return values[ThreadLocalRandom.current().nextInt(values.length)];
    }
  }

  /** Returns how far the cumulative curves are apart at most, as a share of all (0 to 1). */
  static double deviation(long[] measured, long[] expected) {
    long[] a = measured.clone();
    long[] b = expected.clone();
    Arrays.sort(a);
    Arrays.sort(b);
    double most = 0;
    int j = 0;
    for (int i = 0; i < a.length; i++) {
      while (j < b.length && b[j] <= a[i]) {
        j++;
      }
      double below = (double) j / b.length;
      most = Math.max(most, Math.abs(below - (i + 1.0) / a.length));
      most = Math.max(most, Math.abs(below - (double) i / a.length));
    }
    return most;
  }

  private static int[] buckets(long[] times, int count) {
    int[] buckets = new int[count];
    for (long time : times) {
      int bucket = (int) Math.max(0, Math.min(count - 1, time / BUCKET_NANOS));
      buckets[bucket]++;
    }
    return buckets;
  }

  private static int bucketsOf(long[]... times) {
    long most = Arrays.stream(times).flatMapToLong(Arrays::stream).max().orElse(0);
    return (int) (most / BUCKET_NANOS) + 1;
  }

  private static void plot(long[] arrivals, long[] accepted, long[] expected, PrintStream out) {
    int count = bucketsOf(arrivals, accepted, expected);
    int[] knocks = buckets(arrivals, count);
    int[] expectations = buckets(expected, count);
    double scale = (double) arrivals.length / expected.length;
    int most = Arrays.stream(knocks).max().orElse(1);
    // Half a second a line.
    out.printf(
        Locale.ROOT, "%6s %8s %8s  devices per 0.5 s (#), expected (|)%n", "s", "knocks", "policy");
    for (int first = 0; first < count; first += 5) {
      int knocked = 0;
      double wanted = 0;
      for (int i = first; i < Math.min(count, first + 5); i++) {
        knocked += knocks[i];
        wanted += expectations[i] * scale;
      }
      char[] line = new char[PLOT_WIDTH + 1];
      Arrays.fill(line, ' ');
      double perColumn = 5.0 * most / PLOT_WIDTH;
      Arrays.fill(line, 0, (int) Math.min(PLOT_WIDTH, knocked / perColumn), '#');
      line[(int) Math.min(PLOT_WIDTH, wanted / perColumn)] = '|';
      out.printf(
          Locale.ROOT, "%6.1f %8d %8.0f  %s%n", first / 10.0, knocked, wanted, new String(line));
    }
  }

  private static Path write(long[] arrivals, long[] accepted, long[] expected) throws IOException {
    int count = bucketsOf(arrivals, accepted, expected);
    int[] knocks = buckets(arrivals, count);
    int[] ready = buckets(accepted, count);
    int[] expectations = buckets(expected, count);
    double scale = (double) arrivals.length / expected.length;
    StringBuilder lines = new StringBuilder("millis,knocks,accepted,policy\n");
    for (int i = 0; i < count; i++) {
      lines.append(
          String.format(
              Locale.ROOT,
              "%d,%d,%d,%.1f%n",
              TimeUnit.NANOSECONDS.toMillis(i * BUCKET_NANOS),
              knocks[i],
              ready[i],
              expectations[i] * scale));
    }
    Path folder = Files.createDirectories(Path.of("bench", "device", "target"));
    return Files.writeString(folder.resolve("reconnect-storm.csv"), lines);
  }

  /** The most threads there are until the end. */
  private static final class Peak extends Thread {
    private volatile boolean ended;
    private volatile int most;

    Peak() {
      setDaemon(true);
      start();
    }

    @Override
    public void run() {
      while (!ended) {
        most = Math.max(most, Jvm.threads());
        Jvm.pause(5);
      }
    }

    int end() {
      ended = true;
      return most;
    }
  }

  /** A device that notes when it knocks and when it is let in. */
  private final class Device implements Transport {
    final DeviceClient client;
    private final Transport transport;

    /** The time at which it began the latest attempt. */
    volatile long knockNanos;

    /** The time at which it was last accepted. */
    volatile long readyNanos;

    /** The time at which it noticed the loss of the broker. */
    volatile long lossNanos;

    /** The times that its first attempts took to fail. */
    final long[] failureNanos = new long[MAX_ATTEMPTS];

    volatile int failures;

    /** The times that it waited from a failure to the next attempt. */
    final long[] waitNanos = new long[MAX_ATTEMPTS];

    volatile int waits;

    private volatile long failedNanos;

    Device(String id, int port) throws IOException {
      transport =
          HubProfiles.fromUri(URI.create("mqtt://127.0.0.1:" + port + "?version=5"), id)
              .transport();
      client =
          DeviceClient.builder(new HubProfile("mqtt", this, CredentialSupplier.none()))
              .onStatus(
                  (status, previous) -> {
                    if (status.state() == ConnectionState.CONNECTED
                        && previous.state() != ConnectionState.CONNECTED) {
                      up.incrementAndGet();
                    } else if (previous.state() == ConnectionState.CONNECTED
                        && status.state() != ConnectionState.CONNECTED) {
                      up.decrementAndGet();
                    }
                  })
              .build();
    }

    @Override
    public String name() {
      return transport.name();
    }

    @Override
    public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
      long now = System.nanoTime();
      knockNanos = now;
      int before = waits;
      if (failedNanos != 0 && before < MAX_ATTEMPTS) {
        waitNanos[before] = now - failedNanos;
        waits = before + 1;
      }
      attempts.incrementAndGet();
      return transport.connect(request, new Noting(listener));
    }

    /** Passes everything on. */
    private final class Noting extends PassedOn {
      Noting(ConnectionListener listener) {
        super(listener);
      }

      @Override
      public void onReady() {
        readyNanos = System.nanoTime();
        super.onReady();
      }

      @Override
      public void onLost(TransportException cause) {
        long now = System.nanoTime();
        int before = failures;
        if (lossNanos == 0) {
          lossNanos = now;
        } else if (before < MAX_ATTEMPTS) {
          failureNanos[before] = now - knockNanos;
          failures = before + 1;
        }
        failedNanos = now;
        super.onLost(cause);
      }
    }
  }
}
