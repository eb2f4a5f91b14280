package dev.reprise.delivery.shard;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions with due work: one line for each {@link Pace}, and the lines take turns, so
 * that neither many hanging endpoints nor many prompt ones keep the others waiting. Not safe for
 * use by several threads.
 */
final class RunQueue {
  private static final Pace[] PACES = Pace.values();

  private final Map<Pace, ArrayDeque<SubscriptionState>> lines = new EnumMap<>(Pace.class);
  private int next;

  RunQueue() {
    for (Pace pace : PACES) {
      lines.put(pace, new ArrayDeque<>());
    }
  }

  /** Puts the subscription at the end of its line, unless it stands in one. */
  void add(SubscriptionState state) {
    if (!state.queued) {
      state.queued = true;
      lineOf(state.pace()).addLast(state);
    }
  }

  /** Takes the first of the next line that {@code open} lets through; null if there is none. */
  @Nullable SubscriptionState poll(Predicate<Pace> open) {
    moveChanged();
    for (int i = 0; i < PACES.length; i++) {
      Pace pace = PACES[next];
      next = (next + 1) % PACES.length;
      SubscriptionState state = open.test(pace) ? lineOf(pace).pollFirst() : null;
      if (state != null) {
        state.queued = false;
        return state;
      }
    }
    return null;
  }

  /** Whether one waits in a line that {@code open} lets through. */
  boolean hasWork(Predicate<Pace> open) {
    moveChanged();
    for (Pace pace : PACES) {
      if (open.test(pace) && !lineOf(pace).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Those whose pace has changed since they took their place move to the other line, so that the
   * first of each line belongs there.
   */
  private void moveChanged() {
    for (Pace pace : PACES) {
      ArrayDeque<SubscriptionState> line = lineOf(pace);
      SubscriptionState first;
      while ((first = line.peekFirst()) != null && first.pace() != pace) {
        line.removeFirst();
        lineOf(first.pace()).addLast(first);
      }
    }
  }

  private ArrayDeque<SubscriptionState> lineOf(Pace pace) {
    ArrayDeque<SubscriptionState> line = lines.get(pace);
    if (line == null) {
      throw new IllegalStateException("there is no line for " + pace);
    }
    return line;
  }
}
