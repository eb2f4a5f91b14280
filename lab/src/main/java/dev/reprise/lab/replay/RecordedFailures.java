package dev.reprise.lab.replay;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.Traces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The times when endpoints were down, from a table: lines of {@code
 * from,to[,probability][,endpoint]}, or {@code 14:02–14:31[,probability][,endpoint]}. A first line
 * with the names of the columns may give another order. Times are all of one kind:
 *
 * <ul>
 *   <li>times of one day, {@code 14:02} to {@code 24:00}, with seconds if wanted;
 *   <li>instants with their offset, {@code 2026-11-21T14:02:00Z} or {@code …+01:00};
 *   <li>offsets from the start of a run, {@code 90s} or {@code 1h}.
 * </ul>
 *
 * <p>Offsets are kept. Of the others the earliest becomes the start of the run. The probability is
 * that an attempt fails, 1 when not given; where lines overlap, the highest holds.
 *
 * @param byEndpoint what failed when; the name is empty for lines that give none
 */
public record RecordedFailures(Map<String, Failure.Trace> byEndpoint) {
  private static final String FROM = "from";
  private static final String TO = "to";
  private static final String PROBABILITY = "probability";
  private static final String ENDPOINT = "endpoint";
  private static final long MAX_NANOS = Duration.ofDays(365).toNanos();

  /** An en dash between any two times, or a hyphen between two times of day. */
  private static final Pattern RANGE =
      Pattern.compile("(?<from>.+?)\\s*[–—]\\s*(?<to>.+)|(?<a>[0-9:.]+)\\s*-\\s*(?<b>[0-9:.]+)");

  /** Copies the map. */
  public RecordedFailures {
    byEndpoint = Collections.unmodifiableMap(new LinkedHashMap<>(byEndpoint));
  }

  /**
   * Reads a text.
   *
   * @throws LogException naming line, column, value and rule of everything that is wrong
   */
  public static RecordedFailures read(String text) {
    CsvTable table = CsvTable.read(text, List.of(FROM, TO, PROBABILITY, ENDPOINT));
    List<Line> lines = new ArrayList<>();
    for (CsvTable.Row row : table.rows()) {
      Line line = line(table, row, lines.isEmpty() ? null : lines.get(0).kind);
      if (line != null) {
        lines.add(line);
      }
    }
    table.throwIfAny();
    long start =
        lines.isEmpty() || lines.get(0).kind == Timestamp.Kind.OFFSET
            ? 0
            : lines.stream().mapToLong(line -> line.fromNanos).min().orElse(0);
    for (Line line : lines) {
      if (line.toNanos - start > MAX_NANOS) {
        table.complain(line.number, TO, line.to, "must be at most 365 days after the start");
      }
    }
    table.throwIfAny();
    Map<String, List<Line>> byEndpoint = new LinkedHashMap<>();
    lines.forEach(
        line -> byEndpoint.computeIfAbsent(line.endpoint, name -> new ArrayList<>()).add(line));
    Map<String, Failure.Trace> traces = new LinkedHashMap<>();
    byEndpoint.forEach((endpoint, of) -> traces.put(endpoint, trace(of, start)));
    return new RecordedFailures(traces);
  }

  /**
   * Returns what reads a scenario's traces from CSV files, by their paths from a directory.
   *
   * @param directory of the scenario's own file
   */
  public static Traces in(Path directory) {
    return (file, endpoint) -> {
      try {
        return read(Files.readString(directory.resolve(file), StandardCharsets.UTF_8))
            .trace(endpoint);
      } catch (NoSuchFileException e) {
        throw new IllegalArgumentException("no such file beside the scenario", e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /**
   * Returns the failures of one endpoint.
   *
   * @param endpoint its name, or null when there is only one
   * @throws InvalidSettingException when it is not there, or null although there are several; it
   *     lists those that there are
   */
  public Failure.Trace trace(@Nullable String endpoint) {
    if (endpoint == null && byEndpoint.isEmpty()) {
      return new Failure.Trace(List.of());
    }
    if (endpoint == null && byEndpoint.size() == 1) {
      return byEndpoint.values().iterator().next();
    }
    Failure.Trace trace = endpoint == null ? null : byEndpoint.get(endpoint);
    if (trace == null) {
      throw new InvalidSettingException(
          "endpoint",
          endpoint == null ? "missing" : "\"" + endpoint + "\"",
          "must be one of " + String.join(", ", byEndpoint.keySet()));
    }
    return trace;
  }

  private static @Nullable Line line(
      CsvTable table, CsvTable.Row row, Timestamp.@Nullable Kind usual) {
    int before = table.violations();
    String from = row.cell(FROM);
    String to = row.cell(TO);
    String probability = row.cell(PROBABILITY);
    String endpoint = row.cell(ENDPOINT);
    Matcher range = RANGE.matcher(from);
    if (range.matches()) {
      // The range takes one cell; without a header all that follows has moved by one.
      if (!table.isNamed()) {
        if (!endpoint.isEmpty()) {
          row.complain(ENDPOINT, "must not be there: a range fills from and to");
        }
        endpoint = probability;
        probability = to;
      } else if (!to.isEmpty()) {
        row.complain(TO, "must not stand beside a range");
      }
      boolean dashed = range.group("from") != null;
      from = range.group(dashed ? "from" : "a");
      to = range.group(dashed ? "to" : "b");
    }
    Timestamp first = moment(table, row, FROM, from, usual);
    Timestamp last = moment(table, row, TO, to, first == null ? usual : first.kind());
    if (first != null && last != null && last.nanos() <= first.nanos()) {
      table.complain(
          row.line(),
          TO,
          to,
          first.kind() == Timestamp.Kind.TIME_OF_DAY
              ? "must be after from, which is " + from + "; past midnight, give dates"
              : "must be after from, which is " + from);
    }
    Double share = share(probability);
    if (share == null) {
      table.complain(
          row.line(), PROBABILITY, probability, "must be a number between 0 and 1, or empty");
    }
    return table.violations() > before || first == null || last == null || share == null
        ? null
        : new Line(row.line(), first.kind(), first.nanos(), last.nanos(), to, share, endpoint);
  }

  private static @Nullable Timestamp moment(
      CsvTable table,
      CsvTable.Row row,
      String column,
      String text,
      Timestamp.@Nullable Kind usual) {
    Timestamp moment = Timestamp.read(text);
    if (moment == null) {
      if (text.isEmpty()) {
        row.complain(column, Timestamp.RULE);
      } else {
        table.complain(row.line(), column, text, Timestamp.RULE);
      }
      return null;
    }
    if (usual != null && moment.kind() != usual) {
      table.complain(row.line(), column, text, "must be of the kind before it: " + usual.words());
      return null;
    }
    return moment;
  }

  private static @Nullable Double share(String text) {
    if (text.isEmpty()) {
      return 1.0;
    }
    try {
      double share = Double.parseDouble(text);
      return share >= 0 && share <= 1 ? share : null;
    } catch (NumberFormatException noNumber) {
      return null;
    }
  }

  /** Cuts lines at all their ends; of those that cover a piece the highest probability holds. */
  private static Failure.Trace trace(List<Line> lines, long start) {
    TreeMap<Long, List<Line>> begins = new TreeMap<>();
    TreeMap<Long, List<Line>> ends = new TreeMap<>();
    for (Line line : lines) {
      begins.computeIfAbsent(line.fromNanos, at -> new ArrayList<>()).add(line);
      ends.computeIfAbsent(line.toNanos, at -> new ArrayList<>()).add(line);
    }
    TreeSet<Long> cuts = new TreeSet<>(begins.keySet());
    cuts.addAll(ends.keySet());
    TreeMap<Double, Integer> open = new TreeMap<>();
    List<Failure.Interval> intervals = new ArrayList<>();
    long from = 0;
    for (long cut : cuts) {
      if (!open.isEmpty()) {
        add(intervals, from - start, cut - start, open.lastKey());
      }
      for (Line line : begins.getOrDefault(cut, List.of())) {
        open.merge(line.probability, 1, Integer::sum);
      }
      for (Line line : ends.getOrDefault(cut, List.of())) {
        open.computeIfPresent(line.probability, (share, count) -> count == 1 ? null : count - 1);
      }
      from = cut;
    }
    return new Failure.Trace(intervals);
  }

  private static void add(List<Failure.Interval> intervals, long from, long to, double share) {
    Duration begin = Duration.ofNanos(from);
    Duration end = Duration.ofNanos(to);
    if (!intervals.isEmpty()) {
      Failure.Interval last = intervals.get(intervals.size() - 1);
      if (last.to().equals(begin) && last.probability() == share) {
        intervals.set(intervals.size() - 1, new Failure.Interval(last.from(), end, share));
        return;
      }
    }
    intervals.add(new Failure.Interval(begin, end, share));
  }

  private record Line(
      int number,
      Timestamp.Kind kind,
      long fromNanos,
      long toNanos,
      String to,
      double probability,
      String endpoint) {}
}
