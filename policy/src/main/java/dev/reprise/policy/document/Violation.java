package dev.reprise.policy.document;

/**
 * One rule that a policy document breaks.
 *
 * @param path the field, with dots between the levels, such as {@code
 *     healthyRetryPolicy.numRetries}
 * @param value the value as it was written; followed by {@code (default)} when it was not
 * @param rule what the value must be
 */
public record Violation(String path, String value, String rule) {
  /** Returns the violation as one sentence: field, value and rule. */
  @Override
  public String toString() {
    return path + " is " + value + ": " + rule;
  }
}
