package dev.reprise.lab.lint;

import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.Change;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.SchedulePreview.Row;
import dev.reprise.policy.preview.Severity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds, by a simulation, that the last device never is back, whatever the reason. */
final class NeverBack {
  private NeverBack() {}

  static void addFinding(Subject subject, List<Finding> findings) {
    SimulatedFleet simulated = subject.simulated();
    if (simulated != null && !simulated.allBack()) {
      findings.add(finding(simulated, change(subject, simulated, findings)));
    }
  }

  /** Adds the finding on a policy without retries. */
  static void addFinding(
      StrategyPolicy policy, @Nullable SimulatedFleet simulated, List<Finding> findings) {
    if (simulated != null && !simulated.allBack()) {
      findings.add(finding(simulated, EndRules.retrying(policy)));
    }
  }

  private static Finding finding(SimulatedFleet simulated, Change change) {
    return new Finding(
        PolicyLinter.NEVER_BACK,
        Severity.ERROR,
        "The last device is not back when the simulation ends: " + simulated.outcome() + ".",
        "a simulation of " + simulated.situation(),
        change);
  }

  /** Another rule has found the likely reason; else devices come too fast, or give up. */
  private static Change change(Subject subject, SimulatedFleet simulated, List<Finding> findings) {
    for (Finding finding : findings) {
      if (finding.severity() != Severity.NOTE && !finding.rule().startsWith("budget-means")) {
        return finding.change();
      }
    }
    StrategyPolicy policy = subject.policy();
    if (simulated.stranded() > 0 && !subject.isUnlimited()) {
      return subject.changeTo(policy.withMaxAttempts(Policy.UNLIMITED));
    }
    Row last = subject.throttleRows().get(subject.throttleRows().size() - 1);
    return subject.change(last.firstRetry(), part -> BackoffRepair.longer(part, 2));
  }
}
