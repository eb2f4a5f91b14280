package dev.reprise.core.retry;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.Failure;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same scenario, run in every way that there is: the same must come out. */
class RetryMatrixTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();

  @ParameterizedTest
  @EnumSource
  void threeFailuresThenSuccessTakeZeroOneAndTwoSeconds(Runner runner) throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(3, ConnectException::new).succeeds("hello");

    assertThat(run(runner, settings(linear(), 4), operation)).isEqualTo("hello");

    assertThat(operation.calls()).isEqualTo(4);
    assertThat(time.elapsed()).isEqualTo(ofSeconds(3));
    assertThat(listener.delays()).containsExactly(ZERO, ofSeconds(1), ofSeconds(2));
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
    assertThat(listener.events()).extracting(RetryEvent::attempt).containsExactly(1, 2, 3, 4);
    assertThat(listener.events()).filteredOn(RetryEvent::isLast).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aFirstSuccessIsOneEventAndNoWait(Runner runner) throws Exception {
    ScriptedOperation<String> operation = new ScriptedOperation<String>().succeeds("hello");

    assertThat(run(runner, settings(linear(), 4), operation)).isEqualTo("hello");

    assertThat(time.elapsed()).isEqualTo(ZERO);
    assertThat(listener.kinds()).containsExactly(Kind.SUCCESS);
  }

  @ParameterizedTest
  @EnumSource
  void nullIsAResultLikeAnyOther(Runner runner) throws Exception {
    ScriptedOperation<@Nullable String> operation =
        new ScriptedOperation<@Nullable String>().succeeds(null);

    assertThat(run(runner, settings(linear(), 4), operation)).isNull();

    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aFailureThatNobodyClassifiedIsThrownUnchanged(Runner runner) {
    IllegalStateException unknown = new IllegalStateException("unknown");
    ScriptedOperation<String> operation = new ScriptedOperation<String>().fails(1, () -> unknown);

    assertThat(catchThrowable(() -> run(runner, settings(linear(), 4), operation)))
        .isSameAs(unknown)
        .hasNoSuppressedExceptions();

    assertThat(listener.kinds()).containsExactly(Kind.STOP);
    assertThat(listener.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
  }

  @ParameterizedTest
  @EnumSource
  void theLastFailureIsThrownWithTheEarlierOnesAndTheReason(Runner runner) {
    List<Exception> failures = new ArrayList<>();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> remembered(failures));

    Throwable thrown = catchThrowable(() -> run(runner, settings(linear(), 3), operation));

    assertThat(thrown).isSameAs(failures.get(2));
    assertThat(thrown.getSuppressed()).hasSize(3).startsWith(failures.get(0), failures.get(1));
    assertStopped(thrown, StopReason.ATTEMPTS, 3);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.STOP);
    assertThat(operation.calls()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void oneAttemptMeansNoRetry(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown = catchThrowable(() -> run(runner, settings(linear(), 1), operation));

    assertStopped(thrown, StopReason.ATTEMPTS, 1);
    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheLatestTenFailuresAreKept(Runner runner) {
    List<Exception> failures = new ArrayList<>();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> remembered(failures));

    Throwable thrown = catchThrowable(() -> run(runner, settings(Backoff.none(), 50), operation));

    assertThat(thrown.getSuppressed()).hasSize(11);
    assertThat(thrown.getSuppressed()[0]).isSameAs(failures.get(39));
    assertThat(thrown.getSuppressed()[9]).isSameAs(failures.get(48));
  }

  @ParameterizedTest
  @EnumSource
  void aFailureThatIsThrownAgainAndAgainDoesNotGrow(Runner runner) {
    ConnectException constant = new ConnectException("always this one");
    for (int i = 0; i < 3; i++) {
      ScriptedOperation<String> operation =
          new ScriptedOperation<String>().failsAlways(() -> constant);
      assertThat(catchThrowable(() -> run(runner, settings(linear(), 3), operation)))
          .isSameAs(constant);
      assertThat(operation.calls()).isEqualTo(3);
    }
    assertThat(constant.getSuppressed()).hasSize(1);
    assertStopped(constant, StopReason.ATTEMPTS, 3);
  }

  @ParameterizedTest
  @EnumSource
  void aFailureWithoutSuppressionIsThrownAsItIs(Runner runner) {
    class Stackless extends RuntimeException implements RetryInfo {
      private static final long serialVersionUID = 1;

      Stackless() {
        super("no suppression", null, false, false);
      }

      @Override
      public RetrySafety isRetrySafe() {
        return RetrySafety.YES;
      }
    }

    Stackless failure = new Stackless();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> failure);

    assertThat(catchThrowable(() -> run(runner, settings(linear(), 3), operation)))
        .isSameAs(failure);
    assertThat(operation.calls()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void errorsAreNeverRetried(Runner runner) {
    OutOfMemoryError error = new OutOfMemoryError("not really");
    int[] calls = new int[1];

    Throwable thrown =
        catchThrowable(
            () ->
                runner.run(
                    settings(linear(), 3).build(),
                    time,
                    () -> {
                      calls[0]++;
                      throw error;
                    }));

    assertThat(thrown).isSameAs(error).hasNoSuppressedExceptions();
    assertThat(calls[0]).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aFailureThatMayHaveTakenEffectIsRepeatedOnlyWhenIdempotent(Runner runner) throws Exception {
    ScriptedOperation<String> once =
        new ScriptedOperation<String>().fails(1, () -> new IOException("reset")).succeeds("no");
    assertThat(catchThrowable(() -> run(runner, settings(linear(), 3), once)))
        .isInstanceOf(IOException.class);
    assertThat(once.calls()).isEqualTo(1);

    ScriptedOperation<String> twice =
        new ScriptedOperation<String>().fails(1, () -> new IOException("reset")).succeeds("yes");
    assertThat(run(runner, settings(linear(), 3).idempotent(true), twice)).isEqualTo("yes");
  }

  @ParameterizedTest
  @EnumSource
  void aWaitThatWouldEndAfterTheDeadlineIsNotBegun(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown =
        catchThrowable(
            () -> run(runner, settings(linear(), 100).deadline(ofSeconds(7)), operation));

    // 0 + 1 + 2 + 3 s is 6 s; the next delay would be 4 s.
    assertStopped(thrown, StopReason.DEADLINE, 5);
    assertThat(time.elapsed()).isEqualTo(ofSeconds(6));
  }

  @ParameterizedTest
  @EnumSource
  void aHintIsKeptAndOneBeyondTheCeilingEndsTheOperation(Runner runner) throws Exception {
    ScriptedOperation<String> kept =
        new ScriptedOperation<String>().fails(1, () -> new Busy(ofSeconds(90))).succeeds("hello");
    assertThat(run(runner, settings(linear(), 3), kept)).isEqualTo("hello");
    assertThat(time.elapsed()).isEqualTo(ofSeconds(90));

    ScriptedOperation<String> tooLong =
        new ScriptedOperation<String>().failsAlways(() -> new Busy(ofHours(9)));
    Throwable thrown = catchThrowable(() -> run(runner, settings(linear(), 3), tooLong));
    assertStopped(thrown, StopReason.HINT_TOO_LONG, 1);
    assertThat(time.elapsed()).isEqualTo(ofSeconds(90));
  }

  @ParameterizedTest
  @EnumSource
  void aRetryThatTheBudgetDeniesSurfacesTheFailureAndCostsNothing(Runner runner) {
    RetryBudget budget =
        RetryBudget.tokenBucket(12, new TokenPrices(10_000, 10_000, 10_000, 1_000, false));
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown = catchThrowable(() -> run(runner, settings(linear(), 9, budget), operation));

    assertStopped(thrown, StopReason.BUDGET, 2);
    assertThat(RetryStoppedException.of(thrown)).hasMessageContaining("2");
    assertThat(budget.balanceMilliTokens(time.nanoTime())).isEqualTo(2_000);
  }

  @ParameterizedTest
  @EnumSource
  void whatARuleThrowsIsSeenAndHidesNothing(Runner runner) {
    ConnectException failure = new ConnectException("refused");
    IllegalStateException broken = new IllegalStateException("a broken condition");
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> failure);

    Throwable thrown =
        catchThrowable(
            () ->
                run(
                    runner,
                    settings(linear(), 3)
                        .abortIf(
                            ignored -> {
                              throw broken;
                            }),
                    operation));

    assertThat(thrown).isSameAs(failure).hasSuppressedException(broken);
    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aListenerThatThrowsChangesNothing(Runner runner) throws Exception {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(1, ConnectException::new).succeeds("hello");

    assertThat(
            run(
                runner,
                settings(linear(), 3)
                    .listener(
                        event -> {
                          throw new IllegalStateException("a broken listener");
                        }),
                operation))
        .isEqualTo("hello");
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.SUCCESS);
  }

  @ParameterizedTest
  @EnumSource
  void aResultThatIsNotAcceptedIsClosedAndTheLastOneReturned(Runner runner) throws Exception {
    List<Resource> made = new ArrayList<>();

    Object result =
        runner.run(
            settings(linear(), 3).retryOnResult(Resource.class, resource -> true).build(),
            time,
            () -> {
              Resource resource = new Resource();
              made.add(resource);
              return resource;
            });

    assertThat(made).hasSize(3);
    assertThat(result).isSameAs(made.get(2));
    assertThat(made).extracting(resource -> resource.closed).containsExactly(1, 1, 0);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.STOP);
    assertThat(listener.events())
        .extracting(RetryEvent::failure)
        .allMatch(RejectedResultException.class::isInstance);
  }

  @ParameterizedTest
  @EnumSource
  void aClassifierWithoutDefaultRulesKeepsRulesOnResults(Runner runner) throws Exception {
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder()
            .maxAttempts(3)
            .backoff(Backoff.none())
            .classifier(Classifier.of())
            .build();
    RetryBuilder settings =
        settings(linear(), 3).strategy(strategy).retryOnResult(String.class, "again"::equals);
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().succeeds("again").succeeds("done");

    assertThat(run(runner, settings, operation)).isEqualTo("done");
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.SUCCESS);
  }

  @ParameterizedTest
  @EnumSource
  void aResultThatJudgesItselfIsNotPrinted(Runner runner) throws Exception {
    record Answer(String password) implements RetryInfo {
      @Override
      public RetrySafety isRetrySafe() {
        return RetrySafety.YES;
      }

      @Override
      public boolean isThrottle() {
        return true;
      }

      @Override
      public Duration retryAfter() {
        return Duration.ofSeconds(3);
      }
    }
    Retry retry = settings(linear(), 2).classifyResult(Answer.class, answer -> answer).build();

    runner.run(retry, time, () -> new Answer("secret"));

    assertThat(listener.events())
        .extracting(event -> event.failure().getMessage())
        .containsOnly("result not accepted: it says YES, throttle, retry after PT3S");
  }

  @ParameterizedTest
  @EnumSource
  void aConditionOnResultsThatThrowsEndsTheOperation(Runner runner) {
    Resource resource = new Resource();
    IllegalStateException broken = new IllegalStateException("a broken condition");

    Throwable thrown =
        catchThrowable(
            () ->
                runner.run(
                    settings(linear(), 3)
                        .retryOnResult(
                            Resource.class,
                            ignored -> {
                              throw broken;
                            })
                        .build(),
                    time,
                    () -> resource));

    assertThat(thrown).isSameAs(broken);
    assertThat(resource.closed).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aRejectionThatTheOperationItselfThrowsIsAFailureAndNoResult(Runner runner) {
    RuntimeException ofInner =
        RejectedResultException.of(Failure.safety(RetrySafety.NO), "a result");
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(() -> ofInner);

    assertThat(catchThrowable(() -> run(runner, settings(linear(), 3), operation)))
        .isSameAs(ofInner);
  }

  @ParameterizedTest
  @EnumSource
  void whatARuleThrowsDoesNotLetAConstantFailureGrowWithoutEnd(Runner runner) {
    ConnectException constant = new ConnectException("always this one");
    RetryBuilder settings =
        settings(linear(), 3)
            .abortIf(
                ignored -> {
                  throw new IllegalStateException("a new one each time");
                });
    for (int i = 0; i < 200; i++) {
      ScriptedOperation<String> operation =
          new ScriptedOperation<String>().failsAlways(() -> constant);
      assertThat(catchThrowable(() -> run(runner, settings, operation))).isSameAs(constant);
    }
    assertThat(constant.getSuppressed()).hasSizeBetween(1, 100);
  }

  @ParameterizedTest
  @EnumSource
  void anOperationThatAbortsIsNotRetried(Runner runner) {
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown =
        catchThrowable(
            () ->
                run(
                    runner,
                    settings(linear(), 3).abortIf(ConnectException.class::isInstance),
                    operation));

    assertThat(thrown).isInstanceOf(ConnectException.class).hasNoSuppressedExceptions();
    assertThat(operation.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aHundredThousandImmediateRetriesNeedNoDeeperStackThanOne(Runner runner) throws Exception {
    int retries = 90_000;
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.none(), retries + 1))
            .time(time)
            .executor(time.executor())
            .build();
    ConnectException failure = new ConnectException("refused");
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(retries, () -> failure).succeeds("hello");

    assertThat(runner.run(retry, time, operation::call)).isEqualTo("hello");
    assertThat(operation.calls()).isEqualTo(retries + 1);
  }

  private @Nullable Object run(Runner runner, RetryBuilder settings, ScriptedOperation<?> operation)
      throws Exception {
    return runner.run(settings.build(), time, operation::call);
  }

  private RetryBuilder settings(Backoff backoff, int maxAttempts) {
    return settings(backoff, maxAttempts, RetryBudget.unlimited());
  }

  private RetryBuilder settings(Backoff backoff, int maxAttempts, RetryBudget budget) {
    return Retry.builder()
        .strategy(
            StandardRetryStrategy.builder()
                .backoff(backoff)
                .throttleBackoff(backoff)
                .maxAttempts(maxAttempts)
                .budget(budget)
                .build())
        .time(time)
        .executor(time.executor())
        .listener(listener);
  }

  private static dev.reprise.core.RetryStrategy strategy(Backoff backoff, int maxAttempts) {
    return StandardRetryStrategy.builder()
        .backoff(backoff)
        .throttleBackoff(backoff)
        .maxAttempts(maxAttempts)
        .budget(RetryBudget.unlimited())
        .build();
  }

  /** 0, 1, 2, 3 … seconds. */
  private static Backoff linear() {
    return new LinearFromZero();
  }

  private static Exception remembered(List<Exception> failures) {
    Exception failure = new ConnectException("refused " + failures.size());
    failures.add(failure);
    return failure;
  }

  private static void assertStopped(Throwable thrown, StopReason reason, int attempts) {
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(reason);
    assertThat(stopped.attempts()).isEqualTo(attempts);
  }

  private static final class Resource implements AutoCloseable {
    private int closed;

    @Override
    public void close() {
      closed++;
    }
  }

  private static final class Busy extends RuntimeException implements RetryInfo {
    private static final long serialVersionUID = 1;
    private final Duration retryAfter;

    Busy(Duration retryAfter) {
      this.retryAfter = retryAfter;
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
    public Duration retryAfter() {
      return retryAfter;
    }
  }
}
