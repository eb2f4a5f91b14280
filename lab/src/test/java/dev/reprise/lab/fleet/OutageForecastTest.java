package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class OutageForecastTest {
  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

  @Test
  void onlyTheLastMinuteOfAnOutageOutlivesThreeRetries() {
    // Three retries of 20 s: what is published less than 60 s before the end is delivered.
    OutageForecast forecast =
        OutageForecast.of(Presets.policy("notification-http"), HALF_AN_HOUR, 20);

    assertThat(forecast.published()).isEqualTo(36_000);
    assertThat(forecast.delivered()).isCloseTo(1_200, within(20.0));
    assertThat(forecast.delivered() + forecast.givenUp()).isCloseTo(36_000, within(1e-6));
    assertThat(forecast.mostAttempts()).isEqualTo(4);
    assertThat(forecast.lastDeliverySeconds()).isBetween(19.0, 20.0);
  }

  @Test
  void aLongPolicyDeliversAllWithinItsLongestDelay() {
    OutageForecast forecast =
        OutageForecast.of(Presets.policy("notification-sms"), HALF_AN_HOUR, 5);

    assertThat(forecast.givenUp()).isZero();
    assertThat(forecast.lastDeliverySeconds()).isBetween(500.0, 600.0);
    double[] backlog = forecast.backlog();
    assertThat(Arrays.stream(backlog).max().orElseThrow()).isCloseTo(9_000, within(300.0));
    assertThat(backlog[backlog.length - 1]).isZero();
  }

  @Test
  void attemptsOverTimeAreAllAttemptsThatAreMade() {
    OutageForecast forecast =
        OutageForecast.of(Presets.policy("notification-email"), HALF_AN_HOUR, 10);

    double end = forecast.binSeconds() * forecast.attemptsPerSecond().length;
    double shown = Arrays.stream(forecast.attemptsPerSecond()).sum() * forecast.binSeconds();
    double later = (end - 1800) * 10;
    assertThat(shown - later)
        .isCloseTo(forecast.attempts() * forecast.published(), within(0.001 * shown));
  }

  @Test
  void withoutRetriesAllAreGivenUp() {
    OutageForecast forecast = OutageForecast.of(Presets.policy("no-retry"), HALF_AN_HOUR, 1);

    assertThat(forecast.givenUp()).isEqualTo(1_800);
    assertThat(forecast.lastDeliverySeconds()).isNull();
    assertThat(Arrays.stream(forecast.backlog()).max()).hasValue(0);
  }

  @Test
  void aPolicyThatNeverWaitsIsRefused() {
    Policy policy =
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
             "backoff": {"type": "none"}}
            """);

    assertThatThrownBy(() -> OutageForecast.of(policy, HALF_AN_HOUR, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("100000 attempts");
    assertThatThrownBy(() -> OutageForecast.of(Presets.policy("no-retry"), Duration.ZERO, 1))
        .hasMessageContaining("outage");
    assertThatThrownBy(() -> OutageForecast.of(Presets.policy("no-retry"), HALF_AN_HOUR, 0))
        .hasMessageContaining("rate");
  }

  @Test
  void anInterruptEndsIt() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(
              () -> OutageForecast.of(Presets.policy("notification-sms"), HALF_AN_HOUR, 5))
          .isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
