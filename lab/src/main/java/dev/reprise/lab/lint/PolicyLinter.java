package dev.reprise.lab.lint;

import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds harmful settings in a policy without running it. A known situation makes findings more
 * precise; without one, only settings that are harmful nearly everywhere are found.
 */
public final class PolicyLinter {
  private PolicyLinter() {}

  /** Returns what was found, the worst first; empty for a good policy. Thread-safe. */
  public static List<Finding> lint(Policy policy, Situation situation) {
    List<Finding> findings = found(policy, situation);
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

  private static List<Finding> found(Policy policy, Situation situation) {
    // A policy without retries has no herd and no budget; whether that is enough depends on the
    // outage.
    if (policy.maxRetries() == 0) {
      return EndRules.ofOneAttempt(policy.toStrategyPolicy(), situation);
    }
    Subject subject = Subject.of(policy.toStrategyPolicy(), situation);
    List<Finding> findings = new ArrayList<>();
    JitterRules.addFindings(subject, findings);
    LoadRules.addFindings(subject, findings);
    EndRules.addFindings(subject, findings);
    BudgetRules.addFindings(subject, findings);
    findings.sort(Comparator.comparing(Finding::severity));
    return List.copyOf(findings);
  }
}
