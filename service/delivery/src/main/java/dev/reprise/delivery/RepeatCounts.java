package dev.reprise.delivery;

import java.util.EnumMap;
import java.util.Map;

/** Numbers of attempts that may have brought a message for a second time, by the reason. */
public final class RepeatCounts {
  /** None. */
  public static final RepeatCounts NONE = new RepeatCounts(Map.of());

  private final Map<RepeatReason, Long> counts = new EnumMap<>(RepeatReason.class);

  /** Counts; those that are missing are 0. */
  public RepeatCounts(Map<RepeatReason, Long> counts) {
    this.counts.putAll(counts);
  }

  /** Returns how many there were for a reason. */
  public long of(RepeatReason reason) {
    return counts.getOrDefault(reason, 0L);
  }

  /** Returns whether there were none. */
  public boolean isEmpty() {
    return counts.values().stream().allMatch(count -> count == 0);
  }

  /** Returns the sum of both. */
  public RepeatCounts plus(RepeatCounts other) {
    RepeatCounts sum = new RepeatCounts(counts);
    other.counts.forEach((reason, count) -> sum.counts.merge(reason, count, Long::sum));
    return sum;
  }
}
