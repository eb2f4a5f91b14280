package dev.reprise.lab.choose;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.Figure;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The limits that a policy must keep.
 *
 * @param peakRatio most attempts in any second after recovery, by capacity; more than 0, or null
 * @param p99 until when 99 % of the devices must be back after recovery; more than 0, or null
 * @param attempts for each device after recovery; at least 1, or null
 */
public record Limits(
    @Nullable Double peakRatio, @Nullable Duration p99, @Nullable Double attempts) {
  /** Nothing. */
  public static final Limits NONE = new Limits(null, null, null);

  /** Checks the limits; throws {@link InvalidSettingException} naming the one that is wrong. */
  public Limits {
    if (peakRatio != null && !(peakRatio > 0)) {
      throw new InvalidSettingException("peakRatio", peakRatio, "must be > 0");
    }
    if (p99 != null && (p99.isNegative() || p99.isZero())) {
      throw new InvalidSettingException("p99", p99, "must be more than 0");
    }
    if (attempts != null && !(attempts >= 1)) {
      throw new InvalidSettingException("attempts", attempts, "must be >= 1");
    }
  }

  /** Returns by how much the figures exceed the limits at most; 1 or less when all are kept. */
  double excess(Map<Figure, Double> figures) {
    double excess = 0;
    if (peakRatio != null) {
      excess = Math.max(excess, Candidate.figure(figures, Figure.PEAK_RATIO) / peakRatio);
    }
    if (p99 != null) {
      excess =
          Math.max(excess, Candidate.figure(figures, Figure.DRAIN_P99) / (p99.toNanos() / 1e9));
    }
    if (attempts != null) {
      excess =
          Math.max(excess, Candidate.figure(figures, Figure.ATTEMPTS_AFTER_RECOVERY) / attempts);
    }
    return excess;
  }
}
