package dev.reprise.lab.choose;

import dev.reprise.lab.Lab;
import dev.reprise.lab.Parallel;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.lint.PolicyLinter;
import dev.reprise.lab.lint.Situation;
import dev.reprise.lab.meanfield.MeanField;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * Searches policies for a fleet and recommends one: more than a thousand by the mean field in
 * coarse steps, the front of the trade-off in fine ones, and the best few device by device. How one
 * is picked is {@link Choice#RULE}. The result does not depend on the number of threads.
 */
public final class PolicyChooser {
  private static final Duration COARSE_STEP = Duration.ofMillis(100);

  private static final int CONFIRMED_POLICIES = 3;
  private static final int FINE_POLICIES = 8;

  /** The best of those near the limits, and then those that are the safest by them. */
  private static final int MAX_BEST_TRIED = 56;

  private static final int MAX_SAFEST_TRIED = 8;

  /**
   * Orders by regret; at equal regret, to the percent that the fluid is accurate to, by the number
   * of attempts.
   */
  private static final Comparator<Candidate> BEST_FIRST =
      Comparator.<Candidate>comparingDouble(each -> Math.rint(100 * StrictMath.log(each.regret())))
          .thenComparingDouble(each -> each.figure(Figure.ATTEMPTS));

  private final Lab lab;

  /**
   * Creates a chooser.
   *
   * @param threads how many policies are worked on at a time, at least 1
   * @param progress told of each policy that was solved or simulated; how many there are grows once
   *     the search is over
   */
  public PolicyChooser(int threads, Lab.Progress progress) {
    this.lab = new Lab(threads, progress);
  }

  /**
   * Returns what was found for a task.
   *
   * @throws IllegalArgumentException naming what the mean field cannot follow
   * @throws InterruptedException when the calling thread is interrupted; what is under way ends
   *     within moments
   */
  public Choice choose(Task task) throws InterruptedException {
    FleetModel model = task.model();
    Map<String, StrategyPolicy> grid = Grid.of(model);
    try (Parallel parallel = lab.parallel()) {
      List<Map.Entry<String, StrategyPolicy>> possible =
          grid.entrySet().stream()
              .filter(each -> Collapse.of(model, each.getValue()).capacityShare() < 1)
              .filter(each -> !ShortOutage.staysInStep(model, each.getValue()))
              .toList();
      List<Candidate> drained =
          solve(
              parallel,
              model,
              possible,
              (its, policy) -> MeanField.solve(its, policy, COARSE_STEP));
      List<Candidate> eligible =
          drained.stream()
              .filter(each -> FirstRetry.isSoon(each.policy()) && isClean(model, each.policy()))
              .toList();
      Trials tried = tried(parallel, task, eligible);
      List<Candidate> front =
          ParetoFront.of(fine(parallel, model, ParetoFront.of(drained))).stream()
              .map(FirstRetry::named)
              .toList();
      int pruned = grid.size() - possible.size();
      if (tried.kept().isEmpty()) {
        return new Choice(
            task,
            null,
            null,
            MissedLimits.of(task, drained, eligible, tried),
            List.of(),
            front,
            List.of(),
            0,
            List.of(),
            null,
            grid.size(),
            pruned);
      }
      Confirmation best = tried.kept().get(0);
      Candidate recommended = best.simulated();
      List<WhatIf> whatIf = whatIf(parallel, task, recommended);
      Sentences sentences = new Sentences(task, recommended);
      return new Choice(
          task,
          recommended,
          PolicyDocuments.write(recommended.policy()),
          sentences.reasons(grid.size(), eligible.size()),
          sentences.caveats(whatIf, best),
          front,
          tried.kept().stream().map(Confirmation::result).toList(),
          best.devices(),
          whatIf,
          Collapse.of(model, recommended.policy()),
          grid.size(),
          pruned);
    }
  }

  /** Goes on to the next best until some keep the limits, as simulated. */
  private static Trials tried(Parallel parallel, Task task, List<Candidate> eligible)
      throws InterruptedException {
    Limits limits = task.limits();
    List<Candidate> queue = queue(eligible, limits);
    List<Candidate> solved = new ArrayList<>();
    List<Confirmation> simulated = new ArrayList<>();
    for (List<Candidate> batch : parts(queue, FINE_POLICIES)) {
      List<Candidate> fine = fine(parallel, task.model(), batch);
      solved.addAll(fine);
      List<Candidate> keeping =
          differing(
              fine.stream().filter(each -> limits.excess(each.figures()) <= 1).toList(),
              FINE_POLICIES);
      for (List<Candidate> part : parts(keeping, CONFIRMED_POLICIES)) {
        List<Confirmation> its = Confirmation.of(parallel, task.model(), part, task.seed());
        simulated.addAll(its);
        List<Confirmation> kept = its.stream().filter(each -> each.keeps(limits)).toList();
        if (!kept.isEmpty()) {
          return new Trials(solved, simulated, kept);
        }
      }
    }
    return new Trials(solved, simulated, List.of());
  }

  private static List<List<Candidate>> parts(List<Candidate> candidates, int size) {
    List<List<Candidate>> parts = new ArrayList<>();
    for (int from = 0; from < candidates.size(); from += size) {
      parts.add(candidates.subList(from, Math.min(candidates.size(), from + size)));
    }
    return parts;
  }

  private interface Solver {
    RunRecord solve(FleetModel model, StrategyPolicy policy);
  }

  private static List<Candidate> solve(
      Parallel parallel,
      FleetModel model,
      List<Map.Entry<String, StrategyPolicy>> policies,
      Solver solver)
      throws InterruptedException {
    List<Callable<Candidate>> tasks = new ArrayList<>();
    for (Map.Entry<String, StrategyPolicy> each : policies) {
      tasks.add(
          () ->
              new Candidate(
                  each.getKey(), each.getValue(), figures(model, each.getValue(), solver)));
    }
    return parallel.run(tasks).stream().filter(Candidate::isDrained).toList();
  }

  private static Map<Figure, Double> figures(
      FleetModel model, StrategyPolicy policy, Solver solver) {
    ShortOutage shortened = ShortOutage.of(model, List.of(policy));
    return shortened.whole(policy, solver.solve(shortened.model(), policy).figures());
  }

  /** Solves in the steps that suit each policy: 10 ms cannot follow the longest delays. */
  static List<Candidate> fine(Parallel parallel, FleetModel model, List<Candidate> candidates)
      throws InterruptedException {
    return solve(
        parallel,
        model,
        candidates.stream().map(each -> Map.entry(each.name(), each.policy())).toList(),
        MeanField::solve);
  }

  /** Returns whether the linter has at most notes. */
  static boolean isClean(FleetModel model, StrategyPolicy policy) {
    return PolicyLinter.lint(policy, Situation.of(model)).stream()
        .allMatch(finding -> finding.severity() == Severity.NOTE);
  }

  /** Returns those that may be the best in fine steps too, in the order to try them. */
  static List<Candidate> queue(List<Candidate> eligible, Limits limits) {
    Comparator<Candidate> safestFirst =
        Comparator.comparingDouble(each -> limits.excess(each.figures()));
    // A limit that is missed by little may be kept in fine steps.
    List<Candidate> near =
        eligible.stream().filter(each -> limits.excess(each.figures()) <= 1.02).toList();
    if (near.isEmpty()) {
      return eligible.stream().sorted(safestFirst).limit(1).toList();
    }
    List<Candidate> queue = new ArrayList<>(differing(near, MAX_BEST_TRIED));
    near.stream()
        .filter(each -> !queue.contains(each))
        .sorted(safestFirst)
        .limit(MAX_SAFEST_TRIED)
        .toList()
        .forEach(queue::add);
    return List.copyOf(queue);
  }

  /** Returns the best few, without those that are all but equal to a better one. */
  private static List<Candidate> differing(List<Candidate> candidates, int most) {
    List<Candidate> differing = new ArrayList<>();
    for (Candidate candidate : candidates.stream().sorted(BEST_FIRST).toList()) {
      if (differing.size() < most
          && differing.stream().noneMatch(each -> isAlike(each, candidate))) {
        differing.add(candidate);
      }
    }
    return differing;
  }

  private static boolean isAlike(Candidate one, Candidate other) {
    return Stream.of(Figure.DRAIN_RATIO, Figure.ATTEMPTS_AFTER_RECOVERY, Figure.PEAK_RATIO)
        .allMatch(
            figure ->
                Math.abs(one.figure(figure) - other.figure(figure)) < 0.02 * one.figure(figure));
  }

  private static List<WhatIf> whatIf(Parallel parallel, Task task, Candidate recommended)
      throws InterruptedException {
    FleetModel model = task.model();
    return List.of(
        whatIf(parallel, task, "capacity halves", Task.scaled(model, 1, 0.5), recommended),
        whatIf(parallel, task, "the fleet doubles", Task.scaled(model, 2, 1), recommended));
  }

  /** The mean field says how many devices can be simulated. */
  private static WhatIf whatIf(
      Parallel parallel, Task task, String change, FleetModel worse, Candidate recommended)
      throws InterruptedException {
    StrategyPolicy policy = recommended.policy();
    Candidate solved =
        new Candidate(recommended.name(), policy, figures(worse, policy, MeanField::solve));
    return new WhatIf(
        change, Confirmation.of(parallel, worse, List.of(solved), task.seed()).get(0).expected());
  }
}
