package dev.reprise.cluster;

import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardInput;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One partition of what applications publish, whose shard is at work here. Each record goes to the
 * shards that want it, and then the place that was passed is stored in the state of the shard whose
 * number the partition has. For one thread.
 */
final class OpenPartition {
  private static final long MAX_WAITING_BYTES = 4 << 20;
  private static final int RECORD_BYTES = 256;

  private final OwnedShard.Running shard;
  private final OpenIntake intake;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long passed;
  private long told;

  /** A record, and the memory that it takes. */
  private record Waiting(long offset, long bytes, OpenRecord record) {}

  OpenPartition(OwnedShard.Running shard, OpenIntake intake) {
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
      waiting.add(new Waiting(each.offset(), bytes, new OpenRecord(intake, each)));
      waitingBytes += bytes;
    }
  }

  /** Goes on as far as that needs no waiting. */
  void pump() {
    intake.forward(waiting.stream().map(Waiting::record).iterator());
    for (Waiting first = waiting.peek();
        first != null && first.record().isDone();
        first = waiting.peek()) {
      passed = first.offset();
      waitingBytes -= first.bytes();
      waiting.remove();
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
