package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.AllocatedBytes;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.testkit.ScriptedOperation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

/** Calls whose first failure is decided alike share that decision; no call sees another one's. */
class SharedFirstDecisionTest {
  private static final class Conflict extends RuntimeException {
    private static final long serialVersionUID = 1;

    Conflict() {
      super(null, null, false, false);
    }
  }

  /** A retry costs 3 tokens; a success brings back what the last one cost. */
  private final RetryBudget budget =
      RetryBudget.tokenBucket(10, new TokenPrices(3_000, 3_000, 6_000, 1_000, true));

  private Retry retry(int maxAttempts) {
    return Retry.of(
        RetryStrategies.of(
                Backoff.none(),
                Classifier.defaults().with(FailureRule.retryOn(Conflict.class)),
                maxAttempts)
            .toBuilder()
            .budget(budget)
            .build());
  }

  private static ScriptedOperation<String> failing(int times) {
    return new ScriptedOperation<String>()
        .fails(times, () -> new ConnectException("refused"))
        .succeeds("done");
  }

  private double tokens() {
    return budget.balanceMilliTokens(0) / 1_000.0;
  }

  @Test
  void aCallThatFailsOnceNeedsNoObject() {
    Retry retry = retry(3);
    Conflict conflict = new Conflict();
    int[] calls = new int[1];
    CheckedSupplier<String, RuntimeException> everySecond =
        () -> {
          if (calls[0]++ % 2 == 0) {
            throw conflict;
          }
          return "done";
        };

    retry.call(everySecond);
    assertThat(AllocatedBytes.ofSecondRun(() -> retry.call(everySecond))).isZero();
    assertThat(tokens()).isEqualTo(10);
  }

  @Test
  void aCallThatGoesOnDoesNotChangeTheOthers() throws Exception {
    Retry retry = retry(4);
    assertThat(retry.call(failing(1)::call)).isEqualTo("done");
    ScriptedOperation<String> nested = failing(1);
    ScriptedOperation<String> outer = failing(3);

    // One call is at its third attempt while another has its first failure.
    String result =
        retry.call(
            () -> {
              if (outer.calls() == 2) {
                assertThat(retry.call(nested::call)).isEqualTo("done");
              }
              return outer.call();
            });

    assertThat(result).isEqualTo("done");
    assertThat(outer.calls()).isEqualTo(4);
    assertThat(nested.calls()).isEqualTo(2);
    // Of three retries the last one is given back.
    assertThat(tokens()).isEqualTo(4);
    assertThat(retry.call(failing(1)::call)).isEqualTo("done");
    assertThat(tokens()).isEqualTo(4);
  }

  @Test
  void aRetryThatIsCutOffGivesBackItsOwnCostEachTime() throws Exception {
    Retry retry = retry(4);
    for (int i = 0; i < 3; i++) {
      Throwable thrown =
          catchThrowable(
              () ->
                  retry.run(
                      () -> {
                        Thread.currentThread().interrupt();
                        throw new ConnectException("refused");
                      }));

      assertThat(Thread.interrupted()).isTrue();
      RetryStoppedException stopped = RetryStoppedException.of(thrown);
      assertThat(stopped).isNotNull();
      assertThat(stopped.reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(tokens()).isEqualTo(10);
      assertThat(retry.call(failing(1)::call)).isEqualTo("done");
      assertThat(tokens()).isEqualTo(10);
    }
  }

  @Test
  void anEmptyBudgetIsExplainedWithTheNumbersOfItsMoment() {
    Retry retry = retry(2);
    Retry exhausted = retry(100);
    assertThat(stop(exhausted).reason()).isEqualTo(StopReason.BUDGET);
    RetryStoppedException one = stop(retry);
    RetryStoppedException another = stop(retry);
    budget.refund(500);
    RetryStoppedException later = stop(retry);
    budget.refund(9_000);

    String first =
        "BUDGET after 1 attempt: budget: 1.000 of 10 tokens left, a retry after this failure costs"
            + " 3 (TokenPrices.errorMilliTokens)";
    assertThat(one).hasMessage(first);
    assertThat(another).hasMessage(first).isNotSameAs(one);
    assertThat(later).hasMessage(first.replace("1.000", "1.500"));
  }

  @Test
  void whatEndedACallSurvivesAStream() throws Exception {
    stop(retry(100));
    RetryStoppedException stopped = stop(retry(2));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stopped);
    }

    Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();

    assertThat(read)
        .isInstanceOfSatisfying(
            RetryStoppedException.class,
            copy -> {
              assertThat(copy.reason()).isEqualTo(StopReason.BUDGET);
              assertThat(copy.attempts()).isEqualTo(1);
              assertThat(copy).hasMessage(stopped.getMessage());
            });
  }

  private static RetryStoppedException stop(Retry retry) {
    Throwable thrown =
        catchThrowable(
            () ->
                retry.run(
                    () -> {
                      throw new ConnectException("refused");
                    }));
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    return stopped;
  }
}
