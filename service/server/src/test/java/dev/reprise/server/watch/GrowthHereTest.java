package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthHereTest {
  @Test
  void theCountThatAShardBringsAlongIsNoGrowthHere() {
    GrowthHere growth = new GrowthHere();
    growth.look(Map.of("shard 0", 100L));
    assertThat(growth.sum()).isZero();
    growth.look(Map.of("shard 0", 150L));
    growth.look(Map.of("shard 0", 150L, "shard 1", 5000L));
    assertThat(growth.sum()).isEqualTo(50);
    growth.look(Map.of("shard 0", 160L, "shard 1", 5001L));
    assertThat(growth.sum()).isEqualTo(61);
    growth.look(Map.of("shard 1", 5001L));
    growth.look(Map.of("shard 0", 900L, "shard 1", 5001L));
    assertThat(growth.sum()).isEqualTo(61);
  }

  @Test
  void aShardThatReturnsBetweenTwoLooksBringsNothing() {
    GrowthHere growth = new GrowthHere();
    growth.look(Map.of("shard 0, first stay", 100L));
    growth.look(Map.of("shard 0, second stay", 900L));
    assertThat(growth.sum()).isZero();
    growth.look(Map.of("shard 0, second stay", 905L));
    assertThat(growth.sum()).isEqualTo(5);
  }
}
