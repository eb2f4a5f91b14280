package dev.reprise.policy.preview;

/** The severity of a finding. */
public enum Severity {
  /** In the situation that was given, or in any, the policy fails. */
  ERROR,

  /** The policy harms in most situations. */
  WARNING,

  /** The effect depends on facts that were not given. */
  NOTE
}
