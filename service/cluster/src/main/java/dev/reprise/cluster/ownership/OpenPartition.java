package dev.reprise.cluster.ownership;

import dev.reprise.cluster.intake.IntakeLoss;
import dev.reprise.cluster.intake.OpenIntake;
import dev.reprise.cluster.intake.OpenRecord;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardInput;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One partition of what applications publish, whose shard is at work here. Each record goes to the
 * shards that want it, and then the place that was passed is stored in the state of the shard whose
 * number the partition has. For one thread.
 */
final class OpenPartition {
  private static final long MAX_WAITING_BYTES = 4 << 20;
  private static final int RECORD_BYTES = 256;

  private final int number;
  private final OwnedShard.Running shard;
  private final OpenIntake intake;
  private final IntakeLoss loss;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long passed;
  private long told;

  /** The place behind everything that was read and waits, or was passed; -1 if it is not known. */
  private long read = -1;

  /**
   * A record, or places that are gone.
   *
   * @param last its place, or the last one that is gone
   * @param bytes the memory that it takes
   * @param record null for places that are gone
   */
  private record Waiting(long first, long last, long bytes, @Nullable OpenRecord record) {
    boolean isDone() {
      return record == null || record.isDone();
    }
  }

  OpenPartition(int number, OwnedShard.Running shard, OpenIntake intake, IntakeLoss loss) {
    this.number = number;
    this.loss = loss;
    this.shard = shard;
    this.intake = intake;
    this.passed = stored();
    this.told = passed;
  }

  private long stored() {
    return Shard.openTakenUpTo(shard.copy().store());
  }

  /** Returns whether it is for a shard as it is at work now: one that was lost begins anew. */
  boolean isOf(OwnedShard.Running running) {
    return shard.equals(running);
  }

  /** Returns the first place that was not passed; 0 if none was. */
  long next() {
    return passed + 1;
  }

  /** Takes what follows in the log. */
  void add(List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> each : records) {
      long bytes = (long) RECORD_BYTES + (each.value() == null ? 0 : each.value().length);
      waiting.add(new Waiting(each.offset(), each.offset(), bytes, new OpenRecord(intake, each)));
      waitingBytes += bytes;
    }
  }

  /**
   * Places behind all that was added are gone. That is noted once everything before them is passed:
   * the shard goes on behind them then, wherever it is at work.
   */
  void addGap(long first, long last) {
    waiting.add(new Waiting(first, last, 0, null));
  }

  /** Everything before a place was added; the last of it may be a mark of a transaction. */
  void readUpTo(long next) {
    read = next;
  }

  /** Goes on as far as that needs no waiting. */
  void pump() {
    intake.forward(waiting.stream().map(Waiting::record).filter(Objects::nonNull).iterator());
    for (Waiting first = waiting.peek(); first != null && first.isDone(); first = waiting.peek()) {
      if (first.record() == null) {
        loss.note(shard.loop(), number, first.first(), first.last());
        told = first.last();
      }
      passed = first.last();
      waitingBytes -= first.bytes();
      waiting.remove();
    }
    if (waiting.isEmpty()) {
      // Or else the marks of transactions would be missed once they are deleted.
      passed = Math.max(passed, read - 1);
    }
    // One at a time: places that come meanwhile share a turn of the shard.
    if (passed > told && stored() >= told) {
      told = passed;
      shard.loop().submit(new ShardInput.OpenTaken(passed));
    }
  }

  /** Returns whether more may be fetched. */
  boolean hasRoom() {
    return waitingBytes < MAX_WAITING_BYTES;
  }
}
