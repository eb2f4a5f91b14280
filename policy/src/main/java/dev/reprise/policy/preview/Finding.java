package dev.reprise.policy.preview;

/**
 * A harmful property of a policy.
 *
 * @param rule which rule found it, such as {@code jitter-lost-at-cap}
 * @param severity how bad it is
 * @param problem what is wrong, in one sentence with the policy's own numbers
 * @param proof a formula with the numbers put in
 * @param change the remedy
 */
public record Finding(
    String rule, Severity severity, String problem, String proof, Change change) {}
