package dev.reprise.lab.scenario;

import dev.reprise.policy.document.DocumentException;
import dev.reprise.policy.document.Violation;
import java.util.List;

/** A scenario document that breaks rules. */
public final class ScenarioException extends DocumentException {
  private static final long serialVersionUID = 1;

  ScenarioException(List<Violation> violations) {
    super(violations);
  }
}
