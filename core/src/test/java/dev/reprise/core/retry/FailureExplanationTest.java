package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.classify.Verdict;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureExplanationTest {
  private static final class OutOfStockException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Means this or that by its status. */
  public static final class RemoteException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;

    RemoteException(int status) {
      super("status " + status);
      this.status = status;
    }

    public int statusCode() {
      return status;
    }
  }

  private static final class Throttled extends IOException implements RetryInfo {
    private static final long serialVersionUID = 1;
    private final transient @Nullable Duration hint;

    Throttled(@Nullable Duration hint) {
      this.hint = hint;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }

    @Override
    public boolean isThrottle() {
      return true;
    }

    @Override
    public @Nullable Duration retryAfter() {
      return hint;
    }
  }

  private static Retry withRules(FailureRule... rules) {
    return Retry.of(
        StandardRetryStrategy.builder().classifier(Classifier.defaults().with(rules)).build());
  }

  @Test
  void aFailureThatNobodyKnowsNamesTheRuleThatWouldHelp() {
    FailureExplanation explained = Retry.ofDefaults().explain(new OutOfStockException());

    assertThat(explained.isRetried()).isFalse();
    assertThat(explained.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(explained.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(explained)
        .hasToString(
            "OutOfStockException is not retried: unknown failure, no rule knows "
                + OutOfStockException.class.getName()
                + ". To retry it: Retry.builder().retryOn(OutOfStockException.class) if it tells"
                + " that nothing has happened; where it may have taken effect, a strategy whose"
                + " classifier is Classifier.defaults().with(FailureRule.maybeRetryOn("
                + "OutOfStockException.class)).");
  }

  @Test
  void aFailureWithAStatusIsNotToBeRetriedByItsType() {
    String sentence =
        Retry.ofDefaults().explain(new RuntimeException(new RemoteException(3))).sentence();

    assertThat(sentence)
        .contains("To retry some of its kind: Retry.builder().retryIf, with a condition on")
        .contains("RemoteException.statusCode()")
        .contains("FailureRule.maybeRetryIf")
        .doesNotContain("retryOn(")
        .doesNotContain("maybeRetryOn(");
  }

  @Test
  void aStatusThatRefusesGetsNoAdviceToRetryIt() {
    String sentence = Retry.ofDefaults().explain(new SQLException("x", "42601", 1064)).sentence();

    assertThat(sentence)
        .contains("The same request would get the same answer")
        .doesNotContain("To retry it");
  }

  @Test
  void aFailureThatMayHaveTakenEffectAsksForIdempotent() {
    SocketTimeoutException failure = new SocketTimeoutException("Read timed out");

    assertThat(Retry.ofDefaults().explain(failure).sentence())
        .startsWith("SocketTimeoutException is not retried: ")
        .contains("it may have taken effect, and is not declared idempotent")
        .contains("RetryBuilder.idempotent(true)");
    FailureExplanation repeatable = Retry.builder().idempotent(true).build().explain(failure);
    assertThat(repeatable.isRetried()).isTrue();
    assertThat(repeatable.stopReason()).isNull();
    assertThat(repeatable.sentence())
        .startsWith("SocketTimeoutException is retried: ")
        .contains("the operation is declared idempotent. Up to 3 attempts in all");
  }

  @Test
  void aCauseThatDecidesIsNamed() {
    FailureExplanation explained =
        Retry.ofDefaults()
            .explain(new CompletionException(new ConnectException("Connection refused")));

    assertThat(explained.isRetried()).isTrue();
    assertThat(explained.sentence())
        .startsWith("CompletionException is retried: ")
        .contains("(by its cause ConnectException)");
  }

  @Test
  void whatForbidsARetryIsTold() {
    assertThat(Retry.ofDefaults().explain(new StackOverflowError()).sentence())
        .isEqualTo("StackOverflowError is not retried: an Error is never retried.");
    assertThat(Retry.ofDefaults().explain(new InterruptedException()).sentence())
        .isEqualTo("InterruptedException is not retried: interrupted. Nothing overrides that.");
    assertThat(
            withRules(FailureRule.neverRetryOn(ConnectException.class))
                .explain(new ConnectException())
                .sentence())
        .contains("a rule forbids ConnectException");
    assertThat(
            Retry.builder()
                .abortIf(ConnectException.class::isInstance)
                .build()
                .explain(new ConnectException())
                .sentence())
        .contains("it meets a condition of RetryBuilder.abortIf");
  }

  @Test
  void aRuleThatThrowsIsToldAndThrowsNothing() {
    FailureExplanation explained =
        withRules(
                (failure, soFar) -> {
                  throw new IllegalStateException("broken");
                })
            .explain(new ConnectException());

    assertThat(explained.isRetried()).isFalse();
    assertThat(explained.sentence()).contains("a rule about it throws").contains("broken");
  }

  @Test
  void limitsOfTheStrategyAndOfTheCallAreTold() {
    Retry once = Retry.of(StandardRetryStrategy.builder().maxAttempts(1).build());
    assertThat(once.explain(new ConnectException()).stopReason()).isEqualTo(StopReason.ATTEMPTS);

    Retry impatient =
        Retry.of(StandardRetryStrategy.builder().hintCeiling(Duration.ofMinutes(1)).build());
    FailureExplanation tooLong = impatient.explain(new Throttled(Duration.ofHours(1)));
    assertThat(tooLong.stopReason()).isEqualTo(StopReason.HINT_TOO_LONG);
    assertThat(tooLong.sentence()).contains("wait for PT1H, and at most PT1M is accepted");

    FailureExplanation late =
        Retry.builder()
            .deadline(Duration.ofSeconds(2))
            .build()
            .explain(new Throttled(Duration.ofSeconds(3)));
    assertThat(late.stopReason()).isEqualTo(StopReason.DEADLINE);
    assertThat(impatient.explain(new Throttled(Duration.ofSeconds(3))).sentence())
        .contains("a throttle")
        .contains("the next one not before PT3S");
  }

  @Test
  void adaptiveAndReplaceableStrategiesAreAskedAndOthersAreNot() {
    assertThat(
            Retry.of(RetryStrategies.replaceable(RetryStrategies.adaptive()))
                .explain(new ConnectException())
                .isRetried())
        .isTrue();
    FailureExplanation foreign = Retry.of(new TokenOnlyStrategy(3)).explain(new ConnectException());
    assertThat(foreign.isRetried()).isFalse();
    assertThat(foreign.stopReason()).isNull();
    assertThat(foreign.sentence()).contains("left to the strategy, which is ");
  }

  @Test
  void aFailureThatHasEndedAnOperationSaysHow() {
    Retry retry =
        Retry.of(StandardRetryStrategy.builder().maxAttempts(2).backoff(Backoff.none()).build());
    ConnectException failure = new ConnectException();
    assertThatThrownBy(
            () ->
                retry.call(
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);

    FailureExplanation explained = retry.explain(failure);
    assertThat(explained.isRetried()).isTrue();
    assertThat(explained.sentence())
        .endsWith("It has ended an operation: ATTEMPTS after 2 attempts.");
  }

  @Test
  void aRetryTellsItsSettingsAndWhatItsBudgetHolds() {
    assertThat(
            Retry.builder()
                .name("prices")
                .idempotent(true)
                .deadline(Duration.ofSeconds(10))
                .build())
        .asString()
        .startsWith(
            "Retry[prices: idempotent, deadline PT10S, standard retry strategy: maxAttempts 3")
        .contains("token bucket with 500 of 500 tokens");
  }
}
