package dev.reprise.delivery.shard;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.store.Store;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** The places up to which a shard has taken the logs of what was accepted, and what they lost. */
final class TakenLogs {
  private final Step step;
  private final Map<IntakeLog, LostIntake> lost = new EnumMap<>(IntakeLog.class);

  /** Also what this turn has passed. */
  private long openTaken;

  TakenLogs(Store store, Step step) {
    this.step = step;
    this.openTaken = Shard.openTakenUpTo(store);
    for (IntakeLog log : IntakeLog.values()) {
      lost.put(log, LostIntakeRecord.read(store, log));
    }
  }

  void taken(long position) {
    step.batch.put(Keys.TAKEN, new RecordCodec.Writer(9).number(position).toBytes());
  }

  void openTaken(long position) {
    if (position > openTaken) {
      openTaken = position;
      step.batch.put(Keys.OPEN_TAKEN, new RecordCodec.Writer(9).number(position).toBytes());
    }
  }

  void lost(ShardInput.Lost gone) {
    LostIntake before = Objects.requireNonNull(lost.get(gone.log()));
    lost.put(
        gone.log(),
        LostIntakeRecord.add(
            step.batch,
            gone.log(),
            before,
            gone.first(),
            gone.last(),
            gone.last() + 1,
            step.nowMillis));
    if (gone.log() == IntakeLog.OPEN) {
      openTaken = gone.last();
    }
  }

  void acknowledge(ShardInput.AcknowledgeLost acknowledge) {
    boolean isNew = false;
    for (Map.Entry<IntakeLog, LostIntake> each : lost.entrySet()) {
      if (!each.getValue().acknowledged()) {
        isNew = true;
        each.setValue(each.getValue().known());
        LostIntakeRecord.put(step.batch, each.getKey(), each.getValue());
      }
    }
    boolean answer = isNew;
    step.answers.add(() -> acknowledge.reply().complete(answer));
  }
}
