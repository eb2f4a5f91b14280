package dev.reprise.bench.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bench.retry.jmh.OneFailure;
import dev.reprise.bench.retry.jmh.ThreeFailures;
import dev.reprise.bench.retry.peer.AsyncCalls;
import dev.reprise.bench.retry.peer.AsyncLoop;
import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.ConnectionRefused;
import dev.reprise.bench.retry.peer.NextDelayFormula;
import dev.reprise.bench.retry.peer.OwnFailure;
import dev.reprise.bench.retry.peer.PeerLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.PeerSetting;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Nobody is fast by not doing what is measured. */
class LoopsTest {
  @ParameterizedTest
  @EnumSource
  void aCallThatSucceedsIsMadeOnce(PeerLoop loop) throws Exception {
    Operation operation = new Operation(0);
    assertThat(loop.open(PeerSetting.DEFAULTS).of(operation).run()).isSameAs(AsyncWork.RESULT);
    assertThat(operation.attempts).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"BARE_CALL", "BARE_CALL_AND_CLOCK"})
  void aCallThatFailsOnceIsMadeTwice(PeerLoop loop) throws Exception {
    Operation operation = new Operation(1);
    assertThat(loop.open(PeerSetting.NO_DELAY).of(operation).run()).isSameAs(AsyncWork.RESULT);
    assertThat(operation.attempts).hasValue(2);
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"BARE_CALL", "BARE_CALL_AND_CLOCK"})
  void aCallThatAlwaysFailsIsMadeThreeTimesAndFails(PeerLoop loop) {
    Operation operation = new Operation(Integer.MAX_VALUE);
    PeerRequest call = loop.open(PeerSetting.NO_DELAY_NO_BUDGET).of(operation);
    assertThatThrownBy(call::run)
        .satisfiesAnyOf(
            thrown -> assertThat(thrown).isInstanceOf(OwnFailure.class),
            thrown -> assertThat(thrown).hasRootCauseInstanceOf(OwnFailure.class));
    assertThat(operation.attempts).hasValue(3);
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"BARE_CALL", "BARE_CALL_AND_CLOCK"})
  void aCallThatFailsThreeTimesHasAFourthAttempt(PeerLoop loop) throws Exception {
    Operation operation = new Operation(3);
    assertThat(loop.open(PeerSetting.FOUR_ATTEMPTS).of(operation).run()).isSameAs(AsyncWork.RESULT);
    assertThat(operation.attempts).hasValue(4);
  }

  /** What retries although its budget is empty would lose empty-budget, and what gives up early. */
  @ParameterizedTest
  @EnumSource(names = {"REPRISE", "AWS_SDK"})
  void anEmptyBudgetLeavesOneAttempt(PeerLoop loop) {
    Operation operation = new Operation(Integer.MAX_VALUE);
    PeerRequest call = loop.open(PeerSetting.NO_DELAY).of(operation);
    for (int i = 0; i < 1_000; i++) {
      assertThatThrownBy(call::run).isNotNull();
    }
    int before = operation.attempts.get();
    assertThatThrownBy(call::run).isNotNull();
    assertThat(operation.attempts).hasValue(before + 1);
  }

  /** What stops retrying for want of a budget would win three-failures. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"BARE_CALL", "BARE_CALL_AND_CLOCK"})
  void callsThatAlwaysFailAreMadeThreeTimesHoweverManyThereAre(PeerLoop loop) {
    Operation operation = new Operation(Integer.MAX_VALUE);
    PeerRequest call = loop.open(PeerSetting.NO_DELAY_NO_BUDGET).of(operation);
    for (int i = 1; i <= 2_000; i++) {
      assertThatThrownBy(call::run).isNotNull();
      assertThat(operation.attempts).hasValue(3 * i);
    }
  }

  /** Far more calls than any of the budgets pays for that does not get back what it paid. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"BARE_CALL", "BARE_CALL_AND_CLOCK"})
  void noBudgetIsDrainedByCallsThatSucceedInTheEnd(PeerLoop loop) throws Exception {
    PeerRequest call = loop.open(PeerSetting.NO_DELAY).of(new OneFailure.EverySecond());
    for (int i = 0; i < 2_000; i++) {
      assertThat(call.run()).isSameAs(AsyncWork.RESULT);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REPRISE", "SPRING_CORE", "GAX", "AWS_SDK", "RESILIENCE4J"})
  void theDelayOfTheFirstRetryIsDrawn(NextDelayFormula formula) {
    assertThat(LongStream.generate(formula.open(1)).limit(100).distinct().count()).isGreaterThan(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"HAND_LOOP", "REPRISE"})
  void failuresAreAttachedToTheLastOne(PeerLoop loop) {
    PeerRequest call = loop.open(PeerSetting.NO_DELAY_NO_BUDGET).of(new ThreeFailures.Never());
    assertThatThrownBy(call::run)
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).isNotEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "HAND_WRITTEN, 0",
    "NETTY_WHEEL, 1",
    "REPRISE, 0",
    "REPRISE, 1",
    "RESILIENCE4J, 1",
    "GAX, 1",
    "FAILSAFE, 1"
  })
  void anAsynchronousCallThatFailsOnceIsMadeTwice(AsyncLoop loop, long delayMillis)
      throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    AsyncWork work = () -> attempts.incrementAndGet() > 1;
    try (AsyncCalls calls = loop.open(work, Duration.ofMillis(delayMillis))) {
      assertThat(calls.join(calls.start())).isSameAs(AsyncWork.RESULT);
    }
    assertThat(attempts).hasValue(2);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NETTY_WHEEL")
  void anAsynchronousCallThatAlwaysFailsIsMadeThreeTimesAndFails(AsyncLoop loop) {
    AtomicInteger attempts = new AtomicInteger();
    AsyncWork work = () -> attempts.incrementAndGet() < 0;
    try (AsyncCalls calls = loop.open(work, Duration.ofMillis(1))) {
      Object call = calls.start();
      assertThatThrownBy(() -> calls.join(call)).hasRootCauseInstanceOf(ConnectionRefused.class);
    }
    assertThat(attempts).hasValue(3);
  }

  /** Succeeds after a number of failures. */
  private static final class Operation implements Callable<Object> {
    private final int failures;
    private final AtomicInteger attempts = new AtomicInteger();

    Operation(int failures) {
      this.failures = failures;
    }

    @Override
    public Object call() throws IOException {
      if (attempts.incrementAndGet() <= failures) {
        throw new OwnFailure();
      }
      return AsyncWork.RESULT;
    }
  }
}
