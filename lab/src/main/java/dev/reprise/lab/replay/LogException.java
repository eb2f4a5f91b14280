package dev.reprise.lab.replay;

import dev.reprise.policy.document.DocumentException;
import dev.reprise.policy.document.Violation;
import java.util.List;

/** Thrown when a recording cannot be read. */
public final class LogException extends DocumentException {
  private static final long serialVersionUID = 1;

  LogException(List<Violation> violations) {
    super(violations);
  }
}
