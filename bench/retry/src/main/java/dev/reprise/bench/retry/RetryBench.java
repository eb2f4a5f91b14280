package dev.reprise.bench.retry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs comparisons by name; see {@code bench-retry/run}. */
public final class RetryBench {
  private static final String QUICK = "--quick";

  private RetryBench() {}

  /** {@code --list}, or the name of a comparison or {@code all}, and perhaps {@code --quick}. */
  public static void main(String[] args) throws Exception {
    List<String> names = new ArrayList<>(List.of(args));
    Effort effort = names.remove(QUICK) ? Effort.QUICK : Effort.FULL;
    List<Comparison> all = Comparisons.all();
    if (names.equals(List.of("--list"))) {
      for (Comparison comparison : all) {
        System.out.printf(
            Locale.ROOT,
            "%-26s %s%n%-26s goal: %s%n",
            comparison.name(),
            comparison.what(),
            "",
            comparison.goal());
      }
      return;
    }
    List<Comparison> chosen =
        names.equals(List.of("all"))
            ? all
            : all.stream().filter(some -> names.equals(List.of(some.name()))).toList();
    if (chosen.isEmpty()) {
      System.err.println("bench-retry: name a comparison, or all; bench-retry/run --list");
      System.exit(2);
    }
    List<String> results = new ArrayList<>();
    for (Comparison comparison : chosen) {
      String result = comparison.name() + " " + comparison.run(effort, System.out);
      results.add(result);
      System.out.println(result + System.lineSeparator());
    }
    // The table of one comparison ends with its result; the results of many are easier to compare
    // when they stand together.
    if (results.size() > 1) {
      results.forEach(System.out::println);
    }
  }
}
