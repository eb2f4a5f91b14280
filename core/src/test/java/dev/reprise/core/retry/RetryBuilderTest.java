package dev.reprise.core.retry;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.strategy.Failure;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A strategy of one's own from one builder, run in every way that there is. */
class RetryBuilderTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();

  @ParameterizedTest
  @EnumSource
  void makesAsManyAttemptsAsAreAllowed(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown =
        catchThrowable(
            () -> run(runner, builder().maxAttempts(5).backoff(Backoff.none()), operation));

    assertThat(operation.calls()).isEqualTo(5);
    assertStopped(thrown, StopReason.ATTEMPTS);
  }

  @ParameterizedTest
  @EnumSource
  void waitsByItsBackoffAfterThrottlesToo(Runner runner) throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>()
            .fails(1, ConnectException::new)
            .fails(1, Failure::throttle)
            .succeeds("hello");

    assertThat(run(runner, builder().backoff(Backoff.fixed(ofMillis(250))), operation))
        .isEqualTo("hello");

    assertThat(listener.delays()).containsExactly(ofMillis(250), ofMillis(250));
    assertThat(time.elapsed()).isEqualTo(ofMillis(500));
  }

  @ParameterizedTest
  @EnumSource
  void retriesTheTypesThatItIsTold(Runner runner) throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>()
            .fails(1, () -> new IllegalStateException("busy"))
            .fails(1, () -> new RuntimeException(new UnsupportedOperationException("by its cause")))
            .succeeds("hello");

    RetryBuilder settings =
        builder()
            .backoff(Backoff.none())
            .retryOn(IllegalStateException.class)
            .retryOn(UnsupportedOperationException.class);

    assertThat(run(runner, settings, operation)).isEqualTo("hello");
  }

  @ParameterizedTest
  @EnumSource
  void retriesWhatMeetsItsCondition(Runner runner) throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>()
            .fails(1, () -> new IllegalStateException("busy"))
            .succeeds("hello");

    RetryBuilder settings =
        builder().backoff(Backoff.none()).retryIf(f -> "busy".equals(f.getMessage()));

    assertThat(run(runner, settings, operation)).isEqualTo("hello");
  }

  @ParameterizedTest
  @EnumSource
  void stillKnowsWhatTheDefaultRulesKnow(Runner runner) throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(1, ConnectException::new).succeeds("hello");

    RetryBuilder settings = builder().backoff(Backoff.none()).retryOn(IllegalStateException.class);

    assertThat(run(runner, settings, operation)).isEqualTo("hello");
  }

  @ParameterizedTest
  @EnumSource
  void retriesNoFailureThatNobodyNamed(Runner runner) {
    IllegalArgumentException unknown = new IllegalArgumentException("unknown");
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> unknown);

    RetryBuilder settings = builder().retryOn(IllegalStateException.class);

    assertThat(catchThrowable(() -> run(runner, settings, operation))).isSameAs(unknown);
    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void abortsWhatIsNamedInBothPlaces(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> new IOException("disk full"));

    RetryBuilder settings =
        builder().retryOn(IOException.class).abortIf(f -> "disk full".equals(f.getMessage()));
    Throwable unused = catchThrowable(() -> run(runner, settings, operation));

    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void neverRetriesAnErrorOrAnInterrupt(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>()
            .failsAlways(() -> new CompletionException(new InterruptedException()));

    RetryBuilder settings = builder().retryOn(Throwable.class).retryIf(f -> true);
    Throwable unused = catchThrowable(() -> run(runner, settings, operation));

    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void paysFromItsBudget(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);
    RetryBudget oneRetry =
        RetryBudget.tokenBucket(1, new TokenPrices(1_000, 1_000, 1_000, 0, false));

    Throwable thrown =
        catchThrowable(() -> run(runner, builder().maxAttempts(9).budget(oneRetry), operation));

    assertThat(operation.calls()).isEqualTo(2);
    assertStopped(thrown, StopReason.BUDGET);
  }

  @Test
  void whatItLeavesOutIsAsInTheDefaults() {
    assertThat(Retry.builder().backoff(Backoff.none()).build().strategy().toString())
        .contains("maxAttempts 3");
    assertThat(Retry.builder().maxAttempts(4).build().strategy().toString())
        .isEqualTo(RetryStrategies.standard().toBuilder().maxAttempts(4).build().toString());
  }

  @Test
  void refusesAStrategyBesideWhatAStrategyDecides() {
    String rule =
        ": must not be set beside a strategy, which decides it; StandardRetryStrategy.toBuilder"
            + " makes another one";

    assertRefused(Retry.builder().maxAttempts(5), "maxAttempts is 5" + rule);
    assertRefused(Retry.builder().backoff(Backoff.none()), "backoff is " + Backoff.none() + rule);
    assertRefused(Retry.builder().retryOn(IOException.class), "retryOn is set" + rule);
    assertRefused(Retry.builder().retryIf(f -> true), "retryOn is set" + rule);
    assertRefused(
        Retry.builder().budget(RetryBudget.unlimited()),
        "budget is " + RetryBudget.unlimited() + rule);
    Retry ofStrategy = Retry.of(RetryStrategies.standard());
    assertThatThrownBy(() -> ofStrategy.toBuilder().maxAttempts(2).build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("maxAttempts is 2" + rule);
    RetryBuilder replaced = Retry.ofDefaults().toBuilder().strategy(RetryStrategies.standard());
    assertThatThrownBy(() -> replaced.maxAttempts(2).build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("maxAttempts is 2" + rule);
  }

  @ParameterizedTest
  @EnumSource
  void whatWasBuiltCanBeChanged(Runner runner) throws Exception {
    Retry first = builder().maxAttempts(5).backoff(Backoff.fixed(ofMillis(250))).build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>()
            .fails(1, () -> new IllegalStateException("busy"))
            .failsAlways(ConnectException::new);

    RetryBuilder changed =
        first.toBuilder().maxAttempts(2).retryOn(IllegalStateException.class).maxAttempts(3);
    Throwable unused = catchThrowable(() -> run(runner, changed, operation));

    assertThat(operation.calls()).isEqualTo(3);
    assertThat(listener.delays()).containsExactly(ofMillis(250), ofMillis(250));
    assertThat(first.toBuilder().maxAttempts(2).build().toBuilder().backoff(Backoff.none()).build())
        .asString()
        .contains("maxAttempts 2, backoff " + Backoff.none());
  }

  @Test
  void whatIsChangedKeepsTheBudgetAndTheRules() {
    Retry first = builder().maxAttempts(5).retryOn(IllegalStateException.class).build();
    StandardRetryStrategy before = (StandardRetryStrategy) first.strategy();

    StandardRetryStrategy same =
        (StandardRetryStrategy) first.toBuilder().idempotent(true).build().strategy();
    StandardRetryStrategy shorter =
        (StandardRetryStrategy) first.toBuilder().maxAttempts(2).build().strategy();
    RetryBudget another = RetryBudget.unlimited();
    StandardRetryStrategy paidByAnother =
        (StandardRetryStrategy) first.toBuilder().budget(another).build().strategy();

    assertThat(same).isSameAs(before);
    assertThat(shorter.budgets()).isSameAs(before.budgets());
    assertThat(shorter.classify(new IllegalStateException()).isRetrySafe())
        .isEqualTo(RetrySafety.YES);
    assertThat(before.maxAttempts()).isEqualTo(5);
    assertThat(paidByAnother.maxAttempts()).isEqualTo(5);
    assertThat(paidByAnother.budgets()).isNotSameAs(before.budgets());
  }

  private static void assertRefused(RetryBuilder settings, String message) {
    settings.strategy(RetryStrategies.noRetry());
    assertThatThrownBy(settings::build)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(message);
  }

  @Test
  void refusesNoAttempt() {
    assertThatThrownBy(() -> Retry.builder().maxAttempts(0))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("maxAttempts is 0: must be >= 1");
    assertThatThrownBy(() -> Retry.builder().retryOn())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("types is empty: must name at least one type");
  }

  @Test
  void aBudgetThatFillsWithTimeFollowsTheTimeOfTheRetry() {
    RetryBudget perSecond =
        RetryBudget.tokenBucket(1, new TokenPrices(1_000, 1_000, 1_000, 0, false), 1);
    Retry retry =
        builder().backoff(Backoff.fixed(ofSeconds(1))).maxAttempts(3).budget(perSecond).build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable unused = catchThrowable(() -> retry.call(operation::call));

    assertThat(operation.calls()).isEqualTo(3);
  }

  private RetryBuilder builder() {
    return Retry.builder().time(time).executor(time.executor()).listener(listener);
  }

  private @Nullable Object run(Runner runner, RetryBuilder settings, ScriptedOperation<?> operation)
      throws Exception {
    return runner.run(settings.build(), time, operation::call);
  }

  private static void assertStopped(Throwable thrown, StopReason reason) {
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(reason);
  }
}
