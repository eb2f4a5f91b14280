package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The figures of each subscription and minute. */
class MinutesTest {
  private static final long MINUTE = EndpointFigures.MINUTE_MILLIS;
  private static final long FIRST = EndpointFigures.minuteOf(ShardHost.START);

  private final ShardHost host =
      new ShardHost(ShardSettings.DEFAULT, spec(1, ShardHost.HOURLY), spec(2, ShardHost.NO_RETRY));

  private static SubscriptionSpec spec(long number, RetryPolicy policy) {
    return new SubscriptionSpec(number, policy, 0, 0, false, 10, "alone " + number);
  }

  private void attempt(long subscription, AttemptOutcome outcome) {
    host.publish(subscription);
    host.run();
    host.end(host.started.get(0), outcome);
    host.run();
  }

  private static AttemptOutcome success(long millis) {
    return new AttemptOutcome(null, 200, "200 OK", "", new byte[0], millis * 1_000_000);
  }

  private static AttemptOutcome failure(HttpFailure failure) {
    return new AttemptOutcome(
        failure, failure.status(), failure.describe(), "", new byte[0], 5_000_000);
  }

  private List<EndpointFigures> stored(long subscription) {
    return new ShardReader(host.store).minutes(subscription, 0, Long.MAX_VALUE, 1000);
  }

  private Optional<EndpointFigures> present(long subscription) {
    ShardHost.Kept<Optional<EndpointFigures>> answer = new ShardHost.Kept<>();
    host.give(new ShardInput.PresentMinute(subscription, answer));
    host.run();
    return answer.answer == null ? Optional.empty() : answer.answer;
  }

  @Test
  void aMinuteTellsWhatHappenedInIt() {
    attempt(1, success(10));
    attempt(1, success(30));
    attempt(1, failure(HttpFailure.status(503, null)));
    attempt(1, failure(HttpFailure.status(404, null)));
    attempt(1, failure(HttpFailure.timeout(Duration.ofSeconds(1))));
    attempt(2, failure(HttpFailure.connectionError("refused", true)));

    assertThat(stored(1)).as("before the minute is over").isEmpty();
    host.sleep(MINUTE);

    assertThat(stored(1)).hasSize(1);
    EndpointFigures minute = stored(1).get(0);
    assertThat(minute.fromMillis()).isEqualTo(FIRST);
    assertThat(minute.attempts()).isEqualTo(5);
    assertThat(minute.delivered()).isEqualTo(2);
    assertThat(minute.retried()).isEqualTo(2);
    assertThat(minute.givenUp()).isEqualTo(1);
    assertThat(minute.outcomes(OutcomeClass.SUCCESS)).isEqualTo(2);
    assertThat(minute.outcomes(OutcomeClass.SERVER_ERROR)).isEqualTo(1);
    assertThat(minute.outcomes(OutcomeClass.CLIENT_ERROR)).isEqualTo(1);
    assertThat(minute.outcomes(OutcomeClass.TIMEOUT)).isEqualTo(1);
    assertThat(minute.latency().maxMicros()).isEqualTo(30_000);
    assertThat(minute.latency().sumMicros()).isEqualTo(55_000);
    assertThat(minute.pending()).isEqualTo(2);
    assertThat(minute.oldestDueMillis()).isEqualTo(ShardHost.START + 3_600_000);
    assertThat(minute.minLimit()).isPositive();
    assertThat(stored(2).get(0).outcomes(OutcomeClass.CONNECTION)).isEqualTo(1);
    assertThat(stored(2).get(0).givenUp()).isEqualTo(1);
  }

  @Test
  void thePresentMinuteCanBeAskedFor() {
    assertThat(present(1)).isEmpty();
    attempt(1, success(10));

    assertThat(present(1).orElseThrow().attempts()).isEqualTo(1);
    host.sleep(MINUTE);
    assertThat(present(1)).isEmpty();
  }

  @Test
  void aQuietSubscriptionCostsNothing() {
    attempt(1, success(10));
    host.sleep(10 * MINUTE);

    assertThat(stored(1)).hasSize(1);
    assertThat(stored(2)).isEmpty();
  }

  @Test
  void aPauseIsCountedInEachMinuteThatItLasts() {
    attempt(1, failure(HttpFailure.status(429, Duration.ofSeconds(150))));
    long untilEndOfMinute = FIRST + MINUTE - ShardHost.START;
    host.sleep(4 * MINUTE);

    List<Long> paused = new ArrayList<>();
    stored(1).forEach(minute -> paused.add(minute.pausedMillis()));
    assertThat(paused)
        .containsExactly(
            untilEndOfMinute, MINUTE, Math.min(MINUTE, 150_000 - untilEndOfMinute - MINUTE));
    assertThat(stored(1).get(0).outcomes(OutcomeClass.THROTTLED)).isEqualTo(1);
    assertThat(stored(1).get(1).attempts()).isZero();
  }

  @Test
  void aPauseThatIsEndedEarlyCountsUntilThen() {
    attempt(1, failure(HttpFailure.status(429, Duration.ofSeconds(150))));
    host.sleep(1000);
    host.give(new ShardInput.AttemptNow(1, null, null, 10, ShardHost.ignored()));
    host.run();
    host.end(host.started.get(0), success(1));
    host.run();
    host.sleep(3 * MINUTE);

    assertThat(stored(1)).hasSize(1);
    assertThat(stored(1).get(0).pausedMillis()).isEqualTo(1000);
  }

  @Test
  void aPauseIsNoLongerThanAMinuteAlthoughTheClockWasSetBack() {
    attempt(1, failure(HttpFailure.status(429, Duration.ofSeconds(200))));
    host.sleep(FIRST + 2 * MINUTE - 100 - host.nowMillis);
    host.shard().stopping();
    host.turn();
    host.nowMillis -= 700;
    host.restart();
    host.sleep(MINUTE);

    assertThat(stored(1).get(1).pausedMillis()).isEqualTo(MINUTE);
  }

  @Test
  void aCrashLosesThePresentMinuteAlone() {
    attempt(1, success(10));
    host.sleep(MINUTE);
    attempt(1, success(10));
    host.restart();
    host.sleep(2 * MINUTE);

    assertThat(stored(1)).hasSize(1);
    assertThat(host.ledger(1).delivered()).isEqualTo(2);
  }

  @Test
  void anOrderlyStopLosesNothingAndTheMinuteGoesOn() {
    attempt(1, success(10));
    host.shard().stopping();
    host.turn();
    assertThat(stored(1)).hasSize(1);
    host.restart();
    attempt(1, success(20));
    host.sleep(MINUTE);

    assertThat(stored(1)).hasSize(1);
    assertThat(stored(1).get(0).attempts()).isEqualTo(2);
    assertThat(stored(1).get(0).latency().count()).isEqualTo(2);
  }

  @Test
  void figuresAreKeptForAWeek() {
    attempt(1, success(10));
    host.sleep(MinuteSettings.DEFAULT.keepMillis() - MINUTE);
    assertThat(stored(1)).hasSize(1);
    host.sleep(3 * 3_600_000);
    assertThat(stored(1)).isEmpty();
  }

  @Test
  void theOldestGoWhenSpaceIsShortAndHistoryHasGivenWay() {
    for (int i = 0; i < 16; i++) {
      attempt(1, success(1));
      host.sleep(MINUTE);
    }
    assertThat(stored(1)).hasSize(16);
    long newest = stored(1).get(15).fromMillis();

    host.shard().spaceIsShort(true);
    host.run();
    host.sleep(1000);

    assertThat(stored(1)).hasSizeBetween(5, 10);
    assertThat(stored(1).get(stored(1).size() - 1).fromMillis()).isEqualTo(newest);
    host.sleep(5 * MINUTE);
    assertThat(stored(1)).as("two minutes are kept").isEmpty();

    host.shard().spaceIsShort(false);
    for (int i = 0; i < 5; i++) {
      attempt(1, success(1));
      host.sleep(MINUTE);
    }
    assertThat(stored(1)).hasSize(5);
  }

  @Test
  void figuresGoWithTheirSubscription() {
    attempt(1, success(10));
    attempt(2, success(10));
    host.sleep(MINUTE);
    attempt(1, success(10));
    host.give(new ShardInput.Remove(1));
    host.sleep(2 * MINUTE);

    assertThat(stored(1)).isEmpty();
    assertThat(stored(2)).hasSize(1);
  }

  @Test
  void theOldestGoWhereThereIsTooMuch() {
    long most = 20_000;
    MinuteSettings settings = new MinuteSettings(MinuteSettings.DEFAULT.keepMillis(), most);
    ShardHost small =
        new ShardHost(ShardSettings.DEFAULT, spec(1, ShardHost.HOURLY)).keepMinutes(settings);
    long bytes = 0;
    for (int minute = 0; minute < 1500; minute++) {
      small.publish(1);
      small.run();
      small.end(small.started.get(0), success(10));
      small.sleep(MINUTE);
      bytes = bytes(small.store);
      assertThat(bytes).as("minute %s", minute).isLessThan(2 * most);
    }
    assertThat(bytes).isGreaterThan(most / 2);
    List<EndpointFigures> left = new ShardReader(small.store).minutes(1, 0, Long.MAX_VALUE, 10_000);
    assertThat(left.get(left.size() - 1).fromMillis())
        .isGreaterThanOrEqualTo(small.nowMillis - 2 * MINUTE);
  }

  private static long bytes(SimulatedStore store) {
    long bytes = 0;
    try (Store.Cursor cursor =
        store.range(Keys.kind(Keys.MINUTE), Keys.after(Keys.kind(Keys.MINUTE)))) {
      while (cursor.next()) {
        bytes += cursor.key().length + cursor.value().length;
      }
    }
    return bytes;
  }

  @Test
  void recordsThatCannotBeReadAreAsIfTheyWereNot() {
    attempt(1, success(10));
    host.sleep(MINUTE);
    host.store.damage(MinuteRecord.key(1, FIRST));

    assertThat(stored(1)).isEmpty();
    host.restart();
    attempt(1, success(10));
    host.sleep(MINUTE);
    assertThat(stored(1)).hasSize(1);
  }
}
