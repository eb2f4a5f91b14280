package dev.reprise.server.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TroubleListTest {
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  @Test
  void aKeyIsToldInItsLastSevenDaysUnlessItHadNoMore() {
    assertThat(TroubleList.expiresSoon(0, 30 * DAY, 22 * DAY)).isFalse();
    assertThat(TroubleList.expiresSoon(0, 30 * DAY, 23 * DAY)).isTrue();
    assertThat(TroubleList.expiresSoon(0, 30 * DAY, 30 * DAY)).isFalse();
    assertThat(TroubleList.expiresSoon(22 * DAY, 28 * DAY, 23 * DAY)).isFalse();
    assertThat(TroubleList.expiresSoon(0, 0, 23 * DAY)).as("never").isFalse();
  }
}
