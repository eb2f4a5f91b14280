package dev.reprise.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScriptedOperationTest {
  @Test
  void threeFailuresThenSuccess() throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(3, () -> new IOException("reset")).succeeds("hello");
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      failures.add(catchThrowable(operation::call));
    }

    assertThat(failures).doesNotHaveDuplicates().allSatisfy(e -> assertThat(e).hasMessage("reset"));
    assertThat(operation.call()).isEqualTo("hello");
    assertThat(operation.calls()).isEqualTo(4);
    assertThatThrownBy(operation::call)
        .isInstanceOf(AssertionError.class)
        .hasMessage("call 5 of a script of 4 outcomes");
  }

  @Test
  void alwaysHasNoEnd() throws Exception {
    ScriptedOperation<Integer> operation =
        new ScriptedOperation<Integer>().succeeds(1).succeedsAlways(2);

    assertThat(List.of(operation.call(), operation.call(), operation.call()))
        .containsExactly(1, 2, 2);
    assertThatThrownBy(() -> operation.succeeds(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("nothing comes after thenAlways");
  }

  @Test
  void outcomesMayBeAnyValue() {
    ScriptedOutcomes<Integer> statuses = new ScriptedOutcomes<Integer>().times(2, 503).then(200);

    assertThat(List.of(statuses.next(), statuses.next())).containsExactly(503, 503);
    assertThat(statuses.isExhausted()).isFalse();
    assertThat(statuses.next()).isEqualTo(200);
    assertThat(statuses.isExhausted()).isTrue();
    assertThatThrownBy(() -> statuses.times(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("times is 0: must be >= 1");
  }

  /** The parts together: an endpoint that recovers, and hours of delays in no time. */
  @Test
  void scheduleOfARetryPolicyRunsInVirtualTime() {
    VirtualScheduler scheduler = new VirtualScheduler(new VirtualClock());
    RetryPolicy policy = new RetryPolicy(Backoff.fixed(Duration.ofHours(1)), 5, Duration.ofDays(1));
    ScriptedOutcomes<Integer> statuses = new ScriptedOutcomes<Integer>().times(3, 503).then(204);
    List<Long> attemptHours = new ArrayList<>();

    attempt(scheduler, policy, statuses, 0, attemptHours);
    scheduler.runUntilIdle(10);

    assertThat(attemptHours).containsExactly(0L, 1L, 2L, 3L);
  }

  private static void attempt(
      VirtualScheduler scheduler,
      RetryPolicy policy,
      ScriptedOutcomes<Integer> statuses,
      int retriesMade,
      List<Long> attemptHours) {
    attemptHours.add(Duration.ofNanos(scheduler.clock().elapsedNanos()).toHours());
    int status = statuses.next();
    if (HttpFailure.isSuccess(status)) {
      return;
    }
    RetryDecision decision =
        policy.decide(
            retriesMade,
            HttpFailure.status(status, null),
            true,
            Long.MAX_VALUE,
            SeededRandom.of(1));
    if (decision instanceof RetryDecision.Retry retry) {
      scheduler.scheduleNanos(
          retry.delayNanos(),
          () -> attempt(scheduler, policy, statuses, retry.retry(), attemptHours));
    }
  }
}
