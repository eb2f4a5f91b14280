package dev.reprise.policy.backoff;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.EqualJitterBackoff;
import dev.reprise.core.backoff.FullJitterBackoff;
import dev.reprise.core.backoff.ProportionalJitterBackoff;
import dev.reprise.core.backoff.StagedBackoff;
import org.jspecify.annotations.Nullable;

/** Takes a backoff apart into its formula, its jitter and its cap. */
public final class BackoffParts {
  private BackoffParts() {}

  /** Returns the backoff without the jitter and the cap around it. */
  static Backoff formula(Backoff backoff) {
    return withoutCap(withoutJitter(backoff));
  }

  /** Returns the backoff without the jitter around it. */
  public static Backoff withoutJitter(Backoff backoff) {
    if (backoff instanceof FullJitterBackoff full) {
      return full.backoff();
    }
    if (backoff instanceof EqualJitterBackoff equal) {
      return equal.backoff();
    }
    return backoff instanceof ProportionalJitterBackoff proportional
        ? proportional.backoff()
        : backoff;
  }

  static Backoff withoutCap(Backoff backoff) {
    return backoff instanceof CappedBackoff capped ? capped.backoff() : backoff;
  }

  /** Returns the staged backoff inside, or null when there is none. */
  public static @Nullable StagedBackoff stages(Backoff backoff) {
    return formula(backoff) instanceof StagedBackoff staged ? staged : null;
  }
}
