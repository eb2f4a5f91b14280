package dev.reprise.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Properties that break rules. It names each with its value and the rule. */
final class RetryPropertyException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  RetryPropertyException(String property, String value, String rule) {
    this(List.of(property + " is " + value + ": " + rule), null);
  }

  RetryPropertyException(List<String> violations, @Nullable Throwable cause) {
    super(String.join("\n", violations), cause);
  }
}
