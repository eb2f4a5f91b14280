package dev.reprise.lab.replay;

import dev.reprise.lab.replay.AttemptLog.Attempt;
import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.Outcome;
import dev.reprise.lab.replay.EndpointPast.Part;
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
 * What a log says of its endpoints, and of deliveries that failed for themselves: each of their
 * attempts failed although the endpoint took others at the time, so often that chance does not
 * explain it. Those say nothing of the endpoint, and are left out.
 */
final class Past {
  /** So unlikely by chance that a log of a thousand deliveries is not expected to have one. */
  private static final double BY_CHANCE = StrictMath.log(1e-6);

  private static final int MOST_ROUNDS = 10;

  private final long startNanos;
  private final long endNanos;

  /** Their ids. */
  private final Set<String> failedForThemselves = new HashSet<>();

  private final Map<String, EndpointPast> byEndpoint;

  Past(AttemptLog log) {
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (Delivery delivery : log.deliveries()) {
      for (List<Attempt> life : List.of(delivery.attempts(), delivery.later())) {
        for (Attempt attempt : life) {
          start = Math.min(start, Moment.nanos(attempt.startedAt()));
          end = Math.max(end, Moment.nanos(attempt.endedAt()));
        }
      }
    }
    startNanos = start;
    endNanos = end - start;
    byEndpoint = infer(log);
  }

  /** Those that are found hide others, for they make the endpoint look worse; so look again. */
  private Map<String, EndpointPast> infer(AttemptLog log) {
    Map<String, EndpointPast> pasts = inferWithoutFound(log);
    for (int round = 0; round < MOST_ROUNDS; round++) {
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
  private Map<Part, Votes> votes(AttemptLog log, Map<String, EndpointPast> pasts) {
    Map<Part, Votes> votes = new HashMap<>();
    for (Delivery delivery : log.deliveries()) {
      if (!failedForThemselves.contains(delivery.id())) {
        Map<Part, Votes> own = new HashMap<>();
        for (Attempt attempt : delivery.attempts()) {
          double failed = attempt.outcome() == Outcome.FAILED ? 1 : 0;
          own.computeIfAbsent(part(delivery, attempt, pasts), part -> new Votes()).add(failed);
        }
        own.forEach(
            (part, each) -> votes.computeIfAbsent(part, of -> new Votes()).add(each.share()));
      }
    }
    return votes;
  }

  private Part part(Delivery delivery, Attempt attempt, Map<String, EndpointPast> pasts) {
    return Objects.requireNonNull(pasts.get(delivery.endpoint())).at(nanos(attempt));
  }

  /** How much of what was said was failure. */
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

  private Map<String, EndpointPast> inferWithoutFound(AttemptLog log) {
    Map<String, List<Attempt>> attempts = new LinkedHashMap<>();
    for (Delivery delivery : log.deliveries()) {
      List<Attempt> of =
          attempts.computeIfAbsent(delivery.endpoint(), endpoint -> new ArrayList<>());
      if (!failedForThemselves.contains(delivery.id())) {
        of.addAll(delivery.attempts());
        of.addAll(delivery.later());
      }
    }
    Map<String, EndpointPast> pasts = new LinkedHashMap<>();
    attempts.forEach(
        (endpoint, of) -> pasts.put(endpoint, new EndpointPast(of, startNanos, endNanos)));
    return pasts;
  }

  private boolean isUnlikely(
      Delivery delivery, Map<String, EndpointPast> pasts, Map<Part, Votes> votes) {
    if (failedForThemselves.contains(delivery.id())) {
      return false;
    }
    double likelihood = 0;
    for (Attempt attempt : delivery.attempts()) {
      if (attempt.outcome() != Outcome.FAILED) {
        return false;
      }
      Votes of = votes.get(part(delivery, attempt, pasts));
      likelihood += of == null ? 0 : StrictMath.log(of.share());
    }
    return likelihood < BY_CHANCE;
  }

  Map<String, EndpointPast> byEndpoint() {
    return byEndpoint;
  }

  EndpointPast of(Delivery delivery) {
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
  long nanos(Attempt attempt) {
    return nanos(attempt.startedAt());
  }

  long nanos(Instant time) {
    return Moment.nanos(time) - startNanos;
  }
}
