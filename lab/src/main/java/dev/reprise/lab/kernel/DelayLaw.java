package dev.reprise.lab.kernel;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The probabilities of the delays before a retry. They are read off the production backoff: a delay
 * of a policy depends on one number that is drawn evenly, grows with it, and does so along straight
 * lines; so a law is a few pieces, each of which is drawn evenly.
 *
 * <p>Immutable and thread-safe.
 *
 * @param pieces in order of the delay; their shares add up to 1
 */
public record DelayLaw(List<Piece> pieces) {
  /** Lines that are as near as this to each other are one. */
  private static final double ROUNDING_NANOS = 4;

  /** A share of draws that is not looked into further. */
  private static final double MIN_SHARE = 0x1p-40;

  /**
   * Delays that are equally likely.
   *
   * @param share of all draws, more than 0
   * @param lowestSeconds the shortest, at least 0
   * @param highestSeconds the longest; the same as the shortest where all delays are equal
   */
  public record Piece(double share, double lowestSeconds, double highestSeconds) {}

  /** Copies the pieces. */
  public DelayLaw {
    pieces = List.copyOf(pieces);
  }

  /**
   * Returns the law of the delay before a retry.
   *
   * @param retry counted from 1
   * @throws IllegalArgumentException when the backoff draws more than one number for a delay, which
   *     none of those does that a policy document can hold
   */
  public static DelayLaw of(Backoff backoff, int retry) {
    List<Point> line = new ArrayList<>();
    Point first = Point.at(backoff, retry, 0);
    line.add(first);
    addKinks(backoff, retry, first, Point.at(backoff, retry, -1), 1, line);
    return new DelayLaw(pieces(line));
  }

  /** Returns the average delay. */
  public double meanSeconds() {
    double mean = 0;
    for (Piece piece : pieces) {
      mean += piece.share() * (piece.lowestSeconds() + piece.highestSeconds()) / 2;
    }
    return mean;
  }

  /** Returns the longest delay. */
  public double highestSeconds() {
    return pieces.get(pieces.size() - 1).highestSeconds();
  }

  /** Cuts in halves until each part is straight, and adds the end of each part. */
  private static void addKinks(
      Backoff backoff, int retry, Point from, Point to, double share, List<Point> line) {
    Point middle = Point.at(backoff, retry, from.drawn + ((to.drawn - from.drawn) >>> 1));
    boolean straight =
        Math.abs(middle.delayNanos - (from.delayNanos / 2.0 + to.delayNanos / 2.0)) <= 1;
    if (straight || share <= MIN_SHARE) {
      line.add(to);
      return;
    }
    addKinks(backoff, retry, from, middle, share / 2, line);
    addKinks(backoff, retry, middle, to, share / 2, line);
  }

  /** Joins neighbouring parts that lie on one line; what is left are the kinks. */
  private static List<Piece> pieces(List<Point> line) {
    List<Piece> pieces = new ArrayList<>();
    Point from = line.get(0);
    for (int i = 1; i < line.size(); i++) {
      Point to = line.get(i);
      boolean goesOn = i + 1 < line.size() && isOnLine(from, to, line.get(i + 1));
      double share = to.position() - from.position();
      // The two parts around a kink that were too short to be cut are left out of neither side.
      if (!goesOn && (share > 0x1p-30 || i + 1 == line.size())) {
        pieces.add(new Piece(share, from.delayNanos / 1e9, to.delayNanos / 1e9));
        from = to;
      }
    }
    return pieces;
  }

  private static boolean isOnLine(Point from, Point between, Point to) {
    double part = (between.position() - from.position()) / (to.position() - from.position());
    double expectedNanos = from.delayNanos + part * (to.delayNanos - from.delayNanos);
    return Math.abs(between.delayNanos - expectedNanos) <= ROUNDING_NANOS;
  }

  /** A drawn number, unsigned, and the delay that it gives. */
  private record Point(long drawn, long delayNanos) {
    static Point at(Backoff backoff, int retry, long drawn) {
      OneNumber one = new OneNumber(drawn);
      long delayNanos = backoff.delayNanos(retry, one);
      if (one.draws > 1) {
        throw new InvalidSettingException(
            "backoff", backoff, "must draw at most one number for a delay");
      }
      return new Point(drawn, delayNanos);
    }

    /** Returns the position, from 0 to 1. */
    double position() {
      return ((drawn >>> 11) * 0x1p-53) + (drawn & 0x7FF) * 0x1p-64;
    }
  }

  private static final class OneNumber implements RandomGenerator {
    private final long number;
    private int draws;

    OneNumber(long number) {
      this.number = number;
    }

    @Override
    public long nextLong() {
      draws++;
      return number;
    }
  }
}
