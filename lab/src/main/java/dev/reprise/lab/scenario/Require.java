package dev.reprise.lab.scenario;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.policy.document.DurationText;
import java.time.Duration;

/** Rules that several values share. Each refusal names the field, the value and the rule. */
final class Require {
  private static final Duration MAX_DURATION = Duration.ofDays(365);

  private Require() {}

  static void between(String field, int value, int lowest, int highest) {
    if (value < lowest || value > highest) {
      throw new InvalidSettingException(
          field, value, "must be between " + lowest + " and " + highest);
    }
  }

  static void between(String field, double value, double lowest, double highest) {
    if (!(value >= lowest && value <= highest)) {
      throw new InvalidSettingException(
          field, value, "must be between " + lowest + " and " + highest);
    }
  }

  static void positive(String field, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new InvalidSettingException(field, value, "must be > 0");
    }
  }

  /** Simulated times are at most a year. */
  static void span(String field, Duration value) {
    if (value.isNegative() || value.compareTo(MAX_DURATION) > 0) {
      throw new InvalidSettingException(
          field, DurationText.exact(value), "must be between 0 and 365 days");
    }
  }

  static void positiveSpan(String field, Duration value) {
    span(field, value);
    if (value.isZero()) {
      throw new InvalidSettingException(field, "0s", "must be more than 0");
    }
  }

  static void order(String field, Duration value, String laterField, Duration later) {
    if (value.compareTo(later) >= 0) {
      throw new InvalidSettingException(
          field,
          DurationText.exact(value),
          "must be before " + laterField + ", which is " + DurationText.exact(later));
    }
  }
}
