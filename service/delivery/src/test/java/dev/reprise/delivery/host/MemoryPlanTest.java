package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.ShardSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryPlanTest {
  private static final long MIB = 1L << 20;

  @ParameterizedTest
  @CsvSource({"128,1", "512,1", "512,8", "512,64", "2048,16", "65536,64"})
  void allShardsTogetherHoldAFractionOfTheHeap(long heapMib, int shards) {
    long heap = heapMib * MIB;
    ShardSettings shard = MemoryPlan.of(heap, 1 << 20, shards).bounded(ShardSettings.DEFAULT);
    // Twice the places, because slow and hanging endpoints have as many again.
    long attempts = 2L * shard.maxInFlight() * shards * 32 * 1024;
    long payloads = 4L * shard.maxInFlightBytes() * shards;
    long readAhead = shard.readAheadBytes() * shards;

    assertThat(payloads).isLessThanOrEqualTo(Math.max(heap / 8, 2 * MIB * shards));
    assertThat(readAhead).isLessThanOrEqualTo(Math.max(heap / 32, MIB * shards));
    assertThat(attempts).isLessThanOrEqualTo(Math.max(heap / 4, MIB * shards));
    assertThat(shard.maxInFlight()).isGreaterThanOrEqualTo(16);
  }

  /** Each shard has less then, all together no more than 64 have. */
  @ParameterizedTest
  @CsvSource({"256,128", "256,1024", "16384,1024"})
  void moreShardsHoldNoMoreTogether(long heapMib, int shards) {
    MemoryPlan of64 = MemoryPlan.of(heapMib * MIB, 1 << 20, 64);
    MemoryPlan plan = MemoryPlan.of(heapMib * MIB, 1 << 20, shards);

    assertThat(plan.maxInFlight() * shards).isLessThanOrEqualTo(of64.maxInFlight() * 64);
    assertThat(plan.inFlightBytes() * shards).isLessThanOrEqualTo(of64.inFlightBytes() * 64);
    assertThat(plan.readAheadBytes() * shards).isLessThanOrEqualTo(of64.readAheadBytes() * 64);
    assertThat(plan.batchBytes() * shards).isLessThanOrEqualTo(of64.batchBytes() * 64);
    assertThat(plan.maxInFlight()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"1024,1", "4096,2", "1048576,16"})
  void attemptsLeaveHalfOfTheDescriptorsToOthers(long descriptors, int shards) {
    MemoryPlan plan = MemoryPlan.of(64L << 30, descriptors, shards);

    assertThat(2L * plan.maxInFlight() * shards).isLessThanOrEqualTo(descriptors / 2);
  }

  @ParameterizedTest
  @CsvSource({"8192,1", "32768,4"})
  void aLargeHeapAllowsWhatTheSettingsSay(long heapMib, int shards) {
    MemoryPlan plan = MemoryPlan.of(heapMib * MIB, 1 << 20, shards);

    assertThat(plan.bounded(ShardSettings.DEFAULT)).isEqualTo(ShardSettings.DEFAULT);
    assertThat(plan.queuedBytes()).isEqualTo(64 * MIB);
  }
}
