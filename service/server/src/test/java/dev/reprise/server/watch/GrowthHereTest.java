package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthHereTest {
  @Test
  void theCountThatAShardBringsAlongIsNoGrowthHere() {
    GrowthHere growth = new GrowthHere();
    growth.look(Map.of(0, 100L));
    assertThat(growth.sum()).isZero();
    growth.look(Map.of(0, 150L));
    growth.look(Map.of(0, 150L, 1, 5000L));
    assertThat(growth.sum()).isEqualTo(50);
    growth.look(Map.of(0, 160L, 1, 5001L));
    assertThat(growth.sum()).isEqualTo(61);
    growth.look(Map.of(1, 5001L));
    growth.look(Map.of(0, 900L, 1, 5001L));
    assertThat(growth.sum()).isEqualTo(61);
  }
}
