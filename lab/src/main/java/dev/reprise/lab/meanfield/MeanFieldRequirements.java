package dev.reprise.lab.meanfield;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.kernel.DelayLaw.Piece;
import dev.reprise.lab.kernel.DeviceBudget;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.util.List;

/**
 * Refuses models that the mean field cannot follow: its devices remember nothing but their retries.
 */
final class MeanFieldRequirements {
  private static final String SIMULATE = "; simulate it";

  /**
   * The least number of devices. Of fewer the return of the last one is random, which a fluid
   * cannot show.
   */
  private static final int MIN_DEVICES = 1_000;

  /**
   * The least mean delay in steps. Of evenly drawn delays of this mean, one in twenty ends too
   * late.
   */
  private static final int MIN_STEPS = 5;

  private MeanFieldRequirements() {}

  static void requireModel(FleetModel model) {
    for (int i = 0; i < model.failures().size(); i++) {
      if (model.failures().get(i) instanceof Failure.Bursts) {
        throw new InvalidSettingException(
            "failures[" + i + "]",
            "bursts",
            "the mean field needs failures that are the same in every run" + SIMULATE);
      }
    }
    if (model.hint() instanceof Hint.Slots) {
      throw new InvalidSettingException(
          "hint", "slots", "the mean field does not know who holds one" + SIMULATE);
    }
    if (model.overactive().of(model.devices()) == model.devices()) {
      throw new InvalidSettingException("overactive.share", "1", "must leave devices to the fleet");
    }
  }

  static void requireDevices(FleetModel model) {
    if (model.devices() < MIN_DEVICES) {
      throw new InvalidSettingException(
          "devices",
          model.devices(),
          "the mean field needs at least "
              + MIN_DEVICES
              + ", for of few devices chance decides"
              + SIMULATE);
    }
  }

  /** Delays that end within a step end with it, which is too late where many do. */
  static void requireDelays(
      FleetModel model, String name, StrategyPolicy policy, double stepSeconds) {
    if (policy.maxRetries() == 0) {
      return;
    }
    DelayLaw failed = DelayLaw.of(policy.backoff(), Integer.MAX_VALUE);
    requireDelay(name + ".backoff", failed.pieces(), stepSeconds);
    DelayLaw refused = DelayLaw.of(policy.throttleBackoff(), Integer.MAX_VALUE);
    requireDelay(
        name + ".throttleBackoff", HintedDelays.of(refused, model.hint(), policy), stepSeconds);
  }

  private static void requireDelay(String name, List<Piece> pieces, double stepSeconds) {
    double mean = 0;
    double share = 0;
    double lowest = Double.POSITIVE_INFINITY;
    for (Piece piece : pieces) {
      mean += piece.share() * (piece.lowestSeconds() + piece.highestSeconds()) / 2;
      share += piece.share();
      lowest = Math.min(lowest, piece.lowestSeconds());
    }
    if (lowest < stepSeconds * (1 - 1e-9) && mean < MIN_STEPS * stepSeconds * share) {
      throw new IllegalArgumentException(
          name
              + " waits "
              + AmountText.seconds(mean / share)
              + " on average in the end: the mean field needs at least "
              + AmountText.seconds(MIN_STEPS * stepSeconds)
              + " with steps of "
              + AmountText.seconds(stepSeconds)
              + SIMULATE);
    }
  }

  static void requirePolicy(FleetModel model, String name, StrategyPolicy policy) {
    if (policy.strategy() == StrategyKind.ADAPTIVE) {
      throw new InvalidSettingException(
          name + ".strategy", "adaptive", "must be standard or none in a fleet");
    }
    if (policy.calls().deadline() != null) {
      throw new InvalidSettingException(
          name + ".deadline",
          policy.calls().deadline(),
          "the mean field knows no device's first attempt" + SIMULATE);
    }
    if (DeviceBudget.paidRetries(policy.budget()) < policy.maxRetries()) {
      throw new IllegalArgumentException(
          name
              + ".budget pays for "
              + DeviceBudget.paidRetries(policy.budget())
              + " retries: the mean field needs one that pays for all, or none"
              + SIMULATE);
    }
    if (model.hint() instanceof Hint.Uniform uniform
        && policy.clampsHints()
        && uniform.highest().compareTo(policy.hintCeiling()) > 0) {
      throw new InvalidSettingException(
          name + ".clampsHints",
          "true",
          "the mean field needs hints up to hintCeiling, which is "
              + policy.hintCeiling()
              + SIMULATE);
    }
    requireInterval(model, name, policy);
  }

  private static void requireInterval(FleetModel model, String name, StrategyPolicy policy) {
    long intervalNanos = model.perDeviceInterval().toNanos();
    if (policy.maxRetries() == 0 || intervalNanos == 0) {
      return;
    }
    if (lowestNanos(policy.backoff()) < intervalNanos
        || lowestNanos(policy.throttleBackoff()) < intervalNanos) {
      throw new InvalidSettingException(
          "perDeviceInterval",
          model.perDeviceInterval(),
          "the mean field needs delays of " + name + " that are never shorter" + SIMULATE);
    }
  }

  /** The delays of a fleet's policy seldom fall; where they do, the first ones tell. */
  private static long lowestNanos(Backoff backoff) {
    long lowest = Long.MAX_VALUE;
    for (int retry = 1; retry <= 64; retry++) {
      lowest = Math.min(lowest, backoff.range(retry).lowestNanos());
    }
    return Math.min(lowest, backoff.range(Integer.MAX_VALUE).lowestNanos());
  }
}
