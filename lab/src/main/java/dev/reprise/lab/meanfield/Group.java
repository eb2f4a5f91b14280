package dev.reprise.lab.meanfield;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.kernel.DelayLaw.Piece;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.util.ArrayList;
import java.util.List;

/**
 * Devices that have the same policy and meet the same outages.
 *
 * @param place of one of them in the fleet, 0 to 1
 * @param policy theirs
 * @param classes by the number of retries made; that of the last one are so many or more
 */
record Group(double place, StrategyPolicy policy, List<RetryClass> classes) {
  /** A backoff that changes for longer than this is none of a fleet. */
  private static final int MAX_CLASSES = 1_000;

  /** Attempts that are due are kept by step: eight bytes each. */
  private static final double MAX_STEPS = 2_000_000;

  static Group of(
      FleetModel model, double place, double devices, StrategyPolicy policy, double stepSeconds) {
    int count = classes(policy, Seconds.of(model.horizon()));
    double spreadSteps = Seconds.of(model.spread()) / stepSeconds;
    List<DueAttempts> afterFailure = new ArrayList<>();
    List<DueAttempts> afterRefusal = new ArrayList<>();
    int retries = Math.min(policy.maxRetries(), count);
    for (int retry = 1; retry <= retries; retry++) {
      DelayLaw failed = DelayLaw.of(policy.backoff(), retry);
      DelayLaw refused = DelayLaw.of(policy.throttleBackoff(), retry);
      afterFailure.add(deposit(failed.pieces(), stepSeconds));
      afterRefusal.add(deposit(HintedDelays.of(refused, model.hint(), policy), stepSeconds));
    }
    List<RetryClass> classes = new ArrayList<>();
    for (int made = 0; made < count; made++) {
      int farthest = 1;
      if (made > 0) {
        farthest = Math.max(farthest, farthest(afterFailure, afterRefusal, made - 1));
      }
      if (made == count - 1 && made < retries) {
        farthest = Math.max(farthest, farthest(afterFailure, afterRefusal, made));
      }
      classes.add(new RetryClass(farthest));
    }
    for (int made = 0; made < retries; made++) {
      RetryClass from = classes.get(made);
      from.next = classes.get(Math.min(made + 1, count - 1));
      from.afterFailure = afterFailure.get(made);
      from.afterRefusal = afterRefusal.get(made);
    }
    classes.get(0).start(devices, spreadSteps);
    return new Group(place, policy, classes);
  }

  private static DueAttempts deposit(List<Piece> pieces, double stepSeconds) {
    for (Piece piece : pieces) {
      if (piece.highestSeconds() > MAX_STEPS * stepSeconds) {
        throw new IllegalArgumentException(
            "backoff waits up to "
                + AmountText.seconds(piece.highestSeconds())
                + ": the mean field needs at most "
                + AmountText.seconds(MAX_STEPS * stepSeconds)
                + "; simulate it");
      }
    }
    return DueAttempts.of(pieces, stepSeconds);
  }

  private static int farthest(
      List<DueAttempts> afterFailure, List<DueAttempts> afterRefusal, int index) {
    return Math.max(afterFailure.get(index).lastOffset(), afterRefusal.get(index).lastOffset());
  }

  /** Returns how many classes there are: the last one is that of all further retries too. */
  private static int classes(StrategyPolicy policy, double horizonSeconds) {
    SchedulePreview preview = SchedulePreview.of(policy, "");
    int settled = settled(preview.rows());
    settled = Math.max(settled, settled(preview.throttleRows()));
    boolean endsWithinRun =
        policy.maxRetries() != Policy.UNLIMITED && lowestSeconds(preview.rows()) <= horizonSeconds;
    long classes = endsWithinRun ? 1L + policy.maxRetries() : settled;
    if (classes > MAX_CLASSES) {
      throw new IllegalArgumentException(
          (endsWithinRun ? "maxAttempts" : "backoff, which changes up to retry,")
              + " is "
              + classes
              + ": the mean field needs at most "
              + MAX_CLASSES
              + "; simulate it");
    }
    return (int) classes;
  }

  /** Returns the retry from which on all delays are alike. */
  private static int settled(List<Row> rows) {
    return rows.isEmpty() ? 1 : rows.get(rows.size() - 1).firstRetry();
  }

  private static double lowestSeconds(List<Row> rows) {
    return rows.isEmpty() ? 0 : Seconds.of(rows.get(rows.size() - 1).cumulative().lowest());
  }
}
