package dev.reprise.lab.replay;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.scenario.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries and the attempts that were made of them.
 *
 * <p>Two forms are read. The first is what the delivery service prints of a delivery, one document
 * after another, in lines or over several, or in one array:
 *
 * <pre>{@code
 * ./reprise deliveries export orders-1 > attempts.jsonl
 * }</pre>
 *
 * <p>The second is CSV: {@code delivery,attempt,startedAt,endedAt,outcome[,status][,retryAfter]},
 * and {@code endpoint} where a first line names the columns. Times have a date and an offset, the
 * outcome is {@code succeeded}, {@code failed} or {@code refused}, a hint is in seconds or a text
 * such as {@code 30s}. Without an endpoint, it is what follows the last {@code @} of the delivery.
 *
 * <p>In both, attempts may come in any order, and lines that are there twice count once.
 *
 * @param deliveries with at least one attempt each, by the start of their first
 */
public record AttemptLog(List<Delivery> deliveries) {
  /** Copies and sorts the deliveries. */
  public AttemptLog {
    List<Delivery> sorted = new ArrayList<>(deliveries);
    sorted.sort(
        Comparator.comparing((Delivery delivery) -> delivery.attempts().get(0).startedAt())
            .thenComparing(Delivery::id));
    deliveries = List.copyOf(sorted);
  }

  /**
   * Reads a log in either form.
   *
   * @throws LogException naming every rule that is broken, and where; also when there is no attempt
   */
  public static AttemptLog read(String text) {
    String start = text.stripLeading();
    return start.startsWith("{") || start.startsWith("[")
        ? new ServiceLogReader().read(text)
        : AttemptsCsv.read(text);
  }

  /**
   * Returns what the attempts say of each endpoint, from the start of the first attempt of the log:
   * when it was down, as {@link Failure.Trace}s, for scenarios. An endpoint is seen only where an
   * attempt was made. Times in which the share of failures is about the same are found by merging:
   * neighbouring attempts are put together as long as the whole explains them about as well as its
   * parts (by likelihood, at a price of 1.5 ln n for each part, where n is the number of attempts).
   * The border lies half-way between two attempts. So an outage is known as finely as attempts were
   * made at its ends, and a single failure among many successes counts as chance.
   */
  public Map<String, Failure.Trace> failures() {
    Map<String, Failure.Trace> failures = new LinkedHashMap<>();
    new RecordedHistory(this)
        .byEndpoint()
        .forEach((name, past) -> failures.put(name, past.trace()));
    return failures;
  }

  /**
   * A message for one endpoint.
   *
   * @param id unique in the log
   * @param endpoint where it goes, by any name; deliveries of one endpoint fail together
   * @param publishedAt when it was there to be delivered, not after the first attempt
   * @param end what became of it
   * @param attempts by time, at least one
   * @param later attempts after it had been given up and sent again by hand: they say something of
   *     the endpoint, and nothing of the policy
   */
  public record Delivery(
      String id,
      String endpoint,
      Instant publishedAt,
      End end,
      List<RecordedAttempt> attempts,
      List<RecordedAttempt> later) {
    /** Copies the attempts and checks that there is one. */
    public Delivery {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(endpoint, "endpoint");
      Objects.requireNonNull(publishedAt, "publishedAt");
      Objects.requireNonNull(end, "end");
      attempts = List.copyOf(attempts);
      later = List.copyOf(later);
      if (attempts.isEmpty()) {
        throw new InvalidSettingException("attempts", "empty", "must have at least one");
      }
    }

    /** Returns how many attempts were made; the service forgets some of very many. */
    int attemptsMade() {
      return last().number() - attempts.get(0).number() + 1;
    }

    RecordedAttempt last() {
      return attempts.get(attempts.size() - 1);
    }
  }

  /** The end of a delivery. */
  public enum End {
    /** The endpoint has taken it. */
    DELIVERED,
    /** No further attempt is made: a dead letter, or discarded. */
    GIVEN_UP,
    /** It was not at its end when the log was. */
    OPEN
  }

  /**
   * One attempt.
   *
   * @param number from 1
   * @param startedAt when it began
   * @param endedAt when it was over, not before it began
   * @param outcome what came of it
   * @param status the protocol's status, 0 if there was none
   * @param retryAfter how long the endpoint asked to wait, or null
   */
  public record RecordedAttempt(
      int number,
      Instant startedAt,
      Instant endedAt,
      RecordedOutcome outcome,
      int status,
      @Nullable Duration retryAfter) {
    /** Checks the times. */
    public RecordedAttempt {
      Objects.requireNonNull(outcome, "outcome");
      if (endedAt.isBefore(startedAt)) {
        throw new InvalidSettingException(
            "endedAt", endedAt, "must not be before startedAt, which is " + startedAt);
      }
    }
  }

  /** The outcome of an attempt. */
  public enum RecordedOutcome {
    /** The endpoint took the message. */
    SUCCEEDED,
    /** It did not, and may take it another time. */
    FAILED,
    /** It will never take this message. */
    REFUSED
  }
}
