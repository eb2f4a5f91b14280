package dev.reprise.lab.replay;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.Failure.Interval;
import dev.reprise.lab.scenario.Failure.Trace;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Builds the scenario in which policies meet failures that were recorded: calls come at a constant
 * rate, from the first failure until as long again after the last.
 */
public final class FailureReplay {
  /** The end of a trace matters as much as the trace. */
  private static final Duration AFTERWARDS = Duration.ofMinutes(1);

  /** The most calls; these take about half a minute. */
  private static final double MAX_CALLS = 5e6;

  private FailureReplay() {}

  /**
   * Returns whether a recording is of failures, as {@link RecordedFailures} reads them, and not of
   * attempts, as {@link AttemptLog} does: attempts have a delivery, and failures do not.
   */
  public static boolean isOfFailures(String text) {
    String start = text.stripLeading();
    if (start.startsWith("{") || start.startsWith("[")) {
      return false;
    }
    String first = start.lines().findFirst().orElse("");
    return !first.contains("delivery") && first.split(",", -1).length < 5;
  }

  /**
   * Builds the scenario.
   *
   * @param name of the scenario
   * @param failures of the endpoint
   * @param rate how often calls come, as {@link RateText} reads it, more than 0
   * @param policies by name; calls count as idempotent whatever they say
   * @throws InvalidSettingException when there is no failure ({@code failures}), or when the {@code
   *     rate} is none or gives more than five million calls
   */
  public static Scenario scenario(
      String name, Trace failures, String rate, Map<String, Policy> policies) {
    OptionalDouble perSecond = RateText.read(rate);
    if (perSecond.isEmpty() || perSecond.getAsDouble() == 0) {
      throw new InvalidSettingException("rate", rate, RateText.RULE + ", more than 0");
    }
    if (failures.intervals().isEmpty()) {
      throw new InvalidSettingException(
          "failures", "empty", "must have a line such as 14:02,14:31");
    }
    Duration end = Duration.ZERO;
    Duration down = Duration.ZERO;
    for (Interval interval : failures.intervals()) {
      end = interval.to();
      down = down.plus(interval.to().minus(interval.from()));
    }
    Duration duration = end.multipliedBy(2).plus(AFTERWARDS);
    double calls = perSecond.getAsDouble() * Seconds.of(duration);
    if (calls > MAX_CALLS) {
      throw new InvalidSettingException(
          "rate",
          rate,
          AmountText.count(calls)
              + " calls in "
              + AmountText.plain(duration)
              + " are too many; must give at most "
              + AmountText.count(MAX_CALLS));
    }
    String situation =
        "The endpoint fails for "
            + AmountText.plain(down)
            + " of "
            + AmountText.plain(duration)
            + ", in which "
            + AmountText.count(calls)
            + " calls come, "
            + rate
            + ".";
    CallModel model =
        new CallModel(
            new CallModel.Clients(
                1,
                true,
                new CallModel.Load.Open(
                    List.of(new CallModel.Step(Duration.ZERO, perSecond.getAsDouble()))),
                null),
            List.of(),
            new CallModel.Service(
                0,
                new CallModel.ServiceTime(
                    Duration.ZERO, Duration.ZERO, CallModel.ServiceTime.Shape.FIXED),
                CallModel.Queue.UNBOUNDED,
                null,
                new Hint.None()),
            Duration.ZERO,
            List.of(failures),
            Duration.ZERO,
            duration);
    Map<String, Policy> repeatable = new LinkedHashMap<>();
    policies.forEach((policy, said) -> repeatable.put(policy, idempotent(said)));
    return new Scenario(name, situation, model, repeatable, 1, 1);
  }

  /** Deliveries may come twice: that is the contract of at least once. */
  private static Policy idempotent(Policy policy) {
    StrategyPolicy said = policy.toStrategyPolicy();
    CallSettings calls = said.calls();
    return said.withCalls(
        new CallSettings(
            calls.deadline(), calls.attemptTimeout(), calls.hedging(), /* idempotent= */ true));
  }
}
