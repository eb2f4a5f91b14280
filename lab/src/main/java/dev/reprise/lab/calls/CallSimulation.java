package dev.reprise.lab.calls;

import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.policy.Policy;
import java.util.function.Consumer;

/**
 * Runs clients and a service under a policy. Each call is run by a {@code Retry} of the production
 * code, so budgets, deadlines, timeouts, hedging, hints and pacing are what they are in production,
 * idempotence included: a policy that does not declare it does not retry failures that may have
 * taken effect, which are timeouts and failures of the service. Refused attempts, and attempts that
 * never reached the service, may always be retried.
 */
public final class CallSimulation {
  private CallSimulation() {}

  /**
   * Returns what one run gave; the same arguments always give the same. Calls that no policy ends
   * are cut off after ten times the duration and an hour, and count as stranded.
   *
   * @throws IllegalArgumentException when the model cannot be run: when a service without a quota
   *     is to hand out its slots, or attempts follow each other without end and without time
   */
  public static RunRecord run(CallModel model, Policy policy, long seed) {
    Run run = simulate(model, policy, seed, builder -> {});
    return CallFigures.record(model, run, seed);
  }

  /**
   * Runs a model and returns all that was counted.
   *
   * @param further what no document can hold, set on the strategies of the policy
   */
  static Run simulate(
      CallModel model, Policy policy, long seed, Consumer<StandardRetryStrategy.Builder> further) {
    Run run = new Run(model, policy, seed, further);
    run.run();
    return run;
  }
}
