package dev.reprise.core;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a setting is refused. Its message is {@code field is value: rule}, and the three
 * parts can be asked for, so that a reader of documents, options or properties can report the
 * setting under the name that it has there.
 */
public final class InvalidSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String field;
  private final String value;
  private final String rule;

  /**
   * Creates the exception.
   *
   * @param field the name of the setting, as its method or its component is called
   * @param value the refused value, kept as text
   * @param rule what the value must be, such as {@code must be >= 1}
   */
  public InvalidSettingException(String field, @Nullable Object value, String rule) {
    super(field + " is " + value + ": " + rule);
    this.field = Objects.requireNonNull(field, "field");
    this.value = String.valueOf(value);
    this.rule = Objects.requireNonNull(rule, "rule");
  }

  /** Returns the name of the setting. */
  public String field() {
    return field;
  }

  /** Returns the refused value as text; {@code null} for none. */
  public String value() {
    return value;
  }

  /** Returns the rule that the value breaks. */
  public String rule() {
    return rule;
  }
}
