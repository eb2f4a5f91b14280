package dev.reprise.delivery.shard;

/**
 * Finds the fewest places that bring the throughput of more, as hill climbing does in the thread
 * pool of .NET (Hellerstein, Morrison and Eilebrecht 2009): measure, try another level, compare,
 * keep or go back. Levels are the maximum and its halves, far enough apart for times that vary: an
 * endpoint that bears more serves half of the places at half the throughput, one that is overloaded
 * at the same.
 *
 * <p>Half of the places are tried when latency rises, as in Vegas (Brakmo and Peterson 1995) and
 * Netflix' gradient limits, but it takes the comparison of throughputs to keep them: an endpoint
 * that has become slower for another reason keeps its places. They are also tried from time to time
 * without a sign, and so are more places; after each try that changes nothing, the next one comes
 * later. Time counts only while all places are in use.
 */
final class HillClimb {
  /** Fewer places that keep this share of the throughput are enough. */
  private static final double ENOUGH = 0.8;

  /** Shares beyond which chance is out of the question. */
  private static final double CLEARLY_TOO_FEW = 0.65;

  private static final double CLEARLY_TOO_MANY = 0.9;

  private static final double STANDARD_ERRORS = 2;

  /** Errors of a throughput that are small enough, at once and after a third of the patience. */
  private static final double PRECISE = 0.1;

  private static final double VAGUE = 0.15;
  private static final int FEWEST = 32;
  private static final int WINDOW = 64;
  private static final int MOST = 4096;
  private static final long SECOND = 1_000_000_000;
  private static final long PATIENCE = 12 * SECOND;

  /** Fewer places than this are never tried: they would save nothing worth the time it takes. */
  private static final int FEW = 3;

  private static final long FIRST_WAIT = 2 * SECOND;
  private static final long MAX_WAIT = 30 * SECOND;
  private static final long MAX_REST = 60 * SECOND;

  /** A try is followed by this many times its length without one. */
  private static final int SHORT_REST = 4;

  /** The same where fewer places have cost throughput beyond doubt, twice. */
  private static final int LONG_REST = 20;

  private int max;
  private int level;

  /** The level that is tried; 0 if none is. */
  private int trial;

  private Throughput here = new Throughput();
  private Throughput there = new Throughput();

  /** The latencies of the level when it was found to be right. */
  private final Latencies reference = new Latencies();

  private boolean slower;

  /** The times in a row that fewer places have cost throughput beyond doubt. */
  private int clearlyTooFew;

  /** The successes that are still to be passed over, because places were not in use before. */
  private int settling;

  private long countFrom = Long.MIN_VALUE;

  /** The time while all places were in use. */
  private long clock;

  private long trialBegan;
  private long downAt;
  private long upAt;
  private long downWait = FIRST_WAIT;
  private long upWait = FIRST_WAIT;

  HillClimb(int max) {
    this.max = max;
    this.level = max;
  }

  void max(int max) {
    if (max != this.max) {
      boolean all = level == this.max;
      this.max = max;
      startAt(all ? max : level);
    }
  }

  /** Begins at these places or the level below them; both neighbours are tried at once. */
  void startAt(int places) {
    level = max;
    while (level > places && level / 2 >= FEW) {
      level /= 2;
    }
    trial = 0;
    reference.clear();
    slower = false;
    clearlyTooFew = 0;
    downWait = FIRST_WAIT;
    upWait = FIRST_WAIT;
    downAt = clock;
    upAt = clock;
    restart(level);
  }

  int places() {
    return trial == 0 ? level : trial;
  }

  boolean isTrying() {
    return trial != 0;
  }

  /** Something else holds places back: what was measured is worth nothing. */
  void interrupted() {
    trial = 0;
    restart(level);
  }

  /** The places were not all in use before now. */
  void resumed() {
    settling = Math.max(settling, places());
  }

  /** All places have been in use for this time. */
  void passed(long nanos) {
    clock += nanos;
    if (settling == 0) {
      current().passed(nanos);
    }
  }

  /** Counts a success while all places were in use. */
  void succeeded(long durationNanos, long nowNanos) {
    if (settling > 0) {
      settling--;
      countFrom = nowNanos;
    } else if (nowNanos > countFrom) {
      current().succeeded(durationNanos);
    }
  }

  private Throughput current() {
    return trial == 0 ? here : there;
  }

  private void restart(int settle) {
    here.clear();
    there.clear();
    settling = settle;
  }

  /** An instant is over, and everything that ended at it has been counted. */
  void decide() {
    if (settling > 0) {
      return;
    }
    if (trial != 0) {
      compare();
    } else if (isWindowFull()) {
      look();
    }
  }

  private boolean isWindowFull() {
    int count = here.count();
    if (count < FEWEST) {
      return false;
    }
    if (here.nanos() > PATIENCE) {
      return true;
    }
    if (here.nanos() > PATIENCE / 3 && here.error() <= VAGUE) {
      return true;
    }
    return count >= Math.max(WINDOW, level) && (here.error() <= PRECISE || count >= MOST);
  }

  private void look() {
    Latencies now = here.latencies();
    if (reference.count() == 0) {
      reference.addAll(now);
    }
    if (now.areSlowerThan(reference) && !slower) {
      // Old and new are mixed in this window.
      slower = true;
      clearlyTooFew = 0;
      downWait = FIRST_WAIT;
      here.clear();
    } else if (below() >= FEW && slower) {
      attempt(below());
    } else if (below() >= FEW && clock >= downAt) {
      attempt(below());
    } else if (level < max && (clock >= upAt || reference.areSlowerThan(now))) {
      attempt(above());
    } else {
      here.clear();
    }
  }

  private void attempt(int places) {
    settling = Math.max(level, places);
    trial = places;
    trialBegan = clock;
    there.clear();
  }

  private void compare() {
    if (there.count() < Math.max(FEWEST, trial)) {
      return;
    }
    boolean down = trial < level;
    double ratio = down ? there.perNano() / here.perNano() : here.perNano() / there.perNano();
    double distance = Math.abs(Math.log(ratio / ENOUGH));
    boolean certain = distance > STANDARD_ERRORS * Math.hypot(here.error(), there.error());
    // Once it is measured twice as exactly as what it is compared with, more of it says nothing.
    boolean worthMore = there.error() > here.error() / 2 && clock - trialBegan < PATIENCE;
    if (!certain && worthMore) {
      return;
    }
    long took = clock - trialBegan;
    if ((ratio >= ENOUGH) == down) {
      moved(down, took);
    } else {
      stayed(down, took, down ? ratio < CLEARLY_TOO_FEW : ratio > CLEARLY_TOO_MANY);
    }
  }

  private void moved(boolean down, long took) {
    level = trial;
    trial = 0;
    Throughput measured = there;
    there = here;
    here = measured;
    learn();
    if (down) {
      upWait = FIRST_WAIT;
      upAt = clock + upWait;
      downAt = clock;
      if (below() >= FEW) {
        attempt(below());
      }
    } else {
      upAt = clock;
      downAt = clock + Math.max(FIRST_WAIT, rest(SHORT_REST, took));
      if (level < max) {
        attempt(above());
      }
    }
  }

  private void stayed(boolean down, long took, boolean clearly) {
    int tried = trial;
    trial = 0;
    learn();
    if (down) {
      clearlyTooFew = clearly ? clearlyTooFew + 1 : 0;
      boolean sure = clearlyTooFew >= 2;
      downAt = clock + Math.max(downWait, rest(sure ? LONG_REST : SHORT_REST, took));
      downWait = sure ? Math.min(2 * downWait, MAX_WAIT) : FIRST_WAIT;
    } else {
      upAt = clock + Math.max(upWait, rest(SHORT_REST, took));
      upWait = clearly ? Math.min(2 * upWait, MAX_WAIT) : FIRST_WAIT;
    }
    restart(Math.max(level, tried));
  }

  private static long rest(int times, long took) {
    return Math.min(times * took, MAX_REST);
  }

  private void learn() {
    slower = false;
    reference.clear();
    reference.addAll(here.latencies());
  }

  private int below() {
    int places = max;
    while (places >= level) {
      places /= 2;
    }
    return places;
  }

  private int above() {
    int places = max;
    while (places / 2 > level) {
      places /= 2;
    }
    return places;
  }
}
