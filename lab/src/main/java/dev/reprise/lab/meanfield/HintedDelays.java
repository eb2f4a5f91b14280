package dev.reprise.lab.meanfield;

import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.kernel.DelayLaw.Piece;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.policy.StrategyPolicy;
import java.util.ArrayList;
import java.util.List;

/** Computes delays with the hint of a refusal: the longer of the two is kept. */
final class HintedDelays {
  /** In so many parts the span of a hint is cut. */
  private static final int STRATA = 32;

  private HintedDelays() {}

  /**
   * Returns the pieces of the delay after a refusal. Their shares may add up to less than 1: the
   * others give up, for they were asked to wait beyond the ceiling.
   */
  static List<Piece> of(DelayLaw law, Hint hint, StrategyPolicy policy) {
    List<Piece> pieces = new ArrayList<>();
    double ceiling = Seconds.of(policy.hintCeiling());
    if (hint instanceof Hint.Fixed fixed) {
      double delay = Seconds.of(fixed.delay());
      if (policy.clampsHints()) {
        addClamped(law, delay, ceiling, pieces);
      } else if (delay <= ceiling) {
        addLonger(law, 1, delay, delay, pieces);
      }
      return pieces;
    }
    if (hint instanceof Hint.Uniform uniform) {
      double lowest = Seconds.of(uniform.lowest());
      double width = (Seconds.of(uniform.highest()) - lowest) / STRATA;
      for (int i = 0; i < STRATA; i++) {
        double from = lowest + i * width;
        double kept = Math.max(0, Math.min(1, (ceiling - from) / width));
        addLonger(law, kept / STRATA, from, from + kept * width, pieces);
      }
      return pieces;
    }
    return law.pieces();
  }

  /** Adds the longer of a delay and a hint that is drawn evenly from a short span. */
  static void addLonger(
      DelayLaw law, double share, double hintFrom, double hintTo, List<Piece> pieces) {
    double middle = (hintFrom + hintTo) / 2;
    double shorter = 0;
    for (Piece piece : law.pieces()) {
      double lowest = piece.lowestSeconds();
      double highest = piece.highestSeconds();
      if (highest <= middle) {
        shorter += piece.share();
      } else if (lowest >= middle) {
        add(piece.share() * share, lowest, highest, pieces);
      } else {
        double part = (middle - lowest) / (highest - lowest);
        shorter += piece.share() * part;
        add(piece.share() * (1 - part) * share, middle, highest, pieces);
      }
    }
    add(shorter * share, hintFrom, hintTo, pieces);
  }

  /** Adds the delays {@code max(x, min(hint, x + ceiling))} of a delay x and a hint. */
  private static void addClamped(DelayLaw law, double hint, double ceiling, List<Piece> pieces) {
    for (Piece piece : law.pieces()) {
      double lowest = piece.lowestSeconds();
      double highest = piece.highestSeconds();
      double[] kinks = {lowest, hint - ceiling, hint, highest};
      for (int i = 0; i < 3; i++) {
        double from = Math.min(highest, Math.max(lowest, kinks[i]));
        double to = Math.min(highest, Math.max(lowest, kinks[i + 1]));
        double share = highest == lowest ? (i == 0 ? 1 : 0) : (to - from) / (highest - lowest);
        add(
            piece.share() * share,
            Math.max(from, Math.min(hint, from + ceiling)),
            Math.max(to, Math.min(hint, to + ceiling)),
            pieces);
      }
    }
  }

  private static void add(double share, double lowest, double highest, List<Piece> pieces) {
    if (share > 0) {
      pieces.add(new Piece(share, lowest, highest));
    }
  }
}
