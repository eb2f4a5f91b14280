package dev.reprise.lab.scenario;

import java.time.Duration;
import java.util.List;

/**
 * A failure of the service or the network. Times count from the start of the run; several failures
 * may overlap.
 */
public sealed interface Failure {
  /**
   * Nobody reaches the service: every attempt fails at once and costs the service nothing.
   *
   * @param from at least 0
   * @param to after {@code from}
   * @param zone whom it hits
   */
  record Outage(Duration from, Duration to, Zone zone) implements Failure {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Outage {
      Require.span("from", from);
      Require.span("to", to);
      Require.order("from", from, "to", to);
    }
  }

  /**
   * The service can do only a share of what it usually can.
   *
   * @param from at least 0
   * @param to after {@code from}
   * @param capacity what is left of the capacity, 0 to 1
   */
  record BrownOut(Duration from, Duration to, double capacity) implements Failure {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public BrownOut {
      Require.span("from", from);
      Require.span("to", to);
      Require.order("from", from, "to", to);
      Require.between("capacity", capacity, 0.0, 1.0);
    }
  }

  /**
   * Each attempt fails by chance, whatever the load, after the service has done its work.
   *
   * @param probability 0 to 1
   */
  record Random(double probability) implements Failure {
    /** Checks the probability. */
    public Random {
      Require.between("probability", probability, 0.0, 1.0);
    }
  }

  /**
   * Good and bad times take turns (Gilbert and Elliott); the length of each is drawn from an
   * exponential distribution.
   *
   * @param good mean length of a good time, more than 0
   * @param bad mean length of a bad time, more than 0
   * @param probability of the failure of an attempt in a bad time, 0 to 1
   */
  record Bursts(Duration good, Duration bad, double probability) implements Failure {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Bursts {
      Require.positiveSpan("good", good);
      Require.positiveSpan("bad", bad);
      Require.between("probability", probability, 0.0, 1.0);
    }
  }

  /**
   * Failures as they were recorded.
   *
   * @param intervals in order of time, not overlapping
   */
  record Trace(List<Interval> intervals) implements Failure {
    /** Copies the intervals and checks their order. */
    public Trace {
      intervals = List.copyOf(intervals);
      for (int i = 1; i < intervals.size(); i++) {
        if (intervals.get(i).from().compareTo(intervals.get(i - 1).to()) < 0) {
          throw new IllegalArgumentException(
              "intervals["
                  + i
                  + "] begins at "
                  + intervals.get(i).from()
                  + ": must not be before the end of the one before it");
        }
      }
    }
  }

  /**
   * A time in which attempts fail.
   *
   * @param from at least 0
   * @param to after {@code from}
   * @param probability of the failure of an attempt, 0 to 1
   */
  record Interval(Duration from, Duration to, double probability) {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Interval {
      Require.span("from", from);
      Require.span("to", to);
      Require.order("from", from, "to", to);
      Require.between("probability", probability, 0.0, 1.0);
    }
  }

  /**
   * A share of the clients: client i of N is in zone {@code floor(i * zones / N)}.
   *
   * @param index 0 to {@code zones - 1}
   * @param zones how many there are, at least 1; 1 is everybody
   */
  record Zone(int index, int zones) {
    /** Everybody. */
    public static final Zone ALL = new Zone(0, 1);

    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Zone {
      Require.between("zones", zones, 1, 1000);
      Require.between("index", index, 0, zones - 1);
    }
  }
}
