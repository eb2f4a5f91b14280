package dev.reprise.policy.preview;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.DelayRange;
import dev.reprise.core.backoff.Stage;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.policy.Policy;
import dev.reprise.policy.backoff.BackoffParts;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Works out the rows of a schedule. */
final class ScheduleRows {
  private final int retries;
  private final List<Row> rows = new ArrayList<>();
  private DelaySpan cumulative = DelaySpan.ZERO;

  private ScheduleRows(int retries) {
    this.retries = retries;
  }

  static List<Row> of(Backoff backoff, int retries) {
    ScheduleRows schedule = new ScheduleRows(retries);
    schedule.add(backoff, 0);
    return schedule.rows;
  }

  /**
   * Adds the rows of a backoff that begins after the given retry. Only within one part of a
   * sequence do delays never fall.
   */
  private void add(Backoff backoff, int before) {
    Backoff part = backoff;
    int beforePart = before;
    while (part instanceof BackoffSequence sequence) {
      long last = (long) beforePart + sequence.firstRetries();
      if (last >= retries) {
        part = sequence.first();
      } else {
        addPart(sequence.first(), beforePart, (int) last);
        beforePart = (int) last;
        part = sequence.next();
      }
    }
    addPart(part, beforePart, retries);
  }

  private void addPart(Backoff part, int before, int last) {
    StagedBackoff stages = BackoffParts.stages(part);
    // A long: after the last of Integer.MAX_VALUE retries there is no next one.
    long first = before + 1L;
    while (first <= last && rows.size() < SchedulePreview.MAX_ROWS) {
      int inPart = (int) first - before;
      Stage stage = stageOf(stages, inPart);
      int end = before + lastAlike(part, stages, inPart, last - before);
      boolean endless = end == Policy.UNLIMITED;
      DelaySpan delay = DelaySpan.of(part, inPart);
      int times = endless ? Policy.UNLIMITED : end - (int) first + 1;
      cumulative = cumulative.plus(delay, endless ? 1 : times);
      rows.add(new Row(stage, (int) first, times, delay, cumulative));
      first = end + 1L;
    }
  }

  /**
   * Searches, rather than walks, to the last retry of the same stage and range: within a part,
   * delays never fall.
   */
  private static int lastAlike(Backoff part, @Nullable StagedBackoff stages, int first, int last) {
    Stage stage = stageOf(stages, first);
    DelayRange range = part.range(first);
    int alike = first;
    int end = last;
    while (alike < end) {
      int middle = alike + (end - alike + 1) / 2;
      if (stageOf(stages, middle) == stage && part.range(middle).equals(range)) {
        alike = middle;
      } else {
        end = middle - 1;
      }
    }
    return alike;
  }

  private static @Nullable Stage stageOf(@Nullable StagedBackoff stages, int retry) {
    return stages == null ? null : stages.stageOf(retry);
  }
}
