package dev.reprise.policy;

import java.util.List;

/** A policy document that breaks rules. */
public final class PolicyException extends DocumentException {
  private static final long serialVersionUID = 1;

  PolicyException(List<Violation> violations) {
    super(violations);
  }

  PolicyException(String path, String value, String rule) {
    this(List.of(new Violation(path, value, rule)));
  }
}
