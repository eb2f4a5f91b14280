package dev.reprise.lab.lint;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.Change;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The policy under examination, and its situation.
 *
 * @param policy in the general format
 * @param rows the delays of all retries, at least one row
 * @param throttleRows the same when the service refuses; equal where the policy makes no difference
 * @param situation what is known
 * @param simulated what came out in it, or null when it was not simulated
 */
record Subject(
    StrategyPolicy policy,
    List<Row> rows,
    List<Row> throttleRows,
    Situation situation,
    @Nullable SimulatedFleet simulated) {
  static Subject of(
      StrategyPolicy policy, Situation situation, @Nullable SimulatedFleet simulated) {
    SchedulePreview preview = SchedulePreview.of(policy, "");
    List<Row> throttleRows =
        preview.throttleRows().isEmpty() ? preview.rows() : preview.throttleRows();
    return new Subject(policy, preview.rows(), throttleRows, situation, simulated);
  }

  boolean isUnlimited() {
    return policy.maxAttempts() == Policy.UNLIMITED;
  }

  /** Returns the change of the part of the delays after throttles that the retry belongs to. */
  Change change(int retry, UnaryOperator<Backoff> mend) {
    return Change.ofPart(policy, true, retry, mend);
  }

  /** Returns the change that makes the policy another one. */
  Change changeTo(StrategyPolicy other) {
    return Change.between(policy, other);
  }
}
