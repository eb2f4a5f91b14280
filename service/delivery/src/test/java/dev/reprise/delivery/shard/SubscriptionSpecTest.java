package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SubscriptionSpecTest {
  @Test
  void eachRangeIsCheckedByName() {
    assertRefused(0, 0, 0, 1, "number is 0: must be >= 1");
    assertRefused(1, -1, 0, 1, "maxPerSecond is -1: must be >= 0");
    assertRefused(1, 0, -1, 1, "lifetimeMillis is -1: must be >= 0");
    assertRefused(1, 0, 0, 0, "maxInFlight is 0: must be >= 1");
  }

  @Test
  void theDeadlineIsTheLifetimeAfterTheBeginning() {
    assertThat(spec(1, 0, 0, 1).deadlineMillis(5)).isEqualTo(Long.MAX_VALUE);
    assertThat(spec(1, 0, 10, 1).deadlineMillis(5)).isEqualTo(15);
  }

  private static void assertRefused(
      long number, long rate, long lifetime, int maxInFlight, String message) {
    assertThatThrownBy(() -> spec(number, rate, lifetime, maxInFlight))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static SubscriptionSpec spec(long number, long rate, long lifetime, int maxInFlight) {
    return new SubscriptionSpec(
        number, ShardHost.NO_RETRY, rate, lifetime, /* discard= */ false, maxInFlight, "host");
  }
}
