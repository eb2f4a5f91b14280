package dev.reprise.cluster;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.engine.ShardLoop;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands what was accepted for a shard to its loop, in order and not too much at once. Not safe for
 * use by several threads.
 */
final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
  private static final int MAX_PART = 500;
  private static final long MAX_PART_BYTES = 256 << 10;
  private static final long MAX_UNDER_WAY_BYTES = 4 << 20;
  private static final long MAX_WAITING_BYTES = 4 << 20;
  private static final int RECORD_BYTES = 256;

  private final ShardLoop loop;
  private final ClusterCatalog catalog;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long waitingBytes;

  /** Handed to the loop, and not durable yet. */
  private final AtomicLong underWayBytes = new AtomicLong();

  private record Waiting(long offset, @Nullable IntakeRecord record) {
    long bytes() {
      return (long) RECORD_BYTES + (record == null ? 0 : record.payload().length);
    }
  }

  Intake(ShardLoop loop, ClusterCatalog catalog) {
    this.loop = loop;
    this.catalog = catalog;
  }

  /** Takes what follows in the log. */
  void add(List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> each : records) {
      Waiting next = read(each);
      waiting.add(next);
      waitingBytes += next.bytes();
    }
  }

  private Waiting read(ConsumerRecord<byte[], byte[]> each) {
    try {
      return new Waiting(each.offset(), IntakeRecord.decode(each.value()));
    } catch (ClusterException e) {
      LOG.error("{}-{} at {}: {}", each.topic(), each.partition(), each.offset(), e.getMessage());
      return new Waiting(each.offset(), null);
    }
  }

  /** Hands on what the shard can take now. */
  void pump() {
    while (!waiting.isEmpty() && underWayBytes.get() < MAX_UNDER_WAY_BYTES) {
      List<ShardInput.Publish> part = new ArrayList<>();
      long bytes = 0;
      long position = -1;
      while (part.size() < MAX_PART && bytes < MAX_PART_BYTES) {
        Waiting next = waiting.peek();
        if (next == null || !isKnown(next)) {
          break;
        }
        waiting.remove();
        waitingBytes -= next.bytes();
        position = next.offset();
        IntakeRecord record = next.record();
        if (record != null) {
          bytes += next.bytes();
          part.add(publish(record, next.bytes()));
        }
      }
      if (position < 0) {
        return;
      }
      underWayBytes.addAndGet(bytes);
      loop.submit(new ShardInput.Taken(part, position));
    }
  }

  /** A subscription that the shard does not know yet would be passed over. */
  private boolean isKnown(Waiting next) {
    IntakeRecord record = next.record();
    return record == null || catalog.knows(record.catalogVersion());
  }

  private ShardInput.Publish publish(IntakeRecord record, long bytes) {
    MessageId message = record.message();
    return new ShardInput.Publish(
        message,
        record.payload(),
        record.subscriptions(),
        record.keyed(),
        new Reply<>() {
          @Override
          public void complete(ShardInput.Accepted answer) {
            underWayBytes.addAndGet(-bytes);
          }

          @Override
          public void fail(Throwable error) {
            underWayBytes.addAndGet(-bytes);
          }
        });
  }

  /** Returns whether more may be fetched. */
  boolean hasRoom() {
    return waitingBytes < MAX_WAITING_BYTES;
  }

  /** Returns whether something waits to be handed on. */
  boolean isEmpty() {
    return waiting.isEmpty();
  }
}
