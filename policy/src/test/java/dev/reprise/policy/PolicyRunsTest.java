package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.ReplaceableRetryStrategy;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs strategies and calls as their documents describe them. */
class PolicyRunsTest {
  /** A failure that says all about itself. */
  private static final class Failure extends Exception implements RetryInfo {
    private static final long serialVersionUID = 1;
    private final boolean throttle;
    private final transient @Nullable Duration hint;

    Failure(boolean throttle, @Nullable Duration hint) {
      super("failed");
      this.throttle = throttle;
      this.hint = hint;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }

    @Override
    public boolean isThrottle() {
      return throttle;
    }

    @Override
    public @Nullable Duration retryAfter() {
      return hint;
    }
  }

  private final Failure error = new Failure(false, null);
  private final Failure throttle = new Failure(true, null);

  private static Policy read(String json) {
    return PolicyDocuments.read(json.replace('\'', '"'));
  }

  private static StopReason reasonOf(RetryStrategy strategy, RetryToken token, Failure failure) {
    try {
      strategy.refreshRetryToken(token, failure);
      throw new AssertionError("retried");
    } catch (TokenAcquisitionFailedException stopped) {
      return stopped.reason();
    }
  }

  private static List<Duration> waits(Policy policy, ScriptedOperation<String> operation)
      throws Exception {
    VirtualTime time = new VirtualTime();
    policy.toRetryBuilder().time(time).build().call(operation::call);
    return time.waits();
  }

  @Test
  void delaysAndAttemptsAreThoseOfTheDocument() throws Exception {
    Policy policy =
        read(
            "{'strategy':'standard','maxAttempts':4,'backoff':{'type':'linear','base':'1s',"
                + "'step':'1s','cap':'1m'},'throttleBackoff':{'type':'fixed','delay':'9s'}}");

    assertThat(waits(policy, new ScriptedOperation<String>().fails(3, () -> error).succeeds("ok")))
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3));
    assertThat(
            waits(policy, new ScriptedOperation<String>().fails(1, () -> throttle).succeeds("ok")))
        .containsExactly(Duration.ofSeconds(9));
    ScriptedOperation<String> failing = new ScriptedOperation<String>().failsAlways(() -> error);
    assertThatThrownBy(() -> waits(policy, failing)).isSameAs(error);
    assertThat(failing.calls()).isEqualTo(4);
  }

  @Test
  void theBudgetPaysAsTheDocumentSays() {
    RetryStrategy strategy =
        read("{'strategy':'standard','budget':{'type':'token-bucket','capacityTokens':3,"
                + "'errorTokens':1.5,'throttleTokens':0.5,'maxScopes':1}}")
            .toStrategy();

    RetryToken one = strategy.acquireInitialToken();
    RetryToken two = strategy.refreshRetryToken(one, error);
    assertThat(two.attempt()).isEqualTo(2);
    RetryToken three = strategy.refreshRetryToken(two, throttle);
    assertThat(three.attempt()).isEqualTo(3);
    // 1 token is left: another error is too dear, a throttle is not.
    assertThat(reasonOf(strategy, strategy.acquireInitialToken(), error))
        .isEqualTo(StopReason.BUDGET);
    assertThat(strategy.refreshRetryToken(strategy.acquireInitialToken(), throttle).attempt())
        .isEqualTo(2);
    // Another scope has a budget of its own.
    Operation elsewhere = Operation.DEFAULT.withScope("elsewhere");
    assertThat(strategy.refreshRetryToken(strategy.acquireInitialToken(elsewhere), error).attempt())
        .isEqualTo(2);
  }

  @Test
  void oneBudgetForAllScopesWhenThereAreNone() {
    RetryStrategy strategy =
        read("{'strategy':'standard','budget':{'type':'token-bucket','capacityTokens':1,"
                + "'errorTokens':1,'maxScopes':0}}")
            .toStrategy();
    strategy.refreshRetryToken(
        strategy.acquireInitialToken(Operation.DEFAULT.withScope("a")), error);

    assertThat(
            reasonOf(
                strategy, strategy.acquireInitialToken(Operation.DEFAULT.withScope("b")), error))
        .isEqualTo(StopReason.BUDGET);
  }

  @Test
  void hintsAreKeptOrClampedAsTheDocumentSays() {
    Failure hint = new Failure(false, Duration.ofSeconds(30));
    String fields = "'backoff':{'type':'fixed','delay':'1s'},'hintCeiling':'10s'";

    RetryStrategy keeps = read("{'strategy':'standard'," + fields + "}").toStrategy();
    RetryStrategy clamps =
        read("{'strategy':'standard'," + fields + ",'clampsHints':true}").toStrategy();

    assertThat(reasonOf(keeps, keeps.acquireInitialToken(), hint))
        .isEqualTo(StopReason.HINT_TOO_LONG);
    assertThat(clamps.refreshRetryToken(clamps.acquireInitialToken(), hint).delay())
        .isEqualTo(Duration.ofSeconds(11));
  }

  @Test
  void callSettingsAreThoseOfTheDocument() {
    VirtualTime time = new VirtualTime();
    RecordingListener listener = new RecordingListener();
    Retry retry =
        read("{'strategy':'standard','maxAttempts':'unlimited','budget':'unlimited',"
                + "'backoff':{'type':'fixed','delay':'4s'},'deadline':'10s','idempotent':true}")
            .toRetryBuilder()
            .time(time)
            .listener(listener)
            .build();

    assertThatThrownBy(
            () -> retry.call(new ScriptedOperation<String>().failsAlways(() -> error)::call))
        .isSameAs(error);

    assertThat(time.waits()).containsExactly(Duration.ofSeconds(4), Duration.ofSeconds(4));
    assertThat(listener.stopReason()).isEqualTo(StopReason.DEADLINE);
    assertThat(retry.operation()).isEqualTo(Operation.IDEMPOTENT);
  }

  @Test
  void hedgesAndTimeoutsAreAccepted() {
    assertThat(
            read("{'strategy':'adaptive','attemptTimeout':'1s','hedging':{'delay':'200ms'},"
                    + "'idempotent':true}")
                .toRetry())
        .isNotNull();
  }

  static List<String> presets() {
    return Presets.names();
  }

  @ParameterizedTest
  @MethodSource("presets")
  void everyPresetRunsAndDecides(String name) {
    Policy policy = Presets.policy(name);
    boolean retries = policy.maxRetries() > 0;

    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(1, () -> error).succeeds("ok");
    Retry retry = policy.toRetryBuilder().time(new VirtualTime()).build();
    if (retries) {
      assertThat(call(retry, operation)).isEqualTo("ok");
    } else {
      assertThatThrownBy(() -> retry.call(operation::call)).isSameAs(error);
    }

    RetryDecision decision =
        policy.toRetryPolicy().decide(0, error, false, Long.MAX_VALUE, () -> Long.MAX_VALUE);
    assertThat(decision instanceof RetryDecision.Retry).isEqualTo(retries);
  }

  private static String call(Retry retry, ScriptedOperation<String> operation) {
    try {
      return retry.call(operation::call);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aNotificationPolicyDelaysCallsAsItDelaysDeliveries() throws Exception {
    Policy policy = read("{'numRetries':3,'numNoDelayRetries':1,'maxDelayTarget':40}");

    assertThat(waits(policy, new ScriptedOperation<String>().fails(3, () -> error).succeeds("ok")))
        .endsWith(Duration.ofSeconds(20), Duration.ofSeconds(40));
    assertThat(policy.maxRetries()).isEqualTo(3);
    assertThat(policy.hintCeiling()).isEqualTo(Duration.ofHours(24));
    assertThat(policy.toStrategyPolicy().budget()).isEqualTo(new BudgetPolicy.Unlimited());
  }

  @Test
  void whatNoDocumentCanHoldIsAddedToTheStrategy() {
    Policy policy =
        read("{'strategy':'standard','backoff':{'type':'fixed','delay':'8s','jitter':'equal'}}");

    RetryStrategy strategy = policy.toStrategy(builder -> builder.random(() -> 0));

    assertThat(strategy.refreshRetryToken(strategy.acquireInitialToken(), error).delay())
        .isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void aDocumentReadAgainReplacesThePolicyButNotInRunningCalls() throws Exception {
    String document =
        "{'strategy':'standard','maxAttempts':%d,'backoff':{'type':'fixed','delay':'%s'}}";
    ReplaceableRetryStrategy strategy =
        RetryStrategies.replaceable(read(String.format(document, 3, "1s")).toStrategy());
    VirtualTime time = new VirtualTime();
    Retry retry = Retry.builder().strategy(strategy).time(time).build();
    int[] attempts = {0};

    assertThatThrownBy(
            () ->
                retry.call(
                    () -> {
                      attempts[0]++;
                      if (attempts[0] == 1) {
                        // Somebody edits the file while the first call is under way.
                        strategy.replaceWith(read(String.format(document, 5, "7s")).toStrategy());
                      }
                      throw error;
                    }))
        .isSameAs(error);
    assertThat(attempts[0]).isEqualTo(3);
    assertThat(time.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));

    ScriptedOperation<String> next = new ScriptedOperation<String>().failsAlways(() -> error);
    assertThatThrownBy(() -> retry.call(next::call)).isSameAs(error);
    assertThat(next.calls()).isEqualTo(5);
    assertThat(time.waits()).hasSize(6).last().isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aDocumentThatIsBrokenReplacesNothing() throws Exception {
    ReplaceableRetryStrategy strategy =
        RetryStrategies.replaceable(
            read("{'strategy':'standard','backoff':{'type':'fixed','delay':'1s'}}").toStrategy());

    assertThatThrownBy(
            () ->
                strategy.replaceWith(read("{'strategy':'standard','maxAttempts':0}").toStrategy()))
        .isInstanceOf(PolicyException.class);

    assertThat(strategy.refreshRetryToken(strategy.acquireInitialToken(), error).delay())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void presetsAreTheProfilesOfTheCore() {
    assertThat(Presets.policy("azure-iot").backoff()).isEqualTo(Backoff.exponentialWithJitter());
    assertThat(Presets.policy("iot-core-64s").maxRetries()).isEqualTo(Policy.UNLIMITED);
    assertThat(Presets.policy("smithy-guide").maxRetries()).isEqualTo(4);
  }
}
