package dev.reprise.cluster;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.engine.ShardLoop;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Hands what was accepted for a shard to its loop, in order and not too much at once. What an
 * application has put between it goes to all shards that want it before its place is passed over.
 * Not safe for use by several threads, except for {@link #fault}.
 */
final class Intake {
  private static final int MAX_PART = 500;
  private static final long MAX_PART_BYTES = 256 << 10;
  private static final long MAX_UNDER_WAY_BYTES = 4 << 20;
  private static final long MAX_WAITING_BYTES = 4 << 20;
  private static final int RECORD_BYTES = 256;

  /** So many records of applications are on their way to shards at the same time. */
  private static final int MAX_AHEAD = 1000;

  private final ShardLoop loop;
  private final ClusterCatalog catalog;
  private final OpenIntake openIntake;
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** Those of what waits that are not for this shard alone. */
  private final Deque<OpenRecord> open = new ArrayDeque<>();

  private long waitingBytes;
  private volatile @Nullable StoreException fault;

  /** Handed to the loop, and not durable yet. */
  private final AtomicLong underWayBytes = new AtomicLong();

  /**
   * A record.
   *
   * @param message what is for this shard; null for nothing
   * @param open what has to be elsewhere first; null for nothing
   */
  private record Waiting(
      long offset, long bytes, @Nullable IntakeRecord message, @Nullable OpenRecord open) {}

  Intake(ShardLoop loop, ClusterCatalog catalog, OpenIntake openIntake) {
    this.loop = loop;
    this.catalog = catalog;
    this.openIntake = openIntake;
  }

  /**
   * Takes what follows in the log, up to a record of a newer program. That one was accepted, and
   * must not be lost: whoever can read it takes it, and what follows.
   */
  void add(List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> each : records) {
      if (fault != null || isNewer(each)) {
        return;
      }
      Waiting next = read(each);
      waiting.add(next);
      waitingBytes += next.bytes();
      if (next.open() != null) {
        open.add(next.open());
      }
    }
  }

  private Waiting read(ConsumerRecord<byte[], byte[]> each) {
    byte[] value = each.value();
    if (OpenMessage.isOpen(each.headers())) {
      return open(each, new OpenRecord(openIntake, each));
    }
    if (value == null) {
      return open(
          each,
          OpenRecord.refused(
              openIntake, each, "it has neither a value nor a header " + OpenMessage.TOPIC));
    }
    try {
      return new Waiting(each.offset(), bytes(each), IntakeRecord.decode(value), null);
    } catch (ClusterException e) {
      return open(each, OpenRecord.refused(openIntake, each, String.valueOf(e.getMessage())));
    }
  }

  private static Waiting open(ConsumerRecord<byte[], byte[]> each, OpenRecord record) {
    return new Waiting(each.offset(), bytes(each), null, record);
  }

  private boolean isNewer(ConsumerRecord<byte[], byte[]> each) {
    byte[] value = each.value();
    if (value == null || OpenMessage.isOpen(each.headers()) || !IntakeRecord.isNewer(value)) {
      return false;
    }
    StoreException stopped =
        new StoreException(
            "%s-%d at %d has version %d, and this program reads version %d: the shard takes in"
                    .formatted(
                        each.topic(),
                        each.partition(),
                        each.offset(),
                        value[0],
                        IntakeRecord.VERSION)
                + " nothing from there on until this node is upgraded",
            false,
            null);
    OpenIntake.LOG.error("{}", stopped.getMessage());
    fault = stopped;
    return true;
  }

  private static long bytes(ConsumerRecord<byte[], byte[]> each) {
    return (long) RECORD_BYTES + (each.value() == null ? 0 : each.value().length);
  }

  /** Hands on what the shard can take now. */
  void pump() {
    forward();
    while (!waiting.isEmpty() && underWayBytes.get() < MAX_UNDER_WAY_BYTES) {
      List<ShardInput.Publish> part = new ArrayList<>();
      long bytes = 0;
      long position = -1;
      while (part.size() < MAX_PART && bytes < MAX_PART_BYTES) {
        Waiting next = waiting.peek();
        if (next == null || !isReady(next)) {
          break;
        }
        waiting.remove();
        if (next.open() != null) {
          open.remove();
        }
        waitingBytes -= next.bytes();
        position = next.offset();
        IntakeRecord message = next.message();
        if (message != null) {
          bytes += next.bytes();
          part.add(publish(message, next.bytes()));
        }
      }
      if (position < 0) {
        return;
      }
      underWayBytes.addAndGet(bytes);
      loop.submit(new ShardInput.Taken(part, position));
    }
  }

  /** One of this shard may begin whatever others do: none waits for ever. */
  private void forward() {
    long now = System.nanoTime();
    int ahead = 0;
    for (OpenRecord each : open) {
      boolean mayBegin = ahead == 0 || openIntake.hasRoom();
      if (ahead++ == MAX_AHEAD || !(mayBegin || each.hasBegun())) {
        return;
      }
      each.step(now);
    }
  }

  private boolean isReady(Waiting next) {
    OpenRecord elsewhere = next.open();
    if (elsewhere != null) {
      return elsewhere.isDone();
    }
    // A subscription that the shard does not know yet would be passed over.
    IntakeRecord message = next.message();
    return message == null || catalog.knows(message.catalogVersion());
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

  /** Returns why nothing is taken in any more; null if something is. Any thread. */
  @Nullable StoreException fault() {
    return fault;
  }

  /** Returns whether more may be fetched. */
  boolean hasRoom() {
    return waitingBytes < MAX_WAITING_BYTES && fault == null;
  }

  /** Returns whether something waits to be handed on. */
  boolean isEmpty() {
    return waiting.isEmpty();
  }
}
