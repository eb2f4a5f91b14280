package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.AllocatedBytes;
import dev.reprise.core.Operation;
import org.junit.jupiter.api.Test;

class StrategyAllocationTest {
  private static final int CALL_STATE_BYTES = 48;

  private final StandardRetryStrategy strategy =
      RetryStrategies.standard(StandardProfile.SMITHY_GUIDE);

  @Test
  void aFirstAttemptThatSucceedsAllocatesNothing() {
    Operation scoped = Operation.DEFAULT.withScope("host");

    assertThat(AllocatedBytes.ofSecondRun(() -> strategy.recordFirstSuccess(Operation.DEFAULT)))
        .isZero();
    assertThat(AllocatedBytes.ofSecondRun(() -> strategy.recordFirstSuccess(scoped))).isZero();
  }

  @Test
  void aCallIsOneSmallObject() {
    CallState[] call = new CallState[1];

    assertThat(AllocatedBytes.ofSecondRun(() -> call[0] = strategy.begin(Operation.DEFAULT)))
        .isLessThanOrEqualTo(CALL_STATE_BYTES);
  }

  @Test
  void aDecisionAllocatesNothing() {
    Failure failure = Failure.error();
    CallState call = strategy.begin(Operation.DEFAULT);

    // Retry 1, then retry 2, with a success after them.
    assertThat(AllocatedBytes.ofSecondRun(() -> strategy.decide(call, failure, Long.MAX_VALUE)))
        .isZero();
    assertThat(call.attempt).isEqualTo(3);
    assertThat(AllocatedBytes.ofSecondRun(() -> strategy.recordSuccess(call))).isZero();
    call.attempt = 5;
    assertThat(AllocatedBytes.ofSecondRun(() -> strategy.decide(call, failure, Long.MAX_VALUE)))
        .isZero();
  }
}
