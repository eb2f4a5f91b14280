package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.Operation;
import dev.reprise.core.budget.TokenPrices;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandardProfileTest {
  private static StandardProfile profile(
      int attempts, String base, String throttleBase, String max, String ceiling, int tokens) {
    return new StandardProfile(
        attempts,
        Duration.parse(base),
        Duration.parse(throttleBase),
        Duration.parse(max),
        Duration.parse(ceiling),
        false,
        false,
        tokens,
        TokenPrices.SMITHY_GUIDE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|PT1S|PT1S|PT2S|PT1M|500|maxAttempts is 0: must be >= 1",
        "1|PT0S|PT1S|PT2S|PT1M|500|baseDelay is PT0S: must be more than 0",
        "1|PT-1S|PT1S|PT2S|PT1M|500|baseDelay is PT-1S: must be more than 0",
        "1|PT1S|PT0S|PT2S|PT1M|500|throttleBaseDelay is PT0S: must be more than 0",
        "1|PT3S|PT1S|PT2S|PT1M|500|maxDelay is PT2S: must be at least baseDelay, which is PT3S",
        "1|PT1S|PT3S|PT2S|PT1M|500|maxDelay is PT2S: must be at least throttleBaseDelay, which is"
            + " PT3S",
        "1|PT1S|PT1S|PT2S|PT-1M|500|hintCeiling is PT-1M: must not be negative",
        "1|PT1S|PT1S|PT2S|PT1M|-1|capacityTokens is -1: must be between 0 and 1000000",
        "1|PT1S|PT1S|PT2S|PT1M|1000001|capacityTokens is 1000001: must be between 0 and 1000000"
      })
  void refusesWhatMakesNoSense(
      int attempts,
      String base,
      String throttleBase,
      String max,
      String ceiling,
      int tokens,
      String message) {
    assertThatThrownBy(() -> profile(attempts, base, throttleBase, max, ceiling, tokens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void theSmallestProfileIsAllowed() {
    assertThat(profile(1, "PT0.000000001S", "PT0.000000001S", "PT0.000000001S", "PT0S", 0))
        .isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"50, PT0.1S, PT1S, PT20S, 500"})
  void ourOwnNumbers(
      int retriesInAFullBudget, Duration base, Duration throttleBase, Duration cap, int tokens) {
    StandardProfile own = StandardProfile.REPRISE_DEFAULT;

    assertThat(own.maxAttempts()).isEqualTo(3);
    assertThat(own.baseDelay()).isEqualTo(base);
    assertThat(own.throttleBaseDelay()).isEqualTo(throttleBase);
    assertThat(own.maxDelay()).isEqualTo(cap);
    assertThat(own.capacityTokens()).isEqualTo(tokens);
    StandardRetryStrategy strategy = RetryStrategies.standard(own);
    int retries = 0;
    while (strategy.decide(strategy.begin(Operation.DEFAULT), Failure.error(), Long.MAX_VALUE)) {
      retries++;
    }
    assertThat(retries).isEqualTo(retriesInAFullBudget);
  }
}
