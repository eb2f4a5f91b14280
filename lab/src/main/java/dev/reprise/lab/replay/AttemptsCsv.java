package dev.reprise.lab.replay;

import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.End;
import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.policy.document.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads attempts from comma-separated values. */
final class AttemptsCsv {
  private static final String DELIVERY = "delivery";
  private static final String ATTEMPT = "attempt";
  private static final String STARTED = "startedAt";
  private static final String ENDED = "endedAt";
  private static final String OUTCOME = "outcome";
  private static final String STATUS = "status";
  private static final String RETRY_AFTER = "retryAfter";
  private static final String ENDPOINT = "endpoint";
  private static final List<String> COLUMNS =
      List.of(DELIVERY, ATTEMPT, STARTED, ENDED, OUTCOME, STATUS, RETRY_AFTER, ENDPOINT);

  private static final String TIME_RULE = "must be a time such as 2026-11-21T14:02:00.250Z";
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
  private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}");

  /** A delivery as its lines tell of it. */
  private static final class Lines {
    private String endpoint = "";
    private final List<RecordedAttempt> attempts = new ArrayList<>();
  }

  private AttemptsCsv() {}

  static AttemptLog read(String text) {
    CsvTable table = CsvTable.read(text, COLUMNS);
    Map<String, Lines> deliveries = new LinkedHashMap<>();
    // Attempts of two deliveries may be equal.
    IdentityHashMap<RecordedAttempt, CsvTable.Row> rows = new IdentityHashMap<>();
    for (CsvTable.Row row : table.rows()) {
      String id = row.cell(DELIVERY);
      if (id.isEmpty()) {
        row.complain(DELIVERY, "must be a text");
      }
      RecordedAttempt attempt = attempt(table, row);
      if (attempt != null && !id.isEmpty()) {
        Lines lines = deliveries.computeIfAbsent(id, name -> new Lines());
        String endpoint = endpoint(row, id);
        if (!lines.attempts.isEmpty() && !lines.endpoint.equals(endpoint)) {
          row.complain(ENDPOINT, "must be that of the lines before it, " + lines.endpoint);
        }
        lines.endpoint = endpoint;
        lines.attempts.add(attempt);
        rows.put(attempt, row);
      }
    }
    if (table.rows().isEmpty()) {
      table.complain(1, DELIVERY, "", "must have a line for each attempt");
    }
    List<Delivery> read = new ArrayList<>();
    deliveries.forEach(
        (id, lines) -> {
          List<RecordedAttempt> attempts =
              AttemptOrder.inOrder(
                  lines.attempts,
                  (attempt, rule) -> {
                    CsvTable.Row row = rows.get(attempt);
                    if (row != null) {
                      row.complain(
                          rule.startsWith(AttemptOrder.CLOCK_RULE) ? STARTED : ATTEMPT, rule);
                    }
                  });
          boolean delivered =
              attempts.get(attempts.size() - 1).outcome() == RecordedOutcome.SUCCEEDED;
          read.add(
              new Delivery(
                  id,
                  lines.endpoint,
                  attempts.get(0).startedAt(),
                  delivered ? End.DELIVERED : End.GIVEN_UP,
                  attempts,
                  List.of()));
        });
    table.throwIfAny();
    return new AttemptLog(read);
  }

  private static String endpoint(CsvTable.Row row, String id) {
    String endpoint = row.cell(ENDPOINT);
    return endpoint.isEmpty() && id.indexOf('@') >= 0
        ? id.substring(id.lastIndexOf('@') + 1)
        : endpoint;
  }

  private static @Nullable RecordedAttempt attempt(CsvTable table, CsvTable.Row row) {
    int before = table.violations();
    int number = count(row, ATTEMPT, 1);
    Instant started = time(row, STARTED);
    Instant ended = time(row, ENDED);
    RecordedOutcome outcome =
        switch (row.cell(OUTCOME).toLowerCase(Locale.ROOT)) {
          case "succeeded" -> RecordedOutcome.SUCCEEDED;
          case "failed" -> RecordedOutcome.FAILED;
          case "refused" -> RecordedOutcome.REFUSED;
          default -> {
            row.complain(OUTCOME, "must be succeeded, failed or refused");
            yield RecordedOutcome.FAILED;
          }
        };
    int status = row.cell(STATUS).isEmpty() ? 0 : count(row, STATUS, 0);
    Duration hint = hint(row);
    if (started != null && ended != null && ended.isBefore(started)) {
      row.complain(ENDED, "must not be before startedAt, which is " + row.cell(STARTED));
    }
    return table.violations() > before || started == null || ended == null
        ? null
        : new RecordedAttempt(number, started, ended, outcome, status, hint);
  }

  private static int count(CsvTable.Row row, String column, int lowest) {
    String cell = row.cell(column);
    int count = COUNT.matcher(cell).matches() ? Integer.parseInt(cell) : -1;
    if (count < lowest) {
      row.complain(column, "must be a whole number of at least " + lowest);
    }
    return count;
  }

  private static @Nullable Instant time(CsvTable.Row row, String column) {
    Instant time = Timestamp.instant(row.cell(column));
    if (time == null) {
      row.complain(column, TIME_RULE);
    }
    return time;
  }

  private static @Nullable Duration hint(CsvTable.Row row) {
    String cell = row.cell(RETRY_AFTER);
    if (cell.isEmpty()) {
      return null;
    }
    Duration hint =
        SECONDS.matcher(cell).matches()
            ? Duration.ofSeconds(Integer.parseInt(cell))
            : DurationText.read(cell);
    if (hint == null || hint.isNegative() || hint.compareTo(Duration.ofDays(365)) > 0) {
      row.complain(RETRY_AFTER, "must be seconds, or a text such as 30s, up to 365 days");
      return null;
    }
    return hint;
  }
}
