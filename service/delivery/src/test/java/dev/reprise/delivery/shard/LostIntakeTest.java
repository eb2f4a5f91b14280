package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.Batch;
import org.junit.jupiter.api.Test;

/** A shard whose log has lost something before it was taken in. */
class LostIntakeTest {
  private final ShardHost host = new ShardHost(ShardSettings.DEFAULT);

  private LostIntake lost() {
    return lost(IntakeLog.IN);
  }

  private LostIntake lost(IntakeLog log) {
    return LostIntakeRecord.read(host.store, log);
  }

  @Test
  void aShardGoesOnBehindWhatIsGoneAndRemembersIt() {
    assertThat(lost()).isEqualTo(LostIntake.NONE);

    host.give(new ShardInput.Lost(IntakeLog.IN, 3, 7));
    host.give(new ShardInput.Lost(IntakeLog.IN, 10, 10));
    host.run();

    assertThat(Shard.takenUpTo(host.store)).isEqualTo(10);
    assertThat(lost().count()).isEqualTo(6);
    assertThat(lost().acknowledged()).isFalse();
    assertThat(lost().message("in-0"))
        .startsWith("in-0: offsets 10 to 10 are gone, up to 1 messages; 5 were gone before.");
  }

  @Test
  void whatIsKnownStaysCountedAndAnotherLossIsNews() {
    host.give(new ShardInput.Lost(IntakeLog.IN, 0, 1));
    host.give(new ShardInput.AcknowledgeLost(new IgnoredAnswer()));
    host.run();
    assertThat(lost().acknowledged()).isTrue();
    assertThat(lost().count()).isEqualTo(2);

    host.give(new ShardInput.Lost(IntakeLog.IN, 5, 5));
    host.run();

    assertThat(lost().acknowledged()).isFalse();
    assertThat(lost().count()).isEqualTo(3);
  }

  @Test
  void bothLogsAreKeptApartAndAcknowledgedTogether() {
    host.give(new ShardInput.OpenTaken(2));
    host.give(new ShardInput.Lost(IntakeLog.OPEN, 3, 7));
    host.give(new ShardInput.Lost(IntakeLog.IN, 0, 1));
    // A place before what is gone was noticed late, and changes nothing.
    host.give(new ShardInput.OpenTaken(5));
    host.run();

    assertThat(Shard.openTakenUpTo(host.store)).isEqualTo(7);
    assertThat(Shard.takenUpTo(host.store)).isEqualTo(1);
    assertThat(lost(IntakeLog.OPEN).count()).isEqualTo(5);
    assertThat(lost(IntakeLog.IN).count()).isEqualTo(2);

    host.give(new ShardInput.AcknowledgeLost(new IgnoredAnswer()));
    host.run();

    assertThat(lost(IntakeLog.OPEN).acknowledged()).isTrue();
    assertThat(lost(IntakeLog.IN).acknowledged()).isTrue();
  }

  @Test
  void aLossWithoutAnEndBeginsTheLogAnew() {
    host.give(new ShardInput.Lost(IntakeLog.IN, 0, 4));
    host.run();
    Batch batch = new Batch();

    LostIntakeRecord.add(batch, IntakeLog.IN, lost(), 5, -1, 0, 1_000);
    host.store.write(batch);

    assertThat(Shard.takenUpTo(host.store)).isEqualTo(-1);
    assertThat(lost().last()).isEqualTo(-1);
    assertThat(lost().message("in-0"))
        .startsWith(
            "in-0: offsets from 5 on are gone, their number is unknown; 5 were gone before.");
  }

  private static final class IgnoredAnswer implements Reply<Boolean> {
    @Override
    public void complete(Boolean isNew) {
      assertThat(isNew).isTrue();
    }

    @Override
    public void fail(Throwable error) {
      throw new AssertionError(error);
    }
  }
}
