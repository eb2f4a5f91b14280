package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.net.SocketException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Settings that one call knows better, in every way to run it. */
class PerCallSettingsTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();
  private final Retry retry =
      Retry.builder()
          .maxAttempts(3)
          .backoff(Backoff.fixed(ofSeconds(1)))
          .time(time)
          .executor(time.executor())
          .listener(listener)
          .build();

  private final ScriptedOperation<String> brokenOnce =
      new ScriptedOperation<String>().fails(1, SocketException::new).succeeds("hello");

  private final ScriptedOperation<String> broken =
      new ScriptedOperation<String>().failsAlways(SocketException::new);

  @ParameterizedTest
  @EnumSource
  void oneCallIsDeclaredIdempotent(Runner runner) throws Exception {
    assertThat(run(runner, retry.withIdempotent(true), brokenOnce)).isEqualTo("hello");
    assertThat(listener.delays()).containsExactly(ofSeconds(1));

    Throwable thrown = catchThrowable(() -> run(runner, retry, broken));

    assertThat(thrown).isInstanceOf(SocketException.class);
    assertThat(broken.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void oneCallIsOfAScope(Runner runner) throws Exception {
    assertThat(run(runner, retry.withIdempotent(true).withScope("host"), brokenOnce))
        .isEqualTo("hello");

    assertThat(listener.events())
        .extracting(RetryEvent::operation)
        .containsOnly(Operation.IDEMPOTENT.withScope("host"));
  }

  @ParameterizedTest
  @EnumSource
  void oneCallHasADeadline(Runner runner) {
    Retry inTime = retry.withIdempotent(true).withDeadline(Duration.ofMillis(1_500));

    Throwable thrown = catchThrowable(() -> run(runner, inTime, broken));

    assertThat(broken.calls()).isEqualTo(2);
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(StopReason.DEADLINE);
  }

  @ParameterizedTest
  @EnumSource
  void oneCallHasAListenerMore(Runner runner) throws Exception {
    RecordingListener more = new RecordingListener();

    assertThat(run(runner, retry.withIdempotent(true).withListener(more), brokenOnce))
        .isEqualTo("hello");

    assertThat(more.kinds())
        .isEqualTo(listener.kinds())
        .containsExactly(RetryEvent.Kind.RETRY, RetryEvent.Kind.SUCCESS);
  }

  @Test
  void sharesTheStrategyAndEverythingElse() {
    Retry other = retry.withScope("host").withIdempotent(true).withDeadline(ofSeconds(9));

    assertThat(other.strategy()).isSameAs(retry.strategy());
    assertThat(other.name()).isEqualTo(retry.name());
    assertThat(other.toBuilder().build()).hasToString(other.toString());
    assertThat(other.toString()).contains("idempotent, scope host, deadline PT9S");
    assertThat(retry.toString()).doesNotContain("idempotent").doesNotContain("host");
  }

  @Test
  void theSameOperationIsTheSameRetry() {
    assertThat(retry.withIdempotent(false)).isSameAs(retry);
    assertThat(retry.withScope(null)).isSameAs(retry);
    assertThat(retry.withOperation(Operation.DEFAULT)).isSameAs(retry);
  }

  @Test
  void refusesWhatTheBuilderRefuses() {
    Retry hedged = Retry.builder().idempotent(true).hedging(Hedging.after(ofSeconds(1))).build();

    assertThatThrownBy(() -> hedged.withIdempotent(false))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageEndingWith("needs idempotent(true), for every hedge may take effect");
    assertThatThrownBy(() -> retry.withDeadline(Duration.ZERO))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("deadline is PT0S: must be between 1 ns and 292 years");
  }

  private @Nullable Object run(Runner runner, Retry how, ScriptedOperation<?> operation)
      throws Exception {
    return runner.run(how, time, operation::call);
  }
}
