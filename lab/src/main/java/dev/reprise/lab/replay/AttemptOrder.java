package dev.reprise.lab.replay;

import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Puts the attempts of one delivery in order. */
final class AttemptOrder {
  /** Wall clocks are corrected by a little now and then; a recording keeps milliseconds. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  /** The first words of rules about times. */
  static final String CLOCK_RULE = "must not be before";

  private AttemptOrder() {}

  /**
   * Returns the attempts by number, each once.
   *
   * @param complaint told of an attempt that cannot be, and of the rule that it breaks
   */
  static List<RecordedAttempt> inOrder(
      List<RecordedAttempt> attempts, BiConsumer<RecordedAttempt, String> complaint) {
    List<RecordedAttempt> sorted = new ArrayList<>(attempts);
    sorted.sort(Comparator.comparingInt(RecordedAttempt::number));
    List<RecordedAttempt> each = new ArrayList<>();
    for (RecordedAttempt attempt : sorted) {
      RecordedAttempt last = each.isEmpty() ? null : each.get(each.size() - 1);
      if (attempt.equals(last)) {
        continue;
      }
      String broken = last == null ? null : brokenRule(attempt, last);
      if (broken == null) {
        each.add(attempt);
      } else {
        complaint.accept(attempt, broken);
      }
    }
    return each;
  }

  /** Returns the rule that an attempt breaks after the one before it, or null. */
  private static @Nullable String brokenRule(RecordedAttempt attempt, RecordedAttempt last) {
    if (attempt.number() == last.number()) {
      return "must be given once, and attempt " + last.number() + " is there otherwise, too";
    }
    if (attempt.startedAt().isBefore(last.endedAt().minus(SLACK))) {
      return CLOCK_RULE
          + " the end of attempt "
          + last.number()
          + ", which is "
          + last.endedAt()
          + ": has the clock gone back?";
    }
    return last.outcome() == AttemptLog.RecordedOutcome.SUCCEEDED
        ? "must not follow attempt " + last.number() + ", which succeeded"
        : null;
  }
}
