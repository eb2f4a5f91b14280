package dev.reprise.lab.replay;

import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.lab.replay.EndpointHistory.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The history of the endpoints of a log, without the deliveries that failed for themselves: each of
 * their attempts failed although the endpoint took others at the time, so often that chance does
 * not explain it.
 */
final class RecordedHistory {
  /**
   * The logarithm of a probability so low that a log of a thousand deliveries is not expected to
   * have such a case.
   */
  private static final double BY_CHANCE = StrictMath.log(1e-6);

  private static final int MAX_ROUNDS = 10;

  private final long startNanos;
  private final long endNanos;

  /** Their ids. */
  private final Set<String> failedForThemselves = new HashSet<>();

  private final Map<String, EndpointHistory> byEndpoint;

  RecordedHistory(AttemptLog log) {
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (Delivery delivery : log.deliveries()) {
      for (List<RecordedAttempt> life : List.of(delivery.attempts(), delivery.later())) {
        for (RecordedAttempt attempt : life) {
          start = Math.min(start, Timestamp.nanos(attempt.startedAt()));
          end = Math.max(end, Timestamp.nanos(attempt.endedAt()));
        }
      }
    }
    startNanos = start;
    endNanos = end - start;
    byEndpoint = infer(log);
  }

  /**
   * Repeats the search until nothing is found: each find makes the endpoint look worse and hides
   * others.
   */
  private Map<String, EndpointHistory> infer(AttemptLog log) {
    Map<String, EndpointHistory> pasts = inferWithoutFound(log);
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Map<Part, Votes> votes = votes(log, pasts);
      int before = failedForThemselves.size();
      for (Delivery delivery : log.deliveries()) {
        if (isUnlikely(delivery, pasts, votes)) {
          failedForThemselves.add(delivery.id());
        }
      }
      if (failedForThemselves.size() == before) {
        return pasts;
      }
      pasts = inferWithoutFound(log);
    }
    return pasts;
  }

  /**
   * Each delivery has one vote in each part, however often it was tried: those that fail for
   * themselves are tried most often, and would outvote all others.
   */
  private Map<Part, Votes> votes(AttemptLog log, Map<String, EndpointHistory> pasts) {
    Map<Part, Votes> votes = new HashMap<>();
    for (Delivery delivery : log.deliveries()) {
      if (!failedForThemselves.contains(delivery.id())) {
        Map<Part, Votes> own = new HashMap<>();
        for (RecordedAttempt attempt : delivery.attempts()) {
          double failed = attempt.outcome() == RecordedOutcome.FAILED ? 1 : 0;
          own.computeIfAbsent(part(delivery, attempt, pasts), part -> new Votes()).add(failed);
        }
        own.forEach(
            (part, each) -> votes.computeIfAbsent(part, of -> new Votes()).add(each.share()));
      }
    }
    return votes;
  }

  private Part part(
      Delivery delivery, RecordedAttempt attempt, Map<String, EndpointHistory> pasts) {
    return Objects.requireNonNull(pasts.get(delivery.endpoint())).at(nanos(attempt));
  }

  /** The share of failures among votes. */
  private static final class Votes {
    private double failed;
    private int all;

    void add(double share) {
      failed += share;
      all++;
    }

    double share() {
      return failed / all;
    }
  }

  private Map<String, EndpointHistory> inferWithoutFound(AttemptLog log) {
    Map<String, List<RecordedAttempt>> attempts = new LinkedHashMap<>();
    for (Delivery delivery : log.deliveries()) {
      List<RecordedAttempt> of =
          attempts.computeIfAbsent(delivery.endpoint(), endpoint -> new ArrayList<>());
      if (!failedForThemselves.contains(delivery.id())) {
        of.addAll(delivery.attempts());
        of.addAll(delivery.later());
      }
    }
    Map<String, EndpointHistory> pasts = new LinkedHashMap<>();
    attempts.forEach(
        (endpoint, of) -> pasts.put(endpoint, new EndpointHistory(of, startNanos, endNanos)));
    return pasts;
  }

  private boolean isUnlikely(
      Delivery delivery, Map<String, EndpointHistory> pasts, Map<Part, Votes> votes) {
    if (failedForThemselves.contains(delivery.id())) {
      return false;
    }
    double likelihood = 0;
    for (RecordedAttempt attempt : delivery.attempts()) {
      if (attempt.outcome() != RecordedOutcome.FAILED) {
        return false;
      }
      Votes of = votes.get(part(delivery, attempt, pasts));
      likelihood += of == null ? 0 : StrictMath.log(of.share());
    }
    return likelihood < BY_CHANCE;
  }

  Map<String, EndpointHistory> byEndpoint() {
    return byEndpoint;
  }

  EndpointHistory of(Delivery delivery) {
    return Objects.requireNonNull(byEndpoint.get(delivery.endpoint()));
  }

  boolean failedForItself(Delivery delivery) {
    return failedForThemselves.contains(delivery.id());
  }

  /** Returns from the start of the log to its end, in nanoseconds. */
  long endNanos() {
    return endNanos;
  }

  /** Returns from the start of the log to the start of an attempt, in nanoseconds. */
  long nanos(RecordedAttempt attempt) {
    return nanos(attempt.startedAt());
  }

  long nanos(Instant time) {
    return Timestamp.nanos(time) - startNanos;
  }
}
