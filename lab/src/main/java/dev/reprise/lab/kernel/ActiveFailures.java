package dev.reprise.lab.kernel;

import dev.reprise.lab.scenario.Failure;
import java.util.ArrayList;
import java.util.List;

/**
 * The failures at a moment: which devices reach the service, and how likely it fails. How fast it
 * works is told by {@link dev.reprise.lab.scenario.Speed}. Not thread-safe.
 */
public final class ActiveFailures {
  /** One failure over time. */
  private interface Course {
    /** Returns the chance at a moment that an attempt fails; moments never fall. */
    double chanceAt(long nowNanos);

    /** Returns when the chance changes next after the moment that was asked for last. */
    long nextChangeNanos();
  }

  private final int clients;
  private final List<Failure.Outage> outages = new ArrayList<>();
  private final List<Course> courses = new ArrayList<>();
  private final List<Failure.Zone> zonesOut = new ArrayList<>();
  private boolean allOut;
  private double chance;
  private long nextChangeNanos;

  /**
   * Begins at the start of a run.
   *
   * @param failures those of the model
   * @param clients how many there are, over which zones are spread evenly
   * @param random for what happens by chance, and for nothing else: it is moved here
   */
  public ActiveFailures(List<Failure> failures, int clients, CounterRandom random) {
    this.clients = clients;
    for (int i = 0; i < failures.size(); i++) {
      Failure failure = failures.get(i);
      if (failure instanceof Failure.Outage outage) {
        outages.add(outage);
      } else if (failure instanceof Failure.Random always) {
        courses.add(new Spells(List.of(new Spell(0, Long.MAX_VALUE, always.probability()))));
      } else if (failure instanceof Failure.Trace trace) {
        List<Spell> spells = new ArrayList<>();
        for (Failure.Interval interval : trace.intervals()) {
          spells.add(
              new Spell(
                  interval.from().toNanos(), interval.to().toNanos(), interval.probability()));
        }
        courses.add(new Spells(spells));
      } else if (failure instanceof Failure.Bursts bursts) {
        courses.add(new Turns(bursts, -1 - i, random));
      }
    }
  }

  /** Goes to a moment, which is not before the one that it was at. */
  public void moveTo(long nowNanos) {
    if (nowNanos < nextChangeNanos) {
      return;
    }
    nextChangeNanos = Long.MAX_VALUE;
    allOut = false;
    zonesOut.clear();
    for (Failure.Outage outage : outages) {
      long from = outage.from().toNanos();
      long to = outage.to().toNanos();
      if (nowNanos < from) {
        nextChangeNanos = Math.min(nextChangeNanos, from);
      } else if (nowNanos < to) {
        nextChangeNanos = Math.min(nextChangeNanos, to);
        allOut |= outage.zone().zones() == 1;
        zonesOut.add(outage.zone());
      }
    }
    double allGood = 1;
    for (Course course : courses) {
      allGood *= 1 - course.chanceAt(nowNanos);
      nextChangeNanos = Math.min(nextChangeNanos, course.nextChangeNanos());
    }
    chance = 1 - allGood;
  }

  /** Returns whether the client, counted from 0, cannot reach the service. */
  public boolean isOut(int client) {
    if (allOut || zonesOut.isEmpty()) {
      return allOut;
    }
    for (Failure.Zone zone : zonesOut) {
      if ((long) client * zone.zones() / clients == zone.index()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the chance, 0 to 1, that an attempt fails after the service has done its work. */
  public double chance() {
    return chance;
  }

  private record Spell(long fromNanos, long toNanos, double chance) {}

  /** Spells that are known, in order. */
  private static final class Spells implements Course {
    private final List<Spell> spells;
    private int next;
    private long nextChangeNanos;

    Spells(List<Spell> spells) {
      this.spells = spells;
    }

    @Override
    public double chanceAt(long nowNanos) {
      while (next < spells.size() && spells.get(next).toNanos <= nowNanos) {
        next++;
      }
      if (next == spells.size()) {
        nextChangeNanos = Long.MAX_VALUE;
        return 0;
      }
      Spell spell = spells.get(next);
      boolean within = spell.fromNanos <= nowNanos;
      nextChangeNanos = within ? spell.toNanos : spell.fromNanos;
      return within ? spell.chance : 0;
    }

    @Override
    public long nextChangeNanos() {
      return nextChangeNanos;
    }
  }

  /** Good and bad times, each drawn when the one before it is over. */
  private static final class Turns implements Course {
    private final Failure.Bursts bursts;
    private final int client;
    private final CounterRandom random;
    private int drawn;
    private long untilNanos;

    Turns(Failure.Bursts bursts, int client, CounterRandom random) {
      this.bursts = bursts;
      this.client = client;
      this.random = random;
    }

    @Override
    public double chanceAt(long nowNanos) {
      while (untilNanos <= nowNanos) {
        drawn++;
        double mean = (isBad() ? bursts.bad() : bursts.good()).toNanos();
        // At least one, so that it ends.
        untilNanos += 1 + Math.round(Chance.exponential(mean, random.at(client, drawn)));
      }
      return isBad() ? bursts.probability() : 0;
    }

    private boolean isBad() {
      return drawn % 2 == 0;
    }

    @Override
    public long nextChangeNanos() {
      return untilNanos;
    }
  }
}
