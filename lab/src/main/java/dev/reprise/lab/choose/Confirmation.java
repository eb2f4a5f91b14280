package dev.reprise.lab.choose;

import dev.reprise.lab.Parallel;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.fleet.FleetSimulation;
import dev.reprise.lab.scenario.FleetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A candidate, simulated device by device.
 *
 * @param candidate what was simulated
 * @param result the runs, of {@code devices} of the fleet
 * @param devices how many were simulated, with as much less capacity
 * @param expected the means of the runs; of the whole fleet
 * @param regret of the whole fleet, over the runs
 */
record Confirmation(
    Candidate candidate,
    PolicyResult result,
    int devices,
    Map<Figure, Double> expected,
    double regret) {
  private static final int RUNS = 5;

  /** The attempts that are simulated in about a second. */
  private static final double ATTEMPTS = 2e6;

  /** Fewer devices have more chance in their figures; so they take longer, up to ten times. */
  private static final double MIN_DEVICES = 20_000;

  private static final double MAX_ATTEMPTS = 10 * ATTEMPTS;

  /** Simulates the candidates and returns them, the one with the least regret first. */
  static List<Confirmation> of(
      Parallel parallel, FleetModel model, List<Candidate> candidates, long seed)
      throws InterruptedException {
    // One outage for all of them: their luck is the same then.
    ShortOutage shortened =
        ShortOutage.of(model, candidates.stream().map(Candidate::policy).toList());
    FleetModel sample = sample(shortened, candidates);
    List<Callable<RunRecord>> tasks = new ArrayList<>();
    for (Candidate candidate : candidates) {
      for (int i = 0; i < RUNS; i++) {
        long its = seed + i;
        tasks.add(
            () -> {
              RunRecord run = FleetSimulation.run(sample, candidate.policy(), its);
              return new RunRecord(
                  run.seed(),
                  shortened.whole(candidate.policy(), run.figures()),
                  run.series(),
                  run.distributions(),
                  run.events());
            });
      }
    }
    List<RunRecord> runs = parallel.run(tasks);
    double share = (double) sample.devices() / model.devices();
    List<Confirmation> confirmed = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      List<RunRecord> its = runs.subList(i * RUNS, (i + 1) * RUNS);
      confirmed.add(of(candidates.get(i), its, sample.devices(), share));
    }
    confirmed.sort(Comparator.comparingDouble(Confirmation::regret));
    return confirmed;
  }

  /**
   * Judges runs of a share of the fleet. The scatter of so many devices falls with the root of
   * their number, and with it what it adds to the peak, which the mean field has without scatter.
   */
  static Confirmation of(Candidate candidate, List<RunRecord> runs, int devices, double share) {
    EnumMap<Figure, Double> expected = new EnumMap<>(Figure.class);
    double fluidPeak = candidate.figure(Figure.PEAK_RATIO);
    double regret = 0;
    for (RunRecord run : runs) {
      EnumMap<Figure, Double> whole = new EnumMap<>(run.figures());
      double peak = Candidate.figure(run.figures(), Figure.PEAK_RATIO);
      double wholePeak = fluidPeak + (peak - fluidPeak) * Math.sqrt(share);
      whole.put(Figure.PEAK_RATIO, wholePeak);
      // Peaks are in proportion to the capacity, and that to the devices.
      for (Figure figure : List.of(Figure.PEAK_AFTER_RECOVERY, Figure.PEAK_DURING_OUTAGE)) {
        whole.computeIfPresent(
            figure, (unused, value) -> value / share * (peak > 0 ? wholePeak / peak : 1));
      }
      regret += Candidate.regret(whole) / runs.size();
      whole.forEach((figure, value) -> expected.merge(figure, value / runs.size(), Double::sum));
    }
    return new Confirmation(
        candidate,
        new PolicyResult(candidate.name(), candidate.policy(), runs),
        devices,
        Map.copyOf(expected),
        regret);
  }

  /** Returns the candidate with its simulated figures. */
  Candidate simulated() {
    return new Candidate(candidate.name(), candidate.policy(), expected);
  }

  /** Returns whether all devices came back in all runs, within the limits on average. */
  boolean keeps(Limits limits) {
    return Candidate.figure(expected, Figure.DRAIN_LAST) < Double.POSITIVE_INFINITY
        && limits.excess(expected) <= 1;
  }

  /** Returns as much of the fleet as can be simulated in a few seconds. */
  private static FleetModel sample(ShortOutage shortened, List<Candidate> candidates) {
    FleetModel model = shortened.model();
    double most =
        candidates.stream()
            .mapToDouble(
                each -> each.figure(Figure.ATTEMPTS) - shortened.cutAttempts(each.policy()))
            .max()
            .orElseThrow();
    double devices = Math.max(ATTEMPTS / most, Math.min(MIN_DEVICES, MAX_ATTEMPTS / most));
    return devices >= model.devices() ? model : Task.sample(model, devices / model.devices());
  }
}
