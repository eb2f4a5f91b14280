package dev.reprise.policy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Hedging;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads one document of the general format. */
final class StrategyReader {
  static final String PRESET = "preset";
  static final String STRATEGY = "strategy";
  static final String MAX_ATTEMPTS = "maxAttempts";
  static final String BACKOFF = "backoff";
  static final String THROTTLE_BACKOFF = "throttleBackoff";
  static final String BUDGET = "budget";
  static final String HINT_CEILING = "hintCeiling";
  static final String CLAMPS_HINTS = "clampsHints";
  static final String DELAYS_LONG_POLLS = "delaysLongPolls";
  static final String DEADLINE = "deadline";
  static final String ATTEMPT_TIMEOUT = "attemptTimeout";
  static final String HEDGING = "hedging";
  static final String IDEMPOTENT = "idempotent";
  static final String UNLIMITED = "unlimited";

  /** The fields that make no sense where there are no retries. */
  private static final List<String> RETRY_FIELDS =
      List.of(
          MAX_ATTEMPTS,
          BACKOFF,
          THROTTLE_BACKOFF,
          BUDGET,
          HINT_CEILING,
          CLAMPS_HINTS,
          DELAYS_LONG_POLLS,
          HEDGING);

  /** All fields but {@link #PRESET}, which both formats have. */
  static final List<String> FIELDS =
      List.of(
          STRATEGY,
          MAX_ATTEMPTS,
          BACKOFF,
          THROTTLE_BACKOFF,
          BUDGET,
          HINT_CEILING,
          CLAMPS_HINTS,
          DELAYS_LONG_POLLS,
          DEADLINE,
          ATTEMPT_TIMEOUT,
          HEDGING,
          IDEMPOTENT);

  private final Checks checks = new Checks();
  private final JsonNode document;

  StrategyReader(JsonNode document) {
    this.document = document;
  }

  StrategyPolicy read() {
    List<String> known = new ArrayList<>(FIELDS);
    known.add(0, PRESET);
    checks.rejectUnknown("", document, known);
    StrategyPolicy base = base();
    StrategyKind kind = kind(base);
    if (kind == StrategyKind.NONE) {
      rejectRetryFields();
    }
    CallSettings calls = calls(base.calls());
    StrategyPolicy policy =
        kind == StrategyKind.NONE ? StrategyPolicy.noRetry(calls) : withRetries(kind, base, calls);
    checks.throwIfAny();
    return policy;
  }

  /** Returns what the document changes: its preset, or the default. */
  private StrategyPolicy base() {
    JsonNode preset = document.get(PRESET);
    if (preset == null) {
      if (!document.has(STRATEGY)) {
        checks.missing(STRATEGY, "must be standard, adaptive or none; or there must be a preset");
      }
      return Presets.DEFAULT;
    }
    if (!preset.isString() || !Presets.names().contains(preset.stringValue())) {
      checks.complain(PRESET, preset, Presets.unknownNameRule());
      return Presets.DEFAULT;
    }
    return Presets.policy(preset.stringValue()).toStrategyPolicy();
  }

  private StrategyKind kind(StrategyPolicy base) {
    JsonNode value = document.get(STRATEGY);
    if (value == null) {
      return base.strategy();
    }
    StrategyKind kind = value.isString() ? StrategyKind.read(value.stringValue()) : null;
    if (kind == null) {
      checks.complain(STRATEGY, value, "must be standard, adaptive or none");
      return base.strategy();
    }
    return kind;
  }

  private void rejectRetryFields() {
    for (String field : RETRY_FIELDS) {
      if (document.has(field)) {
        checks.complain(
            field, document.get(field), "must not stand beside a strategy that never retries");
      }
    }
  }

  private StrategyPolicy withRetries(StrategyKind kind, StrategyPolicy base, CallSettings calls) {
    BackoffReader backoffs = new BackoffReader(checks);
    Integer maxAttempts = maxAttempts(base.maxAttempts());
    Backoff backoff =
        document.has(BACKOFF) ? backoffs.read(BACKOFF, document.get(BACKOFF)) : base.backoff();
    Backoff throttleBackoff =
        document.has(THROTTLE_BACKOFF)
            ? backoffs.read(THROTTLE_BACKOFF, document.get(THROTTLE_BACKOFF))
            : standardThrottleBackoff(base, backoff);
    BudgetPolicy budget =
        document.has(BUDGET)
            ? new BudgetReader(checks).read(BUDGET, document.get(BUDGET))
            : base.budget();
    Duration hintCeiling =
        document.has(HINT_CEILING)
            ? checks.duration(HINT_CEILING, document.get(HINT_CEILING))
            : base.hintCeiling();
    boolean clampsHints = checks.flag("", document, CLAMPS_HINTS, base.clampsHints());
    boolean delaysLongPolls = checks.flag("", document, DELAYS_LONG_POLLS, base.delaysLongPolls());
    if (maxAttempts != null && maxAttempts == 1 && calls.hedging() != null) {
      checks.complain(HEDGING, document.path(HEDGING), StrategyPolicy.HEDGING_RULE);
    }
    if (maxAttempts == null
        || backoff == null
        || throttleBackoff == null
        || budget == null
        || hintCeiling == null
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

  /** A backoff that was written holds after throttles too: nobody expects that to be faster. */
  private @Nullable Backoff standardThrottleBackoff(StrategyPolicy base, @Nullable Backoff own) {
    return document.has(BACKOFF) ? own : base.throttleBackoff();
  }

  private @Nullable Integer maxAttempts(int standard) {
    JsonNode value = document.get(MAX_ATTEMPTS);
    if (value == null) {
      return standard;
    }
    if (value.isString() && value.stringValue().equals(UNLIMITED)) {
      return Policy.UNLIMITED;
    }
    int most = Policy.UNLIMITED - 1;
    return Checks.isWhole(value)
        ? checks.whole(
            MAX_ATTEMPTS, value, 1, most, "must be between 1 and " + most + ", or unlimited")
        : complain(MAX_ATTEMPTS, value, "must be a whole number, or unlimited");
  }

  private CallSettings calls(CallSettings base) {
    Duration deadline = time(DEADLINE, base.deadline());
    Duration attemptTimeout = time(ATTEMPT_TIMEOUT, base.attemptTimeout());
    Hedging hedging = document.has(HEDGING) ? hedging(document.get(HEDGING)) : base.hedging();
    int before = checks.count();
    boolean idempotent = checks.flag("", document, IDEMPOTENT, base.idempotent());
    if (hedging != null && !idempotent && checks.count() == before) {
      checks.add(
          new Violation(
              IDEMPOTENT,
              document.has(IDEMPOTENT) ? "false" : "false (default)",
              CallSettings.IDEMPOTENT_RULE));
      return base;
    }
    return checks.count() > before
        ? base
        : new CallSettings(deadline, attemptTimeout, hedging, idempotent);
  }

  private @Nullable Duration time(String field, @Nullable Duration standard) {
    JsonNode value = document.get(field);
    if (value == null) {
      return standard;
    }
    Duration time = checks.duration(field, value);
    if (time != null && time.isZero()) {
      checks.complain(field, value, CallSettings.TIME_RULE);
      return null;
    }
    return time;
  }

  private @Nullable Hedging hedging(JsonNode value) {
    if (!value.isObject()) {
      checks.complain(HEDGING, value, "must be an object with a delay");
      return null;
    }
    checks.rejectUnknown(HEDGING, value, List.of("delay", "maxHedges"));
    Duration delay = checks.requiredDuration(HEDGING, value, "delay");
    JsonNode count = value.get("maxHedges");
    Integer maxHedges =
        count == null
            ? Integer.valueOf(1)
            : checks.whole(
                HEDGING + ".maxHedges", count, 1, Integer.MAX_VALUE, "must be at least 1");
    return delay == null || maxHedges == null
        ? null
        : checks.made(HEDGING, value, () -> new Hedging(delay, maxHedges));
  }

  private @Nullable Integer complain(String field, JsonNode value, String rule) {
    checks.complain(field, value, rule);
    return null;
  }
}
