package dev.reprise.lab.replay;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.End;
import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A delivery service whose endpoints fail as nobody but the test knows: one is down from minute 10
 * to minute 35 and slow to say so, one fails by chance, and one never takes certain messages.
 */
final class KnownTruth {
  static final Instant START = Instant.parse("2026-11-21T13:00:00Z");
  static final Duration DOWN_FROM = Duration.ofMinutes(10);
  static final Duration DOWN_TO = Duration.ofMinutes(35);
  static final double CHANCE = 0.1;

  private static final int HOUR_MILLIS = 3_600_000;

  private KnownTruth() {}

  /** Returns what the service would record of an hour in which a message a second is published. */
  static AttemptLog record(Policy policy, long seed) {
    Random random = new Random(seed);
    List<Delivery> deliveries = new ArrayList<>();
    long atMillis = 0;
    while (true) {
      atMillis += (long) (-1000 * Math.log(1 - random.nextDouble()));
      if (atMillis > HOUR_MILLIS) {
        return new AttemptLog(deliveries);
      }
      String endpoint = List.of("outage", "chance", "poison").get(random.nextInt(3));
      boolean poison = endpoint.equals("poison") && random.nextInt(50) == 0;
      boolean refused = endpoint.equals("poison") && random.nextInt(50) == 0;
      String id = "m" + deliveries.size() + "@" + endpoint;
      deliveries.add(
          delivery(id, endpoint, poison, refused, atMillis, policy.toRetryPolicy(), random));
    }
  }

  private static Delivery delivery(
      String id,
      String endpoint,
      boolean poison,
      boolean refused,
      long publishedMillis,
      RetryPolicy policy,
      Random random) {
    List<RecordedAttempt> attempts = new ArrayList<>();
    long now = publishedMillis;
    while (true) {
      boolean down =
          endpoint.equals("outage") && now >= DOWN_FROM.toMillis() && now < DOWN_TO.toMillis();
      boolean unlucky = endpoint.equals("chance") && random.nextDouble() < CHANCE;
      boolean failed = poison || down || unlucky;
      RecordedOutcome outcome =
          failed
              ? RecordedOutcome.FAILED
              : refused ? RecordedOutcome.REFUSED : RecordedOutcome.SUCCEEDED;
      long ended = now + (down ? 2000 : 20 + random.nextInt(60));
      int number = attempts.size() + 1;
      attempts.add(
          new RecordedAttempt(
              number, START.plusMillis(now), START.plusMillis(ended), outcome, 0, null));
      RetryInfo failure = () -> refused && !failed ? RetrySafety.NO : RetrySafety.YES;
      RetryDecision next =
          outcome == RecordedOutcome.SUCCEEDED
              ? null
              : policy.decide(number - 1, failure, true, Long.MAX_VALUE, random);
      if (!(next instanceof RetryDecision.Retry retry)) {
        return new Delivery(
            id,
            endpoint,
            START.plusMillis(publishedMillis),
            outcome == RecordedOutcome.SUCCEEDED ? End.DELIVERED : End.GIVEN_UP,
            attempts,
            List.of());
      }
      now = ended + (retry.delayNanos() + 999_999) / 1_000_000;
    }
  }

  /** Writes a log as CSV. */
  static String csv(AttemptLog log) {
    StringBuilder csv = new StringBuilder("delivery,attempt,startedAt,endedAt,outcome,status\n");
    for (Delivery delivery : log.deliveries()) {
      for (RecordedAttempt attempt : delivery.attempts()) {
        csv.append(delivery.id()).append(',').append(attempt.number()).append(',');
        csv.append(attempt.startedAt()).append(',').append(attempt.endedAt()).append(',');
        csv.append(attempt.outcome().name().toLowerCase(Locale.ROOT)).append(",0\n");
      }
    }
    return csv.toString();
  }
}
