package dev.reprise.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptOutcomeTest {
  @Test
  void anAttemptThatWasNotMadeIsNoSuccessAndSafeToRetry() {
    AttemptOutcome outcome = AttemptOutcome.notMade("no connection was free");

    assertThat(outcome.made()).isFalse();
    assertThat(outcome.succeeded()).isFalse();
    RetryInfo failure = outcome.failure();
    assertThat(failure).isNotNull();
    assertThat(failure.isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(outcome.summary()).isEqualTo("no connection was free");
    assertThat(outcome.durationNanos()).isZero();
  }

  @Test
  void otherOutcomesAreOfAttemptsThatWereMade() {
    assertThat(new AttemptOutcome(null, 204, "", "", new byte[0], 1).made()).isTrue();
    assertThat(AttemptOutcome.internalError(new IllegalStateException("x")).made()).isTrue();
  }

  @Test
  void aSuccessThatWasNotMadeIsRefused() {
    assertThatThrownBy(
            () -> new AttemptOutcome(null, 204, "", "", new byte[0], 1, false, null, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("made is false");
  }
}
