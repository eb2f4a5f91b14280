package dev.reprise.policy;

import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.DocumentException;
import dev.reprise.policy.document.Violation;
import java.util.List;

/** A policy document that breaks rules. */
public final class PolicyException extends DocumentException {
  private static final long serialVersionUID = 1;

  PolicyException(List<Violation> violations) {
    super(violations);
  }

  static void throwIfAny(Checks checks) {
    if (checks.count() > 0) {
      throw new PolicyException(checks.violations());
    }
  }

  /** Creates the exception for one rule; see {@link Violation}. */
  public PolicyException(String path, String value, String rule) {
    this(List.of(new Violation(path, value, rule)));
  }
}
