package dev.reprise.lab;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.calls.CallSimulation;
import dev.reprise.lab.contention.ContentionSimulation;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.fleet.FleetSimulation;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Runs scenarios. Each run of a policy is one simulation on one thread, and what it gives depends
 * on its seed alone; so the number of threads changes nothing but how long it takes.
 */
public final class Lab {
  /** Receives progress: one call for each run that has ended, by the thread that ran it. */
  @FunctionalInterface
  public interface Progress {
    /**
     * A run has ended.
     *
     * @param done how many have, at least 1
     * @param all how many there are
     */
    void ran(int done, int all);
  }

  private final int threads;
  private final Progress progress;

  /**
   * Creates a lab.
   *
   * @param threads how many runs go on at a time, at least 1
   * @param progress told of each run that has ended
   */
  public Lab(int threads, Progress progress) {
    if (threads < 1) {
      throw new InvalidSettingException("threads", threads, "must be >= 1");
    }
    this.threads = threads;
    this.progress = progress;
  }

  /**
   * Runs all policies of a scenario, each with all seeds.
   *
   * @return one result for each policy, in the scenario's order
   * @throws InterruptedException when the calling thread is interrupted; no further run begins
   *     then, and what the runs under way give is dropped
   * @throws IllegalArgumentException when a model cannot be run with one of the policies
   */
  public List<PolicyResult> run(Scenario scenario) throws InterruptedException {
    List<Callable<RunRecord>> tasks = new ArrayList<>();
    for (Policy policy : scenario.policies().values()) {
      for (int i = 0; i < scenario.runs(); i++) {
        long seed = scenario.seed() + i;
        tasks.add(() -> runOnce(scenario.model(), policy, seed));
      }
    }
    try (Parallel parallel = parallel()) {
      Iterator<RunRecord> records = parallel.run(tasks).iterator();
      List<PolicyResult> results = new ArrayList<>();
      for (Map.Entry<String, Policy> policy : scenario.policies().entrySet()) {
        List<RunRecord> runs = new ArrayList<>();
        for (int i = 0; i < scenario.runs(); i++) {
          runs.add(records.next());
        }
        results.add(new PolicyResult(policy.getKey(), policy.getValue(), runs));
      }
      return results;
    }
  }

  /** Returns what runs other tasks on as many threads, and tells the same progress. */
  public Parallel parallel() {
    return new Parallel(threads, progress);
  }

  /** Runs one policy once, on the calling thread. */
  public static RunRecord runOnce(Model model, Policy policy, long seed) {
    if (model instanceof FleetModel fleet) {
      return FleetSimulation.run(fleet, policy, seed);
    }
    if (model instanceof CallModel calls) {
      return CallSimulation.run(calls, policy, seed);
    }
    return ContentionSimulation.run((ContentionModel) model, policy, seed);
  }
}
