package dev.reprise.lab.lint;

/** How bad a finding is. */
public enum Severity {
  /** In the situation that was given, or in any, the policy fails. */
  ERROR,

  /** The policy harms in most situations. */
  WARNING,

  /** Whether it harms depends on what was not said. */
  NOTE
}
