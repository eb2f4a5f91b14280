package dev.reprise.lab.scenario;

/**
 * The requests that a service can accept over time: its quota, at the {@link Speed} that brown-outs
 * leave. Immutable and thread-safe.
 */
public final class Capacity {
  /** From when on each rate holds, rising; the first is 0. */
  private final double[] fromSeconds;

  private final double[] perSecond;

  private Capacity(double[] fromSeconds, double[] perSecond) {
    this.fromSeconds = fromSeconds;
    this.perSecond = perSecond;
  }

  /** Returns the capacity of a model's service. */
  public static Capacity of(FleetModel model) {
    Speed speed = Speed.of(model.failures());
    double[] fromSeconds = new double[speed.spans()];
    double[] perSecond = new double[speed.spans()];
    for (int i = 0; i < perSecond.length; i++) {
      fromSeconds[i] = speed.fromNanos(i) / 1e9;
      perSecond[i] = model.quota().perSecond() * speed.share(i);
    }
    return new Capacity(fromSeconds, perSecond);
  }

  /** Returns the rate at a moment, acceptances a second. */
  public double at(double second) {
    int i = perSecond.length - 1;
    while (i > 0 && fromSeconds[i] > second) {
      i--;
    }
    return perSecond[i];
  }

  /** Returns whether the rate is always the same. */
  public boolean isConstant() {
    return perSecond.length == 1;
  }

  /** Returns how many acceptances fit between two moments, the first not after the second. */
  public double between(double firstSecond, double lastSecond) {
    double sum = 0;
    for (int i = 0; i < perSecond.length; i++) {
      double from = Math.max(firstSecond, fromSeconds[i]);
      double to = i + 1 < perSecond.length ? Math.min(lastSecond, fromSeconds[i + 1]) : lastSecond;
      if (to > from) {
        sum += (to - from) * perSecond[i];
      }
    }
    return sum;
  }
}
