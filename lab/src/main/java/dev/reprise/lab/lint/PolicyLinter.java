package dev.reprise.lab.lint;

import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.JitterRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds harmful settings in a policy. A known situation makes findings more precise; without one,
 * only settings that are harmful nearly everywhere are found. Nothing is run: but where the policy
 * was simulated in the situation, the findings agree with what came out.
 */
public final class PolicyLinter {
  /** The rule that the last device is back, in a simulation. */
  public static final String NEVER_BACK = "simulated-never-back";

  private PolicyLinter() {}

  /** Returns the findings, the worst first; empty for a good policy. Thread-safe. */
  public static List<Finding> lint(Policy policy, Situation situation) {
    return lint(policy, situation, null);
  }

  /**
   * Returns the findings, the worst first, in the light of a simulation. When its last device never
   * was back, one of them is {@link #NEVER_BACK} and an error; when all were, none says that
   * devices are stranded or that the service does not recover.
   *
   * @param simulated the end of runs in the situation, or null
   */
  public static List<Finding> lint(
      Policy policy, Situation situation, @Nullable SimulatedFleet simulated) {
    List<Finding> findings = found(policy, situation, simulated);
    return policy instanceof NotificationPolicy
        ? findings.stream().map(finding -> whole(finding, policy.toStrategyPolicy())).toList()
        : findings;
  }

  /** A field that the policy's format does not have cannot be changed. */
  private static Finding whole(Finding finding, StrategyPolicy policy) {
    return new Finding(
        finding.rule(),
        finding.severity(),
        finding.problem(),
        finding.proof(),
        finding.change().whole(policy));
  }

  private static List<Finding> found(
      Policy policy, Situation situation, @Nullable SimulatedFleet simulated) {
    List<Finding> findings = new ArrayList<>();
    // Without retries there is no herd and no budget; the outage decides whether that is enough.
    if (policy.maxRetries() == 0) {
      StrategyPolicy strategy = policy.toStrategyPolicy();
      findings.addAll(EndRules.ofOneAttempt(strategy, situation, simulated));
      NeverBack.addFinding(strategy, simulated, findings);
      return List.copyOf(findings);
    }
    Subject subject = Subject.of(policy.toStrategyPolicy(), situation, simulated);
    StrategyPolicy general = subject.policy();
    Integer devices = situation.devices();
    JitterRules.addFindings(general, false, subject.rows(), devices, findings);
    if (!general.throttleBackoff().equals(general.backoff())) {
      JitterRules.addFindings(general, true, subject.throttleRows(), devices, findings);
    }
    LoadRules.addFindings(subject, findings);
    EndRules.addFindings(subject, findings);
    BudgetLint.addFindings(subject, findings);
    NeverBack.addFinding(subject, findings);
    findings.sort(Comparator.comparing(Finding::severity));
    return List.copyOf(findings);
  }
}
