package dev.reprise.policy.document;

import java.util.List;
import java.util.stream.Collectors;

/** A document that breaks rules. It names all of them, so that one look mends them all. */
public class DocumentException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** A document may be wrong in thousands of places; a message is for reading. */
  private static final int VIOLATIONS_IN_MESSAGE = 10;

  private final transient List<Violation> violations;

  /**
   * Creates the exception.
   *
   * @param violations at least one
   */
  protected DocumentException(List<Violation> violations) {
    super(message(violations));
    this.violations = List.copyOf(violations);
  }

  /** Returns all rules that the document breaks, at least one. */
  public final List<Violation> violations() {
    return violations;
  }

  private static String message(List<Violation> violations) {
    String named =
        violations.stream()
            .limit(VIOLATIONS_IN_MESSAGE)
            .map(Violation::toString)
            .collect(Collectors.joining("; "));
    int unnamed = violations.size() - VIOLATIONS_IN_MESSAGE;
    return unnamed > 0 ? named + "; and " + unnamed + " more" : named;
  }
}
