package dev.reprise.lab.report;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Writes CSV (RFC 4180) with a header row and lines that end in a line feed. */
final class CsvText {
  private CsvText() {}

  static String figures(List<Outcome> outcomes) {
    StringBuilder csv = new StringBuilder();
    csv.append("policy,figure,unit,mean,lowest,highest,runs,");
    csv.append("difference,differenceLowest,differenceHighest\n");
    for (Outcome outcome : outcomes) {
      for (Map.Entry<Figure, Estimate> entry : outcome.estimates().entrySet()) {
        Figure figure = entry.getKey();
        csv.append(cell(outcome.name())).append(',').append(figure.key()).append(',');
        csv.append(figure.unit()).append(',').append(numbers(entry.getValue()));
        csv.append(',').append(entry.getValue().runs()).append(',');
        csv.append(numbers(outcome.differences().get(figure))).append('\n');
      }
    }
    return csv.toString();
  }

  private static String numbers(@Nullable Estimate estimate) {
    return estimate == null
        ? ",,"
        : Numbers.exactText(estimate.mean())
            + ","
            + Numbers.exactText(estimate.lowest())
            + ","
            + Numbers.exactText(estimate.highest());
  }

  static String series(List<Outcome> outcomes) {
    List<String> names =
        outcomes.stream()
            .flatMap(outcome -> outcome.series().stream())
            .map(Series::name)
            .distinct()
            .toList();
    StringBuilder csv = new StringBuilder("policy,seconds");
    names.forEach(name -> csv.append(',').append(cell(name)));
    csv.append('\n');
    for (Outcome outcome : outcomes) {
      List<@Nullable Series> columns = new ArrayList<>();
      names.forEach(name -> columns.add(outcome.series(name)));
      String policy = cell(outcome.name());
      for (long nanos : moments(outcome.series())) {
        csv.append(policy).append(',').append(Numbers.exactText(nanos / 1e9));
        for (Series column : columns) {
          csv.append(',').append(column == null ? "" : valueAt(column, nanos));
        }
        csv.append('\n');
      }
    }
    return csv.toString();
  }

  /** Returns the starts of all bins; in nanoseconds, so that bins that begin together are equal. */
  private static Set<Long> moments(List<Series> series) {
    TreeSet<Long> moments = new TreeSet<>();
    for (Series one : series) {
      for (int i = 0; i < one.values().length; i++) {
        moments.add(begin(one, i));
      }
    }
    return moments;
  }

  private static long begin(Series series, int bin) {
    return Math.round(bin * series.binSeconds() * 1e9);
  }

  private static String valueAt(Series series, long nanos) {
    int bin = (int) Math.round(nanos / 1e9 / series.binSeconds());
    if (bin >= series.values().length || begin(series, bin) != nanos) {
      return "";
    }
    double value = series.values()[bin];
    return Double.isNaN(value) ? "" : Numbers.exactText(value);
  }

  /** Quotes a text. One that a spreadsheet would take for a formula is led by an apostrophe. */
  static String cell(String text) {
    String safe = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
    boolean plain = safe.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? safe : "\"" + safe.replace("\"", "\"\"") + "\"";
  }
}
