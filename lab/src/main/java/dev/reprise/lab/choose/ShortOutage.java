package dev.reprise.lab.choose;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A long outage, cut to what makes a difference. Once all delays have grown to the cap and the
 * devices are spread evenly over them, nothing changes until recovery: the rest of the outage adds
 * the same attempts in every second, and the fleet returns as it would have.
 *
 * @param model with the outage that is solved
 * @param cutSeconds by how much it is shorter; 0 when it is the whole one
 */
record ShortOutage(FleetModel model, double cutSeconds) {
  /**
   * The number of longest delays after which a wave that jitter can spread is gone, within 0.1 %.
   */
  private static final double DELAYS = 5;

  /** The number of fadings to 1/e after which a wave that narrow jitter spreads slowly is gone. */
  private static final double FADINGS = 8;

  /** The longest outage that is solved as a whole, unless the delays themselves are long. */
  private static final double LONG_SECONDS = 4 * 3600;

  private static final double MANY_DELAYS = 20;

  /** Returns the outage that tells all about some policies. */
  static ShortOutage of(FleetModel model, List<StrategyPolicy> policies) {
    // Only where everybody has waited from the start on is one outage like a longer one.
    if (model.failures().size() != 1
        || !(model.failures().get(0) instanceof Failure.Outage outage)
        || !outage.from().isZero()
        || !outage.zone().equals(Failure.Zone.ALL)) {
      return new ShortOutage(model, 0);
    }
    double settledSeconds =
        Math.ceil(
            Seconds.of(model.spread())
                + policies.stream().mapToDouble(ShortOutage::settledSeconds).max().orElseThrow());
    double cutSeconds = Seconds.of(outage.to()) - settledSeconds;
    if (cutSeconds <= 0) {
      return new ShortOutage(model, 0);
    }
    Duration to = Duration.ofSeconds((long) settledSeconds);
    Duration cut = outage.to().minus(to);
    return new ShortOutage(
        model
            .withFailures(List.of(new Failure.Outage(Duration.ZERO, to, outage.zone())))
            .withHorizon(model.horizon().minus(cut)),
        Seconds.of(cut));
  }

  /**
   * Returns whether the devices of a long outage stay in step for so long under a policy that its
   * solution takes too long. The linter finds the narrow jitter that does it.
   */
  static boolean staysInStep(FleetModel model, StrategyPolicy policy) {
    double longestSeconds = Math.max(LONG_SECONDS, MANY_DELAYS * lastLaw(policy).highestSeconds());
    return Seconds.of(model.recovery()) > longestSeconds && settledSeconds(policy) > longestSeconds;
  }

  /** Returns the figures of the whole outage from those of the part that was solved. */
  Map<Figure, Double> whole(StrategyPolicy policy, Map<Figure, Double> solved) {
    if (cutSeconds == 0) {
      return solved;
    }
    EnumMap<Figure, Double> figures = new EnumMap<>(solved);
    double attempts = Candidate.figure(solved, Figure.ATTEMPTS);
    double all = attempts + cutAttempts(policy);
    figures.put(Figure.ATTEMPTS, all);
    for (Figure figure : List.of(Figure.BYTES_PER_DEVICE, Figure.COST)) {
      figures.computeIfPresent(figure, (unused, value) -> value * (all / attempts));
    }
    // The effect of an outage on customers depends on all of it.
    figures.remove(Figure.FELT_OUTAGE);
    return figures;
  }

  /** Returns how many attempts each device makes in the time that was cut. */
  double cutAttempts(StrategyPolicy policy) {
    return cutSeconds == 0 ? 0 : cutSeconds / lastLaw(policy).meanSeconds();
  }

  private static double settledSeconds(StrategyPolicy policy) {
    double growthSeconds = 0;
    for (Row row : SchedulePreview.of(policy, "").rows()) {
      if (!row.isEndless()) {
        double retries = (double) row.lastRetry() - row.firstRetry() + 1;
        growthSeconds += retries * Seconds.of(row.delay().highest());
      }
    }
    DelayLaw law = lastLaw(policy);
    double mean = law.meanSeconds();
    // The slowest wave of delays with mean m and variance v fades by e in m^3 / (2 pi^2 v).
    double fadingSeconds = mean * mean * mean / (2 * Math.PI * Math.PI * variance(law));
    return growthSeconds + Math.max(DELAYS * law.highestSeconds(), FADINGS * fadingSeconds);
  }

  private static DelayLaw lastLaw(StrategyPolicy policy) {
    List<Row> rows = SchedulePreview.of(policy, "").rows();
    return DelayLaw.of(policy.backoff(), rows.get(rows.size() - 1).firstRetry());
  }

  private static double variance(DelayLaw law) {
    double mean = law.meanSeconds();
    double variance = 0;
    for (DelayLaw.Piece piece : law.pieces()) {
      double middle = (piece.lowestSeconds() + piece.highestSeconds()) / 2 - mean;
      double width = piece.highestSeconds() - piece.lowestSeconds();
      variance += piece.share() * (middle * middle + width * width / 12);
    }
    return variance;
  }
}
