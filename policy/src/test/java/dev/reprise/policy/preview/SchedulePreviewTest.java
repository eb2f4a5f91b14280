package dev.reprise.policy.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.Stage;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.policy.HealthyRetryPolicy;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.Presets;
import dev.reprise.policy.ThrottlePolicy;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SchedulePreviewTest {
  private static final String NO_JITTER = "No jitter: whatever fails together is retried together.";

  private static HealthyRetryPolicy policy(
      int total, int noDelay, int min, int max, int minSeconds, int maxSeconds, BackoffFunction f) {
    return new HealthyRetryPolicy(
        total,
        noDelay,
        Duration.ofSeconds(minSeconds),
        Duration.ofSeconds(maxSeconds),
        min,
        max,
        f);
  }

  private static DelaySpan exactly(long millis) {
    Duration delay = Duration.ofMillis(millis);
    return new DelaySpan(delay, delay, delay);
  }

  private static SchedulePreview preview(HealthyRetryPolicy policy) {
    return SchedulePreview.of(NotificationPolicy.of(policy), "p");
  }

  private static List<String> warnings(HealthyRetryPolicy policy, @Nullable Duration lifetime) {
    return SchedulePreview.of(NotificationPolicy.of(policy), "p", lifetime).warnings();
  }

  @Test
  void rowsCarryNumbersAndCumulativeTime() {
    SchedulePreview preview = preview(Presets.get("notification-queue"));

    assertThat(preview.rows())
        .containsExactly(
            new Row(Stage.IMMEDIATE, 1, 10, exactly(0), exactly(0)),
            new Row(Stage.MIN_DELAY, 11, 100_000, exactly(20_000), exactly(2_000_000_000L)));
    assertThat(preview.attempts()).isEqualTo(100_011);
    assertThat(preview.rows().get(1).lastRetry()).isEqualTo(100_010);
  }

  @Property(tries = 300)
  void rowsUnfoldToTheDelaysOfTheBackoff(
      @ForAll @IntRange(max = 20) int noDelay,
      @ForAll @IntRange(max = 20) int min,
      @ForAll @IntRange(max = 60) int growing,
      @ForAll @IntRange(max = 20) int max,
      @ForAll @IntRange(max = 4) int minSeconds,
      @ForAll @IntRange(max = 60) int moreSeconds,
      @ForAll BackoffFunction function) {
    HealthyRetryPolicy policy =
        policy(
            noDelay + min + growing + max,
            noDelay,
            min,
            max,
            minSeconds,
            minSeconds + moreSeconds,
            function);
    StagedBackoff backoff = policy.toBackoff();

    SchedulePreview preview = preview(policy);

    int retry = 0;
    long cumulative = 0;
    Row previous = null;
    for (Row row : preview.rows()) {
      assertThat(row.firstRetry()).isEqualTo(retry + 1);
      for (int i = 0; i < row.times(); i++) {
        retry++;
        assertThat(backoff.stageOf(retry)).isEqualTo(row.stage());
        assertThat(exactly(backoff.delayMillis(retry))).isEqualTo(row.delay());
        cumulative += backoff.delayMillis(retry);
      }
      assertThat(row.cumulative()).isEqualTo(exactly(cumulative));
      if (previous != null && previous.stage() == row.stage()) {
        assertThat(row.delay().lowest()).isGreaterThan(previous.delay().lowest());
      }
      previous = row;
    }
    assertThat(retry).isEqualTo(policy.numRetries()).isEqualTo(preview.retries());
    assertThat(preview.total()).isEqualTo(exactly(cumulative));
  }

  @Test
  void largestPolicyHasThreeRowsAndATotalBeyondMilliseconds() {
    HealthyRetryPolicy largest =
        new HealthyRetryPolicy(
            Integer.MAX_VALUE - 1,
            1,
            Duration.ofDays(100_000),
            Duration.ofDays(100_000),
            1,
            0,
            BackoffFunction.LINEAR);

    SchedulePreview preview = preview(largest);

    assertThat(preview.rows()).hasSize(3);
    assertThat(preview.attempts()).isEqualTo(Integer.MAX_VALUE);
    assertThat(preview.toJson().get("totalDelayMillis").longValue()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void warnsOfNothingButJitterInAnOrdinaryPolicy() {
    assertThat(warnings(Presets.get("notification-http"), null)).containsExactly(NO_JITTER);
    assertThat(warnings(Presets.get("notification-sms"), null)).containsExactly(NO_JITTER);
    assertThat(warnings(Presets.get("notification-queue"), null)).containsExactly(NO_JITTER);
  }

  @Test
  void warnsOfNoRetriesAndOfNoDelays() {
    assertThat(warnings(Presets.get("no-retry"), null))
        .containsExactly("No retries: the first failed attempt is the last.");
    assertThat(warnings(policy(3, 3, 0, 0, 20, 20, BackoffFunction.LINEAR), null))
        .containsExactly("No delay before any retry: whatever is down gets all of them at once.");
    assertThat(warnings(policy(3, 0, 0, 0, 0, 0, BackoffFunction.LINEAR), null))
        .containsExactly("No delay before any retry: whatever is down gets all of them at once.");
  }

  @Test
  void warnsOfABackoffStageThatIsNeverReached() {
    assertThat(warnings(policy(5, 1, 4, 0, 1, 60, BackoffFunction.EXPONENTIAL), null))
        .containsExactly(
            "The backoff stage is never reached: the other stages use all 5 retries, and"
                + " exponential is not used.",
            "maxDelayTarget, 1 min, is never reached: only the maximum delay stage and a backoff"
                + " stage of two or more retries use it.",
            NO_JITTER);
    assertThat(warnings(policy(5, 1, 0, 4, 1, 60, BackoffFunction.LINEAR), null))
        .containsExactly(
            "The backoff stage is never reached: the other stages use all 5 retries, and linear is"
                + " not used.",
            "minDelayTarget, 1 s, is never used: there is neither a minimum delay stage nor a"
                + " backoff stage.",
            NO_JITTER);
  }

  @Test
  void warnsOfASingleBackoffRetry() {
    assertThat(warnings(policy(2, 0, 0, 1, 5, 260, BackoffFunction.GEOMETRIC), null))
        .containsExactly(
            "The backoff stage has one retry: it waits minDelayTarget, 5 s.", NO_JITTER);
  }

  @Test
  void warnsOfAFunctionThatMakesNoDifference() {
    assertThat(warnings(policy(5, 0, 0, 0, 20, 20, BackoffFunction.EXPONENTIAL), null))
        .containsExactly(
            "minDelayTarget and maxDelayTarget are both 20 s: exponential makes no difference.",
            NO_JITTER);
  }

  @Test
  void warnsOfALifetimeThatEndsFirst() {
    HealthyRetryPolicy example = policy(20, 3, 4, 4, 20, 60, BackoffFunction.LINEAR);

    // Retries 4 to 7 come 20, 40, 60 and 80 s after the first failure: retry 6 is attempt 7.
    assertThat(warnings(example, Duration.ofSeconds(60)))
        .containsExactly(
            NO_JITTER,
            "The lifetime of 1 min ends before the schedule: attempt 7 of 21 is the last that can"
                + " start in time. Never reached: backoff, maxDelay.");
    assertThat(warnings(example, Duration.ZERO))
        .containsExactly(
            NO_JITTER,
            "The lifetime of 0 s ends before the schedule: attempt 4 of 21 is the last that can"
                + " start in time. Never reached: minDelay, backoff, maxDelay.");
    assertThat(warnings(example, Duration.ofMillis(679_999)).get(1)).contains("attempt 20 of 21");
    assertThat(warnings(example, Duration.ofSeconds(680))).containsExactly(NO_JITTER);
    assertThat(warnings(example, Duration.ofSeconds(Long.MAX_VALUE))).containsExactly(NO_JITTER);
    assertThatThrownBy(() -> warnings(example, Duration.ofSeconds(-1)))
        .isInstanceOf(PolicyException.class)
        .hasMessage("lifetime is PT-1S: must not be negative");
  }

  @Test
  void warnsThatAThrottleMayDelayFurther() {
    NotificationPolicy throttled =
        new NotificationPolicy(HealthyRetryPolicy.DEFAULT, new ThrottlePolicy(5), false);

    assertThat(SchedulePreview.of(throttled, "p", null).warnings())
        .containsExactly(
            NO_JITTER,
            "maxReceivesPerSecond is 5: deliveries wait for their turn, which may make any delay"
                + " longer.");
  }
}
