package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.ShardSettings;
import org.junit.jupiter.api.Test;

/** A shard remembers that it was told to stand. */
class StandRecordTest {
  private final ShardHost host = new ShardHost(ShardSettings.DEFAULT);

  @Test
  void aStandIsRememberedUntilTheShardGoesOn() {
    assertThat(StandRecord.read(host.store)).isNull();

    StandRecord first = new StandRecord(IntakeLog.OPEN, -1, 1_000);
    host.give(new ShardInput.Stands(first));
    host.run();
    assertThat(StandRecord.read(host.store)).isEqualTo(first);

    StandRecord second = new StandRecord(IntakeLog.IN, 1L << 40, 2_000);
    host.give(new ShardInput.Stands(second));
    host.run();
    assertThat(StandRecord.read(host.store)).isEqualTo(second);

    host.give(new ShardInput.Stands(null));
    host.run();
    assertThat(StandRecord.read(host.store)).isNull();
  }
}
