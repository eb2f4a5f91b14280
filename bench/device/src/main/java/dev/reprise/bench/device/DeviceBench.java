package dev.reprise.bench.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs benchmarks by name; see {@code bench-device/run}. */
public final class DeviceBench {
  private static final String QUICK = "--quick";

  private static final List<Benchmark> ALL =
      List.of(
          new MqttPublish(),
          new AmqpSend(),
          new IdleDevice(),
          new ReconnectStorm(),
          new Chaos(),
          new OfflineDay());

  private DeviceBench() {}

  /** {@code --list}, or the name of a benchmark or {@code all}, and perhaps {@code --quick}. */
  public static void main(String[] args) throws Exception {
    List<String> names = new ArrayList<>(List.of(args));
    Effort effort = names.remove(QUICK) ? Effort.QUICK : Effort.FULL;
    if (names.equals(List.of("--list"))) {
      for (Benchmark benchmark : ALL) {
        System.out.printf(
            Locale.ROOT,
            "%-16s %s%n%-16s goal: %s%n",
            benchmark.name(),
            benchmark.what(),
            "",
            benchmark.goal());
      }
      return;
    }
    List<Benchmark> chosen =
        names.equals(List.of("all"))
            ? ALL
            : ALL.stream().filter(some -> names.equals(List.of(some.name()))).toList();
    if (chosen.isEmpty()) {
      System.err.println("bench-device: name a benchmark, or all; bench-device/run --list");
      System.exit(2);
    }
    List<String> results = new ArrayList<>();
    for (Benchmark benchmark : chosen) {
      String figures = benchmark.run(effort, System.out);
      String result = benchmark.name() + " " + figures + " goal=" + benchmark.goal();
      results.add(result);
      System.out.println(result + System.lineSeparator());
    }
    if (results.size() > 1) {
      results.forEach(System.out::println);
    }
    System.exit(0); // Event loops of clients may still run.
  }
}
