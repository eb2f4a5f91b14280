package dev.reprise.bench.device;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.fixtures.Mosquitto;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The cost of one more idle connected device. A few devices are connected first, so that what all
 * share is not counted.
 */
final class IdleDevice implements Benchmark {
  private static final int FIRST = 100;
  private static final double MAX_BYTES = 30 * 1024;
  private static final int HISTOGRAM_ROWS = 15;

  /**
   * Pools let idle threads go after 10 s; the timer that a connection is stable ends after 30 s.
   */
  private static final long SETTLE_MILLIS = 35_000;

  private static final long QUICK_SETTLE_MILLIS = 12_000;

  private record Cost(double heapBytes, int threads, double residentBytes) {}

  @Override
  public String name() {
    return "idle-device";
  }

  @Override
  public String goal() {
    return "heap<=30KB,threads<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int[] counts = effort == Effort.QUICK ? new int[] {1_000} : new int[] {1_000, 5_000};
    out.printf(
        Locale.ROOT,
        "%-8s %8s %16s %18s %16s%n",
        "client",
        "devices",
        "heap B/device",
        "resident B/device",
        "threads more");
    Cost worst = new Cost(0, 0, 0);
    for (int count : counts) {
      Cost bare = measure("bare", count, effort, out);
      Cost ours = measure("ours", count, effort, out);
      out.printf(
          Locale.ROOT, "%-8s %8d %16.0f%n", "of ours", count, ours.heapBytes - bare.heapBytes);
      worst =
          new Cost(
              Math.max(worst.heapBytes, ours.heapBytes),
              Math.max(worst.threads, ours.threads),
              Math.max(worst.residentBytes, ours.residentBytes));
    }
    return String.format(
        Locale.ROOT,
        "%s heap=%.1fKB threads=%d",
        Figures.ratio(worst.heapBytes / MAX_BYTES),
        worst.heapBytes / 1024,
        worst.threads);
  }

  private static Cost measure(String client, int count, Effort effort, PrintStream out)
      throws IOException {
    Path before = Files.createTempFile("reprise-histogram", "");
    Path after = Files.createTempFile("reprise-histogram", "");
    try (Mosquitto broker = DeviceBrokers.mosquitto();
        Jvm devices =
            Jvm.start(
                List.of("-Xmx1g", "-XX:+UseSerialGC", "-Dio.netty.transport.noNative=true"),
                IdleDevices.class,
                client,
                "" + broker.port())) {
      long[] first = connect(devices, FIRST, before, effort);
      long[] all = connect(devices, count, after, effort);
      Cost cost =
          new Cost(
              (all[0] - first[0]) / (double) count,
              (int) (all[1] - first[1]),
              (all[2] - first[2]) / (double) count);
      out.printf(
          Locale.ROOT,
          "%-8s %8d %16.0f %18.0f %16d%n",
          client,
          count,
          cost.heapBytes,
          cost.residentBytes,
          cost.threads);
      if (Boolean.getBoolean("histogram")) {
        printHistogram(before, after, count, out);
      }
      return cost;
    } finally {
      Files.delete(before);
      Files.delete(after);
    }
  }

  /** Connects so many more, lets them settle, and returns heap, threads and resident memory. */
  private static long[] connect(Jvm devices, int count, Path histogram, Effort effort)
      throws IOException {
    String connected = devices.ask("connect " + count);
    if (!connected.equals("ok")) {
      throw new IOException("the devices answered " + connected);
    }
    Jvm.pause(effort == Effort.QUICK ? QUICK_SETTLE_MILLIS : SETTLE_MILLIS);
    String[] figures = devices.ask("measure").split(" ", -1);
    String unused = devices.ask("histogram " + histogram);
    return new long[] {
      Long.parseLong(figures[0]), Long.parseLong(figures[1]), Long.parseLong(figures[2])
    };
  }

  private static void printHistogram(Path before, Path after, int devices, PrintStream out) {
    Map<String, long[]> then = classes(before);
    out.printf(Locale.ROOT, "  %12s %12s  class%n", "B/device", "objects");
    classes(after).entrySet().stream()
        .map(
            entry -> {
              long[] old = then.getOrDefault(entry.getKey(), new long[2]);
              return Map.entry(
                  entry.getKey(),
                  new double[] {
                    (entry.getValue()[0] - old[0]) / (double) devices,
                    (entry.getValue()[1] - old[1]) / (double) devices
                  });
            })
        .sorted((a, b) -> Double.compare(b.getValue()[1], a.getValue()[1]))
        .limit(HISTOGRAM_ROWS)
        .forEach(
            entry ->
                out.printf(
                    Locale.ROOT,
                    "  %12.0f %12.1f  %s%n",
                    entry.getValue()[1],
                    entry.getValue()[0],
                    entry.getKey()));
  }

  /** Returns the number and the bytes of the objects of each class. */
  private static Map<String, long[]> classes(Path histogram) {
    Map<String, long[]> found = new HashMap<>();
    try {
      for (String line : Files.readAllLines(histogram)) {
        String[] words = line.trim().split("\\s+", -1);
        if (words.length >= 4 && words[0].endsWith(":")) {
          found.put(words[3], new long[] {Long.parseLong(words[1]), Long.parseLong(words[2])});
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }
}
