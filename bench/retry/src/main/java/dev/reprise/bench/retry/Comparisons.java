package dev.reprise.bench.retry;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.retry.Row.Part;
import dev.reprise.bench.retry.jmh.AsyncSuccess;
import dev.reprise.bench.retry.jmh.BesideOthers;
import dev.reprise.bench.retry.jmh.BesideOthers.Load;
import dev.reprise.bench.retry.jmh.Budget;
import dev.reprise.bench.retry.jmh.BudgetRoundTrip;
import dev.reprise.bench.retry.jmh.DeadlineSuccess;
import dev.reprise.bench.retry.jmh.EmptyBudget;
import dev.reprise.bench.retry.jmh.FirstSuccess;
import dev.reprise.bench.retry.jmh.FourAttempts;
import dev.reprise.bench.retry.jmh.MegamorphicSuccess;
import dev.reprise.bench.retry.jmh.NextDelay;
import dev.reprise.bench.retry.jmh.OneFailure;
import dev.reprise.bench.retry.jmh.SpentBudgetSuccess;
import dev.reprise.bench.retry.jmh.ThreeFailures;
import dev.reprise.bench.retry.peer.AsyncLoop;
import dev.reprise.bench.retry.peer.NextDelayFormula;
import dev.reprise.bench.retry.peer.PeerLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All comparisons. */
final class Comparisons {
  private static final List<PeerLoop> PEERS =
      List.of(
          PeerLoop.RESILIENCE4J,
          PeerLoop.SPRING_CORE,
          PeerLoop.SPRING_RETRY,
          PeerLoop.AWS_SDK,
          PeerLoop.GAX,
          PeerLoop.GUAVA_RETRYING,
          PeerLoop.FAILSAFE);

  private Comparisons() {}

  static List<Benchmark> all() {
    List<Benchmark> all = new ArrayList<>(measuredByJmh());
    all.add(new ParkedComparison());
    all.add(new CancelComparison());
    all.add(new ColdStartComparison());
    all.add(new JarComparison());
    return all;
  }

  static List<JmhComparison> measuredByJmh() {
    return List.of(
        new JmhComparison(
            "first-success",
            rows(
                FirstSuccess.class,
                1,
                PeerLoop.BARE_CALL,
                List.of(PeerLoop.REPRISE),
                prepend(PeerLoop.HAND_LOOP)),
            Target.difference(6).andBytes(0)),
        new JmhComparison(
            "first-success-megamorphic",
            rows(
                MegamorphicSuccess.class,
                1,
                PeerLoop.BARE_CALL,
                List.of(PeerLoop.REPRISE),
                List.of()),
            Target.difference(6).andBytes(0)),
        new JmhComparison(
            "first-success-2-threads",
            List.of(
                row(FirstSuccess.class, PeerLoop.REPRISE, 1, Part.FLOOR),
                row(FirstSuccess.class, PeerLoop.REPRISE, 2, Part.OURS),
                row(FirstSuccess.class, PeerLoop.HAND_LOOP, 2, Part.BESIDE),
                row(FirstSuccess.class, PeerLoop.RESILIENCE4J, 2, Part.BESIDE),
                row(FirstSuccess.class, PeerLoop.AWS_SDK, 2, Part.BESIDE)),
            Target.ratio(2)),
        new JmhComparison(
            "one-failure",
            rows(
                OneFailure.class,
                1,
                PeerLoop.HAND_LOOP,
                List.of(PeerLoop.REPRISE, PeerLoop.REPRISE_UNLIMITED),
                PEERS),
            Target.ratio(1.3).andBytes(24)),
        new JmhComparison(
            "four-attempts",
            rows(
                FourAttempts.class,
                1,
                PeerLoop.HAND_LOOP_FORGETFUL,
                List.of(PeerLoop.REPRISE),
                PEERS),
            Target.ratio(1.4)),
        new JmhComparison(
            "three-failures",
            rows(ThreeFailures.class, 1, PeerLoop.HAND_LOOP, List.of(PeerLoop.REPRISE), PEERS),
            Target.ratio(1.6)),
        new JmhComparison(
            "async-success",
            Stream.of(
                    row(AsyncLoop.HAND_WRITTEN, Part.FLOOR),
                    row(AsyncLoop.REPRISE, Part.OURS),
                    row(AsyncLoop.RESILIENCE4J, Part.BESIDE),
                    row(AsyncLoop.GAX, Part.BESIDE),
                    row(AsyncLoop.FAILSAFE, Part.BESIDE))
                .toList(),
            Target.ratio(1.5)),
        new JmhComparison(
            "empty-budget",
            rows(
                EmptyBudget.class,
                1,
                PeerLoop.BARE_CALL,
                List.of(PeerLoop.REPRISE),
                List.of(PeerLoop.AWS_SDK)),
            Target.difference(60).andBytes(100)),
        new JmhComparison("budget", budgets(1), Target.ratio(2).andBytes(0)),
        new JmhComparison("budget-2-threads", budgets(2), Target.ratio(2).andBytes(0)),
        new JmhComparison(
            "token-protocol",
            List.of(
                row(Budget.COMPARE_AND_SETS, 1, Part.FLOOR),
                row(Budget.REPRISE_PROTOCOL, 1, Part.OURS),
                row(Budget.AWS_PROTOCOL, 1, Part.BESIDE)),
            Target.nanos(30)),
        new JmhComparison(
            "token-protocol-refused",
            List.of(
                row(Budget.LOOK, 1, Part.FLOOR),
                row(Budget.REPRISE_PROTOCOL_REFUSED, 1, Part.OURS),
                row(Budget.AWS_PROTOCOL_REFUSED, 1, Part.BESIDE)),
            Target.nanos(60)),
        new JmhComparison(
            "first-success-spent-budget",
            List.of(
                row(SpentBudgetSuccess.Spent.BARE_CALL, Part.FLOOR),
                row(SpentBudgetSuccess.Spent.FULL_AGAIN, Part.OURS),
                row(SpentBudgetSuccess.Spent.HALF_EMPTY, Part.OURS)),
            Target.difference(6).andBytes(0)),
        new JmhComparison(
            "first-success-deadline",
            rows(
                DeadlineSuccess.class,
                1,
                PeerLoop.BARE_CALL_AND_CLOCK,
                List.of(PeerLoop.REPRISE),
                List.of(PeerLoop.BARE_CALL)),
            Target.difference(6).andBytes(0)),
        new JmhComparison(
            "success-beside-failures",
            List.of(
                beside(PeerLoop.BARE_CALL, Load.SUCCEEDING, Load.FAILING, Part.FLOOR),
                beside(PeerLoop.REPRISE, Load.SUCCEEDING, Load.FAILING, Part.OURS),
                beside(PeerLoop.REPRISE, Load.SUCCEEDING, Load.NONE, Part.BESIDE)),
            Target.nanos(3)),
        new JmhComparison(
            "failures-beside-success",
            List.of(
                beside(PeerLoop.REPRISE, Load.FAILING, Load.NONE, Part.FLOOR),
                beside(PeerLoop.REPRISE, Load.FAILING, Load.SUCCEEDING, Part.OURS),
                beside(PeerLoop.BARE_CALL, Load.FAILING, Load.NONE, Part.BESIDE),
                beside(PeerLoop.BARE_CALL, Load.FAILING, Load.SUCCEEDING, Part.BESIDE)),
            Target.ratio(1.3)),
        new JmhComparison("next-delay", delays(), Target.nanos(10).andBytes(0)));
  }

  private static List<PeerLoop> prepend(PeerLoop first) {
    return Stream.concat(Stream.of(first), PEERS.stream()).toList();
  }

  private static List<Row> rows(
      Class<?> benchmark, int threads, PeerLoop floor, List<PeerLoop> ours, List<PeerLoop> beside) {
    List<Row> rows = new ArrayList<>();
    rows.add(row(benchmark, floor, threads, Part.FLOOR));
    ours.forEach(loop -> rows.add(row(benchmark, loop, threads, Part.OURS)));
    beside.forEach(loop -> rows.add(row(benchmark, loop, threads, Part.BESIDE)));
    return rows;
  }

  private static Row row(Class<?> benchmark, PeerLoop loop, int threads, Part part) {
    return new Row(loop.name(), benchmark, Map.of("loop", loop.name()), threads, part);
  }

  private static Row row(AsyncLoop loop, Part part) {
    return new Row(loop.name(), AsyncSuccess.class, Map.of("loop", loop.name()), 1, part);
  }

  private static Row row(Budget budget, int threads, Part part) {
    return new Row(
        budget.name(), BudgetRoundTrip.class, Map.of("budget", budget.name()), threads, part);
  }

  private static List<Row> budgets(int threads) {
    return List.of(
        row(Budget.COMPARE_AND_SETS, threads, Part.FLOOR),
        row(Budget.REPRISE_TOKEN_BUCKET, threads, Part.OURS),
        row(Budget.REPRISE_RATIO, threads, Part.BESIDE));
  }

  private static Row row(SpentBudgetSuccess.Spent spent, Part part) {
    return new Row(spent.name(), SpentBudgetSuccess.class, Map.of("spent", spent.name()), 1, part);
  }

  /** Returns the row of calls beside others; what is beside a bare call fails in the hand loop. */
  private static Row beside(PeerLoop loop, Load load, Load beside, Part part) {
    PeerLoop failing = loop == PeerLoop.BARE_CALL ? PeerLoop.HAND_LOOP : loop;
    return new Row(
        (load == Load.FAILING ? failing : loop) + " " + load + " beside " + beside,
        BesideOthers.class,
        Map.of(
            "loop", loop.name(),
            "failingLoop", failing.name(),
            "load", load.name(),
            "beside", beside.name()),
        1,
        part);
  }

  private static List<Row> delays() {
    List<Row> rows = new ArrayList<>();
    rows.add(delay(NextDelayFormula.REPRISE, 1, Part.FLOOR));
    for (int retry : new int[] {10, 1_000_000, Integer.MAX_VALUE}) {
      rows.add(delay(NextDelayFormula.REPRISE, retry, Part.OURS));
    }
    for (NextDelayFormula formula : NextDelayFormula.values()) {
      switch (formula) {
        case REPRISE -> {
          // Above.
        }
        case SPRING_CORE, GAX, AWS_SDK -> {
          for (int retry : new int[] {1, 10, 1_000_000, Integer.MAX_VALUE}) {
            rows.add(delay(formula, retry, Part.BESIDE));
          }
        }
        // It computes the delays of all earlier retries too: the last one would take minutes.
        case RESILIENCE4J -> {
          for (int retry : new int[] {1, 10, 1_000_000}) {
            rows.add(delay(formula, retry, Part.BESIDE));
          }
        }
        default -> rows.add(delay(formula, 1_000_000, Part.BESIDE));
      }
    }
    return rows;
  }

  private static Row delay(NextDelayFormula formula, int retry, Part part) {
    return new Row(
        formula + " at retry " + retry,
        NextDelay.class,
        Map.of("formula", formula.name(), "retry", Integer.toString(retry)),
        1,
        part);
  }
}
