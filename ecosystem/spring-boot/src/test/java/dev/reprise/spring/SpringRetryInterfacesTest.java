package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.retry.AttemptTimeoutException;
import dev.reprise.core.retry.Hedging;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryOperations;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.util.backoff.BackOffExecution;

/** The interfaces that Spring Framework 7 offers, driven by ours. */
class SpringRetryInterfacesTest {
  private final VirtualTime time = new VirtualTime();

  private RetryOperations operations(RetryBudget budget) {
    return new RepriseRetryOperations(
        Retry.builder()
            .strategy(
                RetryStrategies.of(Backoff.fixed(Duration.ofSeconds(1)), Classifier.defaults(), 3)
                    .toBuilder()
                    .budget(budget)
                    .build())
            .time(time)
            .build());
  }

  private static RepriseRetryPolicy policy(String document) {
    FailureRule busy =
        (failure, soFar) ->
            failure instanceof Busy
                ? soFar.yes("busy").withRetryAfter(Duration.ofMillis(7))
                : soFar;
    return new RepriseRetryPolicy(PolicyDocuments.read(document), Classifier.defaults().with(busy));
  }

  private static final String THREE_ATTEMPTS_AT_ONCE =
      "{\"strategy\": \"standard\", \"maxAttempts\": 3, \"backoff\": {\"type\": \"none\"}}";

  @Test
  void operationsRetryAndReturnTheResult() throws Exception {
    var script = new ScriptedOperation<String>().fails(2, ConnectException::new).succeeds("ok");
    assertThat(operations(RetryBudget.unlimited()).execute(script::call)).isEqualTo("ok");
    assertThat(time.waits()).hasSize(2);
  }

  @Test
  void operationsThrowSpringsExceptionWithAllFailures() {
    var script =
        new ScriptedOperation<String>()
            .fails(1, () -> new ConnectException("first"))
            .fails(1, () -> new ConnectException("second"))
            .fails(1, () -> new ConnectException("third"));
    RetryException exhausted =
        catchThrowableOfType(
            RetryException.class, () -> operations(RetryBudget.unlimited()).execute(script::call));
    assertThat(exhausted.getRetryCount()).isEqualTo(2);
    assertThat(exhausted.getExceptions())
        .extracting(Throwable::getMessage)
        .containsExactly("first", "second", "third");
  }

  @Test
  void operationsKeepToTheBudget() {
    var script = new ScriptedOperation<String>().failsAlways(ConnectException::new);
    assertThatThrownBy(
            () ->
                operations(RetryBudget.tokenBucket(5, TokenPrices.SMITHY_GUIDE))
                    .execute(script::call))
        .isInstanceOf(RetryException.class)
        .hasCauseExactlyInstanceOf(ConnectException.class);
    assertThat(script.calls()).isEqualTo(2);
  }

  @Test
  void anAttemptThatIsCutOffCountsAndIsAmongTheFailures() {
    var operations =
        new RepriseRetryOperations(
            Retry.builder()
                .strategy(RetryStrategies.of(Backoff.none(), Classifier.defaults(), 2))
                .idempotent(true)
                .attemptTimeout(Duration.ofMillis(5))
                .build());
    CountDownLatch never = new CountDownLatch(1);
    RetryException exhausted =
        catchThrowableOfType(
            RetryException.class,
            () ->
                operations.execute(
                    new Retryable<String>() {
                      @Override
                      public String execute() throws Throwable {
                        never.await();
                        return "never";
                      }

                      @Override
                      public String getName() {
                        return "search";
                      }
                    }));
    assertThat(exhausted).hasMessage("search failed after 2 attempts");
    assertThat(exhausted.getExceptions())
        .hasSize(2)
        .allSatisfy(failure -> assertThat(failure).isInstanceOf(AttemptTimeoutException.class));
  }

  @Test
  void attemptsBesideEachOtherAreAllCounted() {
    var operations =
        new RepriseRetryOperations(
            Retry.builder()
                .strategy(RetryStrategies.of(Backoff.none(), Classifier.defaults(), 2))
                .idempotent(true)
                .hedging(Hedging.after(Duration.ofMillis(1)))
                .build());
    CountDownLatch bothStarted = new CountDownLatch(2);
    RetryException exhausted =
        catchThrowableOfType(
            RetryException.class,
            () ->
                operations.execute(
                    () -> {
                      bothStarted.countDown();
                      bothStarted.await();
                      throw new ConnectException("refused");
                    }));
    assertThat(exhausted).hasMessageEndingWith(" failed after 2 attempts");
    // Which of the two came last is up to the threads.
    assertThat(exhausted.getLastException()).isInstanceOf(ConnectException.class);
  }

  @Test
  void whatTheOperationItselfSuppressedIsNoEarlierFailure() {
    RetryException exhausted =
        catchThrowableOfType(
            RetryException.class,
            () ->
                operations(RetryBudget.unlimited())
                    .execute(
                        () -> {
                          var failure = new ConnectException("refused");
                          failure.addSuppressed(new IllegalStateException("while closing"));
                          throw failure;
                        }));
    assertThat(exhausted.getRetryCount()).isEqualTo(2);
    assertThat(exhausted.getExceptions())
        .allSatisfy(failure -> assertThat(failure).isInstanceOf(ConnectException.class));
  }

  @Test
  void whatIsNeitherExceptionNorErrorComesOutAsItIs() {
    var odd = new Throwable("odd");
    assertThatThrownBy(
            () ->
                operations(RetryBudget.unlimited())
                    .execute(
                        () -> {
                          throw odd;
                        }))
        .isInstanceOf(RetryException.class)
        .hasMessageEndingWith(" failed and was not tried again")
        .cause()
        .isSameAs(odd);
  }

  @Test
  void invokeThrowsTheFailureItself() {
    RetryOperations operations = operations(RetryBudget.unlimited());
    assertThatThrownBy(
            () ->
                operations.invoke(
                    () -> {
                      throw new IllegalStateException("bug");
                    }))
        .isExactlyInstanceOf(IllegalStateException.class);
    assertThat(operations.invoke(() -> "ok")).isEqualTo("ok");
  }

  @Test
  void anErrorIsTheCauseAndIsNotRetried() {
    List<Integer> calls = new java.util.ArrayList<>();
    assertThatThrownBy(
            () ->
                operations(RetryBudget.unlimited())
                    .execute(
                        () -> {
                          calls.add(1);
                          throw new AssertionError("broken");
                        }))
        .isInstanceOf(RetryException.class)
        .hasCauseInstanceOf(AssertionError.class);
    assertThat(calls).hasSize(1);
  }

  @Test
  void aTemplateWithOurPolicyMakesTheAttemptsOfTheDocument() throws Exception {
    RetryTemplate template = new RetryTemplate(policy(THREE_ATTEMPTS_AT_ONCE));
    var script = new ScriptedOperation<String>().fails(2, ConnectException::new).succeeds("ok");
    assertThat(template.execute(script::call)).isEqualTo("ok");

    var down = new ScriptedOperation<String>().failsAlways(ConnectException::new);
    assertThatThrownBy(() -> template.execute(down::call)).isInstanceOf(RetryException.class);
    assertThat(down.calls()).isEqualTo(3);
  }

  @Test
  void aTemplateWithOurPolicyDoesNotRetryWhatNobodyClassified() {
    RetryTemplate template = new RetryTemplate(policy(THREE_ATTEMPTS_AT_ONCE));
    var script = new ScriptedOperation<String>().failsAlways(IllegalStateException::new);
    assertThatThrownBy(() -> template.execute(script::call)).isInstanceOf(RetryException.class);
    assertThat(script.calls()).isEqualTo(1);
  }

  @Test
  void ourPolicyKeepsTheHintOfTheFailureThatWasJustAskedAbout() {
    RepriseRetryPolicy policy = policy(THREE_ATTEMPTS_AT_ONCE);
    BackOffExecution delays = policy.getBackOff().start();
    assertThat(policy.shouldRetry(new Busy())).isTrue();
    assertThat(delays.nextBackOff()).isEqualTo(7);
    assertThat(policy.shouldRetry(new ConnectException())).isTrue();
    assertThat(delays.nextBackOff()).isZero();
    assertThat(policy.shouldRetry(new Busy())).isTrue();
    assertThat(delays.nextBackOff()).isEqualTo(BackOffExecution.STOP);
  }

  @Test
  void ourPolicyRefusesAHintBeyondTheCeiling() {
    RepriseRetryPolicy policy = policy("{\"strategy\": \"standard\", \"hintCeiling\": \"6ms\"}");
    assertThat(policy.shouldRetry(new Busy())).isFalse();
  }

  @Test
  void aFailureThatIsNotRetriedSaysNothingOfTheNextOperation() {
    RepriseRetryPolicy policy =
        policy("{\"strategy\": \"standard\", \"backoff\": {\"type\": \"none\"}}");
    assertThat(policy.shouldRetry(new IllegalStateException("bug"))).isFalse();
    assertThat(policy.getBackOff().start().nextBackOff()).isZero();
    assertThat(policy.shouldRetry(new Busy())).isTrue();
    assertThat(policy.shouldRetry(new IllegalStateException("bug"))).isFalse();
    assertThat(policy.getBackOff().start().nextBackOff()).isZero();
  }

  @Test
  void ourPolicyBringsTheDeadline() {
    RetryPolicy policy = policy("{\"strategy\": \"standard\", \"deadline\": \"9s\"}");
    assertThat(policy.getTimeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(policy("{\"strategy\": \"standard\", \"deadline\": \"PT0.0000001S\"}").getTimeout())
        .isEqualTo(Duration.ofMillis(1));
    assertThat(policy("{\"strategy\": \"standard\"}").getTimeout()).isZero();
  }

  @Test
  void aTemplateWithOurPolicyKeepsTheDeadline() {
    RetryTemplate template =
        new RetryTemplate(
            policy(
                "{\"strategy\": \"standard\", \"maxAttempts\": 2, \"deadline\": \"1s\","
                    + " \"backoff\": {\"type\": \"fixed\", \"delay\": \"3s\"}}"));
    var down = new ScriptedOperation<String>().failsAlways(ConnectException::new);
    assertThatThrownBy(() -> template.execute(down::call)).isInstanceOf(RetryException.class);
    assertThat(down.calls()).isEqualTo(1);
  }

  @Test
  void ourPolicyRoundsDelaysUpToWholeMilliseconds() {
    RepriseRetryPolicy policy =
        policy(
            "{\"strategy\": \"standard\", \"maxAttempts\": 2,"
                + " \"backoff\": {\"type\": \"fixed\", \"delay\": \"PT0.0000001S\"}}");
    assertThat(policy.getBackOff().start().nextBackOff()).isEqualTo(1);
  }

  private static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
