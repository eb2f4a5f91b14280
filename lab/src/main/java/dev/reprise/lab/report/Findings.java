package dev.reprise.lab.report;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Describes the results in plain words. Every sentence is made from figures. Not thread-safe. */
final class Findings {
  /** Policies that a sentence lists at most. */
  private static final int LISTED = 4;

  /** A smaller one is a rounding error: a fleet has fewer devices than a billion. */
  private static final double MIN_SHARE = 1e-9;

  private final List<Outcome> outcomes;
  private final List<String> sentences = new ArrayList<>();

  private Findings(List<Outcome> outcomes) {
    this.outcomes = outcomes;
  }

  static List<String> of(Model model, List<Outcome> outcomes) {
    Findings findings = new Findings(outcomes);
    if (model instanceof FleetModel fleet) {
      findings.ofFleet(fleet);
    } else if (model instanceof ContentionModel contention) {
      findings.ofContention(contention);
    } else {
      findings.ofCalls(Wording.measured(model), Ramp.of(model));
    }
    findings.list(Figure.WASTED_WORK, "Of the service's work, ", Numbers::percent, " helps nobody");
    return List.copyOf(findings.sentences);
  }

  private void ofFleet(FleetModel fleet) {
    drain(fleet);
    never(fleet);
    // Of those that never have all back, it has been said how many give up.
    gaveUp("devices", outcome -> outcome.mean(Figure.DRAIN_LAST).isEmpty() || isReached(outcome));
    list(
        Figure.PEAK_RATIO,
        "The highest load after recovery is ",
        value -> Numbers.shown(value) + "\u00a0×",
        " capacity");
    attempts(Figure.ATTEMPTS_AFTER_RECOVERY, "After recovery a device makes ");
  }

  private void ofContention(ContentionModel contention) {
    String clients = Numbers.shown(contention.clients());
    list(
        Figure.DRAIN_LAST,
        "All " + clients + " clients are done after ",
        value -> Numbers.shown(value, "s"),
        "");
    gaveUp("clients", outcome -> true);
    attempts(Figure.ATTEMPTS, "A client makes ");
  }

  private void attempts(Figure figure, String opening) {
    List<Outcome> ranked = ranked(figure);
    boolean one = !ranked.isEmpty() && Numbers.shown(mean(ranked.get(0), figure)).equals("1");
    list(figure, opening, Numbers::shown, one ? " attempt on average" : " attempts on average");
  }

  private void ofCalls(String measured, @Nullable Ramp ramp) {
    String calls = measured.isEmpty() ? "all calls" : "the calls" + measured;
    list(Figure.SUCCESS, "Of " + calls + ", ", Numbers::percent, " end well");
    list(
        Figure.GOODPUT,
        "Of what the service could serve" + measured + ", ",
        Numbers::percent,
        " is served");
    list(
        Figure.LATENCY_P99,
        "99\u00a0% of the calls" + measured + " end within ",
        value -> Numbers.shown(value, "s"),
        "");
    attempts(Figure.ATTEMPTS, "A call" + measured + " takes ");
    collapse(ramp);
  }

  private void drain(FleetModel fleet) {
    String devices = Numbers.shown(fleet.devices());
    double capacity = fleet.quota().perSecond();
    sentences.add(
        "No policy can have %s devices back sooner than %s after recovery: the service accepts %s a second."
            .formatted(
                devices, Numbers.shown(fleet.devices() / capacity, "s"), Numbers.shown(capacity)));
    List<Outcome> drained = ranked(Figure.DRAIN_LAST);
    drained.removeIf(outcome -> !isReached(outcome));
    if (drained.isEmpty()) {
      return;
    }
    Outcome first = drained.get(0);
    String time = seconds(first);
    String ratio =
        first.mean(Figure.DRAIN_RATIO).isPresent()
            ? ", " + Numbers.shown(mean(first, Figure.DRAIN_RATIO)) + "\u00a0× that floor"
            : "";
    if (outcomes.size() == 1) {
      sentences.add("The last device is back " + time + " after recovery" + ratio + ".");
      return;
    }
    sentences.add(
        quoted(first)
            + (drained.size() == 1 ? " is the only one that" : " is the first that")
            + " has all devices back: "
            + time
            + " after recovery"
            + ratio
            + followers(drained)
            + ".");
    if (drained.size() > 1) {
      draw(first, drained.get(1));
    }
  }

  private static String followers(List<Outcome> drained) {
    if (drained.size() == 1) {
      return "";
    }
    List<String> texts = new ArrayList<>();
    int listed = Math.min(drained.size(), LISTED);
    for (Outcome outcome : drained.subList(1, listed)) {
      texts.add(quoted(outcome) + " after " + seconds(outcome));
    }
    int others = drained.size() - listed;
    String last =
        others == 0
            ? ""
            : String.format(
                Locale.ROOT,
                "; %d more follow, the last of them %s after %s",
                others,
                quoted(drained.get(drained.size() - 1)),
                seconds(drained.get(drained.size() - 1)));
    return "; then " + joined(texts) + last;
  }

  private void draw(Outcome first, Outcome second) {
    Estimate difference = second.result().differencesTo(first.result()).get(Figure.DRAIN_LAST);
    if (difference != null && difference.runs() > 1 && !difference.isBeyondChance()) {
      sentences.add(
          "Between "
              + quoted(first)
              + " and "
              + quoted(second)
              + " it is a draw: the difference is within chance.");
    }
  }

  private void never(FleetModel fleet) {
    for (Outcome outcome : outcomes) {
      if (outcome.mean(Figure.DRAIN_LAST).isPresent() && !isReached(outcome)) {
        sentences.add(quoted(outcome) + " never has all devices back: " + lost(fleet, outcome));
        if (outcome.mean(Figure.COLLAPSED).orElse(1) < 1) {
          chance(outcome);
        }
      }
    }
  }

  /** A device that gave up is not away any more. A run goes on while any device is away. */
  private static String lost(FleetModel fleet, Outcome outcome) {
    int devices = fleet.devices() - fleet.overactive().of(fleet.devices());
    double gaveUp = outcome.mean(Figure.STRANDED).orElse(0) / devices;
    double away = 1 - outcome.mean(Figure.SUCCESS).orElse(0) - gaveUp;
    String givers = Numbers.percent(gaveUp) + " of them give up";
    if (away < MIN_SHARE) {
      return givers + ".";
    }
    return (gaveUp < MIN_SHARE ? "" : givers + ", and ")
        + "when the run ends, after %s, %s of them are still away."
            .formatted(AmountText.plain(fleet.horizon()), Numbers.percent(away));
  }

  private void gaveUp(String many, Predicate<Outcome> isToTell) {
    for (Outcome outcome : outcomes) {
      double stranded = outcome.mean(Figure.STRANDED).orElse(0);
      if (stranded > 0 && isToTell.test(outcome)) {
        sentences.add(
            "%s strands %s %s: they give up for good."
                .formatted(quoted(outcome), Numbers.shown(stranded), many));
      }
    }
  }

  private void collapse(@Nullable Ramp ramp) {
    for (Outcome outcome : outcomes) {
      chance(outcome);
      double hysteresis = outcome.mean(Figure.HYSTERESIS).orElse(0);
      List<RunRecord> runs = outcome.result().runs();
      int down = ramp == null ? 0 : ramp.staysDown(runs);
      if (down > 0) {
        sentences.add(
            "%s does not come back within the ramp%s; the width is at least %s."
                .formatted(
                    quoted(outcome),
                    down == runs.size() ? "" : " in " + down + " of " + runs.size() + " runs",
                    Numbers.shown(hysteresis, "/s")));
      } else if (Double.isInfinite(hysteresis)) {
        sentences.add(quoted(outcome) + " does not come back from its collapse.");
      } else if (hysteresis > 0) {
        sentences.add(
            "%s comes back from its collapse only when the load is %s below the one at which it collapsed."
                .formatted(quoted(outcome), Numbers.shown(hysteresis, "/s")));
      }
    }
  }

  /** A system of two states is in one of them in a run, which no mean of the runs tells. */
  private void chance(Outcome outcome) {
    Estimate collapsed = outcome.estimate(Figure.COLLAPSED);
    if (collapsed != null && collapsed.runs() > 1 && collapsed.mean() > 0) {
      sentences.add(
          String.format(
              Locale.ROOT,
              "%s collapses in %d of %d runs: its chance is %s to %s.",
              quoted(outcome),
              Math.round(collapsed.mean() * collapsed.runs()),
              collapsed.runs(),
              Numbers.shown(collapsed.lowest(), Figure.COLLAPSED),
              Numbers.shown(collapsed.highest(), Figure.COLLAPSED)));
    }
  }

  /** Lists a figure from the best policy to the worst; one that is 0 everywhere is no finding. */
  private void list(Figure figure, String opening, DoubleFunction<String> value, String closing) {
    List<Outcome> ranked = ranked(figure);
    if (ranked.isEmpty() || ranked.stream().allMatch(one -> mean(one, figure) == 0)) {
      return;
    }
    String first = value.apply(mean(ranked.get(0), figure));
    if (ranked.stream().allMatch(one -> value.apply(mean(one, figure)).equals(first))) {
      String whom = ranked.size() == 1 ? "." : " with every policy.";
      sentences.add(opening + first + closing + whom);
      return;
    }
    List<String> texts = new ArrayList<>();
    for (Outcome outcome : ends(ranked)) {
      String end = texts.isEmpty() ? closing : "";
      texts.add(value.apply(mean(outcome, figure)) + end + " with " + quoted(outcome));
    }
    sentences.add(opening + joined(texts) + ".");
  }

  /** Names the best and the worst alone if there are too many. */
  private static List<Outcome> ends(List<Outcome> ranked) {
    return ranked.size() <= LISTED ? ranked : List.of(ranked.get(0), ranked.get(ranked.size() - 1));
  }

  /** Returns the outcomes that have the figure, the best first. */
  private List<Outcome> ranked(Figure figure) {
    List<Outcome> ranked = new ArrayList<>(outcomes);
    ranked.removeIf(outcome -> outcome.mean(figure).isEmpty());
    Comparator<Outcome> rising = Comparator.comparingDouble(outcome -> mean(outcome, figure));
    ranked.sort(figure.better() == Figure.Better.HIGHER ? rising.reversed() : rising);
    return ranked;
  }

  private static double mean(Outcome outcome, Figure figure) {
    return outcome.mean(figure).orElseThrow();
  }

  private static boolean isReached(Outcome outcome) {
    return Double.isFinite(mean(outcome, Figure.DRAIN_LAST));
  }

  private static String seconds(Outcome outcome) {
    return Numbers.shown(mean(outcome, Figure.DRAIN_LAST), "s");
  }

  private static String quoted(Outcome outcome) {
    return "\u201c" + outcome.name() + "\u201d";
  }

  private static String joined(List<String> texts) {
    if (texts.size() == 1) {
      return texts.get(0);
    }
    return String.join(", ", texts.subList(0, texts.size() - 1))
        + " and "
        + texts.get(texts.size() - 1);
  }
}
