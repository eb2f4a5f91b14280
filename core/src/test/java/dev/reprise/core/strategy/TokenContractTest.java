package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.Operation;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of the Smithy guide "Retrying Requests", for every strategy that issues tokens. */
class TokenContractTest {
  private static final Map<String, Function<StandardRetryStrategy, RetryStrategy>> STRATEGIES =
      Map.of(
          "standard", standard -> standard,
          "adaptive", RetryStrategies::adaptive,
          "replaceable", RetryStrategies::replaceable);

  private static final Map<String, BiConsumer<RetryStrategy, RetryToken>> USES =
      Map.of(
          "refresh", (strategy, token) -> strategy.refreshRetryToken(token, Failure.error()),
          "success", RetryStrategy::recordSuccess,
          "abandon", RetryStrategy::abandon);

  /** A strategy, and the budget that it draws on. */
  private record Subject(RetryStrategy strategy, RetryBudget budget) {
    static Subject of(Function<StandardRetryStrategy, RetryStrategy> kind) {
      RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
      return new Subject(
          kind.apply(
              StandardRetryStrategy.builder(StandardProfile.SMITHY_GUIDE)
                  .random(FixedRandom.LONGEST)
                  .budget(budget)
                  .build()),
          budget);
    }

    double tokens() {
      return budget.balanceMilliTokens(0) / 1000.0;
    }

    /** A token of attempt 2, so that the budget is not full and any change would show. */
    RetryToken retryToken() {
      return strategy.refreshRetryToken(strategy.acquireInitialToken(), Failure.error());
    }
  }

  static Stream<Function<StandardRetryStrategy, RetryStrategy>> strategies() {
    return STRATEGIES.values().stream();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void tokensTellAttemptDelayAndScope(Function<StandardRetryStrategy, RetryStrategy> kind) {
    RetryStrategy strategy = Subject.of(kind).strategy();
    RetryToken first = strategy.acquireInitialToken("host");
    RetryToken second = strategy.refreshRetryToken(first, Failure.error());
    RetryToken third = strategy.refreshRetryToken(second, Failure.error());

    assertThat(List.of(first.attempt(), second.attempt(), third.attempt()))
        .containsExactly(1, 2, 3);
    assertThat(List.of(first.delay(), second.delay(), third.delay()))
        .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
    assertThat(List.of(first, second, third)).extracting(RetryToken::scope).containsOnly("host");
    assertThat(strategy.acquireInitialToken().scope()).isNull();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void aTokenIsUsedOnce(Function<StandardRetryStrategy, RetryStrategy> kind) {
    USES.forEach(
        (firstUse, use) ->
            USES.forEach(
                (secondUse, useAgain) -> {
                  Subject subject = Subject.of(kind);
                  RetryToken token = subject.retryToken();
                  use.accept(subject.strategy(), token);
                  double before = subject.tokens();

                  assertThatThrownBy(() -> useAgain.accept(subject.strategy(), token))
                      .as(firstUse + ", then " + secondUse)
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageEndingWith("was used before");
                  assertThat(subject.tokens()).isEqualTo(before);
                }));
  }

  /** What somebody makes who wants more attempts. */
  private record Forged(int attempt, Duration delay) implements RetryToken {}

  @ParameterizedTest
  @MethodSource("strategies")
  @SuppressWarnings("NullAway")
  void foreignTokensAreRefusedBeforeAnythingChanges(
      Function<StandardRetryStrategy, RetryStrategy> kind) {
    List<RetryToken> foreign = new ArrayList<>();
    foreign.add(null);
    foreign.add(new Forged(-40, Duration.ZERO));
    foreign.add(Subject.of(kind).retryToken());
    foreign.add(Subject.of(RetryStrategies::replaceable).retryToken());
    foreign.add(Subject.of(standard -> standard).retryToken());
    for (RetryToken token : foreign) {
      USES.forEach(
          (name, use) -> {
            Subject subject = Subject.of(kind);
            subject.retryToken();

            assertThatThrownBy(() -> use.accept(subject.strategy(), token))
                .as(name + " of " + token)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token is " + token + ": must be one that this strategy issued");
            assertThat(subject.tokens()).isEqualTo(495);
          });
    }
    // The true owner can still use what others refused.
    Subject owner = Subject.of(kind);
    RetryToken token = owner.retryToken();
    assertThatThrownBy(() -> Subject.of(kind).strategy().recordSuccess(token))
        .isInstanceOf(IllegalArgumentException.class);
    owner.strategy().recordSuccess(token);
    assertThat(owner.tokens()).isEqualTo(496);
  }

  @ParameterizedTest
  @MethodSource("strategies")
  @SuppressWarnings("NullAway")
  void withoutAFailureNothingHappens(Function<StandardRetryStrategy, RetryStrategy> kind) {
    Subject subject = Subject.of(kind);
    RetryToken token = subject.strategy().acquireInitialToken();

    assertThatThrownBy(() -> subject.strategy().refreshRetryToken(token, null))
        .isInstanceOf(NullPointerException.class);
    assertThat(subject.strategy().refreshRetryToken(token, Failure.error()).attempt()).isEqualTo(2);
  }

  @Test
  void tokensCannotBeMadeOutside() {
    assertThat(Modifier.isPublic(IssuedToken.class.getModifiers())).isFalse();
    assertThat(Modifier.isFinal(IssuedToken.class.getModifiers())).isTrue();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void aTokenIsSpentEvenWhenTheAnswerIsNo(Function<StandardRetryStrategy, RetryStrategy> kind) {
    Subject subject = Subject.of(kind);
    RetryToken token = subject.strategy().acquireInitialToken();

    assertThatThrownBy(
            () -> subject.strategy().refreshRetryToken(token, Failure.safety(RetrySafety.NO)))
        .isInstanceOfSatisfying(
            TokenAcquisitionFailedException.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
              assertThat(refused.delay()).isZero();
              assertThat(refused).hasMessageStartingWith("not retryable");
            });
    assertThatThrownBy(() -> subject.strategy().refreshRetryToken(token, Failure.error()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(subject.tokens()).isEqualTo(500);
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void ofTwoThreadsThatUseATokenOneWins(Function<StandardRetryStrategy, RetryStrategy> kind)
      throws Exception {
    int rounds = 300;
    List<Subject> subjects = new ArrayList<>();
    List<RetryToken> tokens = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      Subject subject = Subject.of(kind);
      subjects.add(subject);
      tokens.add(subject.strategy().acquireInitialToken());
    }
    AtomicInteger arrived = new AtomicInteger();
    Callable<Integer> refreshAll =
        () -> {
          int wins = 0;
          for (int round = 0; round < rounds; round++) {
            arrived.incrementAndGet();
            while (arrived.get() < 2 * (round + 1)) {
              Thread.onSpinWait();
            }
            try {
              subjects.get(round).strategy().refreshRetryToken(tokens.get(round), Failure.error());
              wins++;
            } catch (IllegalArgumentException usedBefore) {
              // The other thread won this round.
            }
          }
          return wins;
        };
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      int wins = 0;
      for (Future<Integer> winsOfOne : executor.invokeAll(List.of(refreshAll, refreshAll))) {
        wins += winsOfOne.get();
      }
      assertThat(wins).isEqualTo(rounds);
      assertThat(subjects).allMatch(subject -> subject.tokens() == 495);
    } finally {
      executor.shutdownNow();
    }
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void usedTokensStillTellWhatTheyWere(Function<StandardRetryStrategy, RetryStrategy> kind) {
    Subject subject = Subject.of(kind);
    RetryToken second = subject.retryToken();
    RetryToken third = subject.strategy().refreshRetryToken(second, Failure.error());

    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(third).isNotEqualTo(second);
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void aRetryThatIsNotMadeIsGivenBack(Function<StandardRetryStrategy, RetryStrategy> kind) {
    Subject subject = Subject.of(kind);
    RetryToken token = subject.retryToken();
    assertThat(subject.tokens()).isEqualTo(495);
    subject.strategy().abandon(token);
    assertThat(subject.tokens()).isEqualTo(500);

    subject.retryToken();
    subject.strategy().abandon(subject.strategy().acquireInitialToken());
    assertThat(subject.tokens()).isEqualTo(495);
  }

  @Test
  void driversThatPersistGoOnWhereTheyWere() {
    Subject subject = Subject.of(standard -> standard);
    StandardRetryStrategy strategy = (StandardRetryStrategy) subject.strategy();
    RetryToken fourth = strategy.resume(Operation.DEFAULT.withScope("host"), 4);

    assertThat(fourth.attempt()).isEqualTo(4);
    assertThat(fourth.scope()).isEqualTo("host");
    assertThat(fourth.delay()).isZero();
    RetryToken fifth = strategy.refreshRetryToken(fourth, Failure.error());
    assertThat(fifth.attempt()).isEqualTo(5);
    assertThat(fifth.delay()).isEqualTo(Duration.ofSeconds(8));
    assertThatThrownBy(() -> strategy.refreshRetryToken(fifth, Failure.error()))
        .isInstanceOf(TokenAcquisitionFailedException.class)
        .hasMessage("attempts: 5 of 5 made (maxAttempts)");
  }

  @Test
  void whoResumesBeyondTheLastAttemptMayMakeThatOne() {
    StandardRetryStrategy strategy = RetryStrategies.standard();
    RetryToken token = strategy.resume(Operation.DEFAULT, Integer.MAX_VALUE);

    assertThatThrownBy(() -> strategy.refreshRetryToken(token, Failure.error()))
        .isInstanceOf(TokenAcquisitionFailedException.class);
    assertThatThrownBy(() -> strategy.resume(Operation.DEFAULT, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("attempt is 0: must be >= 1");
  }

  @Test
  void whatWasPaidBeforeARestartIsNotGivenBack() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder(StandardProfile.AWS_STANDARD_2_1).budget(budget).build();
    strategy.refreshRetryToken(strategy.acquireInitialToken(), Failure.error());

    strategy.recordSuccess(strategy.resume(Operation.DEFAULT, 2));

    assertThat(budget.balanceMilliTokens(0)).isEqualTo(487_000);
  }

  @Test
  void aRuleThatThrowsLeavesTheBudgetAlone() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
    RetryStrategy strategy =
        StandardRetryStrategy.builder()
            .budget(budget)
            .classifier(
                Classifier.of(
                    (failure, soFar) -> {
                      throw new ArithmeticException("rule");
                    }))
            .build();
    RetryToken token = strategy.acquireInitialToken();

    assertThatThrownBy(() -> strategy.refreshRetryToken(token, new RuntimeException()))
        .isInstanceOf(ArithmeticException.class);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(500_000);
  }

  @Test
  void theFirstAttemptIsNeverGated() {
    RetryStrategy strategy =
        StandardRetryStrategy.builder()
            .budget(RetryBudget.tokenBucket(0, TokenPrices.SMITHY_GUIDE))
            .build();

    assertThat(strategy.acquireInitialToken().delay()).isZero();
  }

  @Test
  void theLongPollsPauseIsInTheException() {
    RetryStrategy strategy =
        StandardRetryStrategy.builder(StandardProfile.AWS_STANDARD_2_1)
            .random(FixedRandom.LONGEST)
            .budget(RetryBudget.tokenBucket(0, TokenPrices.AWS_STANDARD_2_1))
            .build();
    RetryToken token = strategy.acquireInitialToken(Operation.DEFAULT.withLongPoll(true));

    assertThatThrownBy(() -> strategy.refreshRetryToken(token, Failure.error()))
        .isInstanceOfSatisfying(
            TokenAcquisitionFailedException.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(StopReason.BUDGET);
              assertThat(refused.delay()).isEqualTo(Duration.ofMillis(50));
            });
  }

  @Test
  void aRefusalTellsTheNumbersOfItsMoment() throws Exception {
    RetryBudget budget = RetryBudget.tokenBucket(1, TokenPrices.SMITHY_GUIDE);
    RetryStrategy strategy = StandardRetryStrategy.builder().budget(budget).build();
    Throwable refused =
        catchThrowable(
            () -> strategy.refreshRetryToken(strategy.acquireInitialToken(), Failure.error()));
    String message =
        "budget: 1.000 of 1 tokens left, a retry after this failure costs 5"
            + " (TokenPrices.errorMilliTokens)";

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(refused);
    }
    Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();

    assertThat(refused).hasMessage(message);
    assertThat(read)
        .isInstanceOfSatisfying(
            TokenAcquisitionFailedException.class,
            copy -> {
              assertThat(copy).hasMessage(message);
              assertThat(copy.reason()).isEqualTo(StopReason.BUDGET);
              assertThat(copy.delay()).isZero();
            });
  }

  /** Calls without a wait share what was decided on their first failure; no token is shared. */
  @Test
  void callsThatFailAlikeHaveTheirOwnTokensAndCosts() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_0);
    RetryStrategy strategy =
        StandardRetryStrategy.builder()
            .backoff(Backoff.none())
            .maxAttempts(4)
            .budget(budget)
            .build();
    RetryToken one = strategy.refreshRetryToken(strategy.acquireInitialToken(), Failure.error());
    RetryToken other = strategy.refreshRetryToken(strategy.acquireInitialToken(), Failure.error());
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(490_000);

    RetryToken third = strategy.refreshRetryToken(one, Failure.timeout());
    strategy.abandon(other);

    assertThat(List.of(one.attempt(), other.attempt(), third.attempt())).containsExactly(2, 2, 3);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(485_000);
    strategy.recordSuccess(third);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(495_000);
    strategy.recordSuccess(
        strategy.refreshRetryToken(strategy.acquireInitialToken(), Failure.error()));
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(495_000);
  }
}
