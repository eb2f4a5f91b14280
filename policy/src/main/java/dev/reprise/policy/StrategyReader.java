package dev.reprise.policy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Hedging;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads one document of the general format. */
final class StrategyReader {
  private final Checks checks = new Checks();
  private final JsonNode document;

  StrategyReader(JsonNode document) {
    this.document = document;
  }

  StrategyPolicy read() {
    List<String> known = new ArrayList<>(StrategyFields.NAMES);
    known.add(0, StrategyFields.PRESET);
    checks.rejectUnknown("", document, known);
    StrategyPolicy base = base();
    StrategyKind kind = kind(base);
    if (kind == StrategyKind.NONE) {
      rejectRetryFields();
    }
    CallSettings calls = calls(base.calls());
    StrategyPolicy policy =
        kind == StrategyKind.NONE ? StrategyPolicy.noRetry(calls) : withRetries(kind, base, calls);
    PolicyException.throwIfAny(checks);
    return policy;
  }

  /** Returns what the document changes: its preset, or the default. */
  private StrategyPolicy base() {
    JsonNode preset = document.get(StrategyFields.PRESET);
    if (preset == null) {
      if (!document.has(StrategyFields.STRATEGY.name())) {
        checks.missing(
            StrategyFields.STRATEGY.name(),
            "must be standard, adaptive or none; or there must be a preset");
      }
      return Presets.DEFAULT;
    }
    if (!preset.isString() || !Presets.names().contains(preset.stringValue())) {
      checks.complain(StrategyFields.PRESET, preset, Presets.unknownNameRule());
      return Presets.DEFAULT;
    }
    return Presets.policy(preset.stringValue()).toStrategyPolicy();
  }

  private StrategyKind kind(StrategyPolicy base) {
    StrategyKind kind = StrategyFields.STRATEGY.readOr(checks, "", document, base.strategy());
    return kind == null ? base.strategy() : kind;
  }

  private void rejectRetryFields() {
    for (String field : StrategyFields.NAMES_OF_RETRIES) {
      if (document.has(field)) {
        checks.complain(
            field, document.get(field), "must not stand beside a strategy that never retries");
      }
    }
  }

  private StrategyPolicy withRetries(StrategyKind kind, StrategyPolicy base, CallSettings calls) {
    Integer maxAttempts = read(StrategyFields.MAX_ATTEMPTS, base);
    Backoff backoff = read(StrategyFields.BACKOFF, base);
    Backoff throttleBackoff =
        StrategyFields.THROTTLE_BACKOFF.readOr(
            checks, "", document, standardThrottleBackoff(base, backoff));
    BudgetPolicy budget = read(StrategyFields.BUDGET, base);
    Duration hintCeiling = read(StrategyFields.HINT_CEILING, base);
    Boolean clampsHints = read(StrategyFields.CLAMPS_HINTS, base);
    Boolean delaysLongPolls = read(StrategyFields.DELAYS_LONG_POLLS, base);
    if (maxAttempts != null && maxAttempts == 1 && calls.hedging() != null) {
      String field = StrategyFields.HEDGING.name();
      checks.complain(field, document.path(field), StrategyPolicy.HEDGING_RULE);
    }
    if (maxAttempts == null
        || backoff == null
        || throttleBackoff == null
        || budget == null
        || hintCeiling == null
        || clampsHints == null
        || delaysLongPolls == null
        || checks.count() > 0) {
      return base;
    }
    return new StrategyPolicy(
        kind,
        maxAttempts,
        backoff,
        throttleBackoff,
        budget,
        hintCeiling,
        clampsHints,
        delaysLongPolls,
        calls);
  }

  /** Returns the value of a field; that of the base where the document does not have it. */
  private <V> @Nullable V read(Field<StrategyPolicy, V> field, StrategyPolicy base) {
    return field.readOr(checks, "", document, field.getter().apply(base));
  }

  /** A backoff that was written holds after throttles too: nobody expects that to be faster. */
  private @Nullable Backoff standardThrottleBackoff(StrategyPolicy base, @Nullable Backoff own) {
    return document.has(StrategyFields.BACKOFF.name()) ? own : base.throttleBackoff();
  }

  private CallSettings calls(CallSettings base) {
    Duration deadline = read(StrategyFields.DEADLINE, base);
    Duration attemptTimeout = read(StrategyFields.ATTEMPT_TIMEOUT, base);
    Hedging hedging = read(StrategyFields.HEDGING, base);
    Boolean idempotent = read(StrategyFields.IDEMPOTENT, base);
    if (idempotent == null) {
      return base;
    }
    if (hedging != null && !idempotent) {
      String field = StrategyFields.IDEMPOTENT.name();
      checks.add(
          new Violation(
              field,
              document.has(field) ? "false" : "false (default)",
              CallSettings.IDEMPOTENT_RULE));
      return base;
    }
    return new CallSettings(deadline, attemptTimeout, hedging, idempotent);
  }

  private <V> @Nullable V read(Field<CallSettings, V> field, CallSettings base) {
    return field.readOr(checks, "", document, field.getter().apply(base));
  }
}
