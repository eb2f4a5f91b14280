package dev.reprise.delivery.catalog;

import dev.reprise.policy.document.Violation;
import java.util.List;

/** Something that was asked for breaks a rule. Nothing was changed. */
public final class InvalidRequestException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** One broken rule. */
  public InvalidRequestException(String field, String value, String rule) {
    this(List.of(new Violation(field, value, rule)));
  }

  /** All rules that are broken, at least one. */
  public InvalidRequestException(List<Violation> violations) {
    super(String.join("; ", violations.stream().map(Violation::toString).toList()));
    this.violations = List.copyOf(violations);
  }

  /** Which field breaks which rule. */
  public List<Violation> violations() {
    return violations;
  }
}
