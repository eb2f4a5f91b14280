package dev.reprise.cluster.intake;

import dev.reprise.cluster.base.CatalogEnd;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Hands what was accepted for a shard to its loop, in order and not too much at once. What an
 * application of an older cluster has put between it goes to all shards that want it before its
 * place is passed over, and what is no message is reported. At a record of a newer program the
 * shard stands, until an operator has it passed over.
 *
 * <p>Not safe for use by several threads, except where that is stated.
 */
public final class ShardIntake {
  private static final int MAX_PART = 500;
  private static final long MAX_PART_BYTES = 256 << 10;
  private static final long MAX_UNDER_WAY_BYTES = 4 << 20;
  private static final long MAX_WAITING_BYTES = 4 << 20;
  private static final int RECORD_BYTES = 256;
  private static final Headers NO_HEADERS = new RecordHeaders();

  private final Consumer<ShardInput> shard;
  private final ClusterCatalog catalog;
  private final OpenIntake openIntake;
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** Places that are gone, in their order. */
  private final Deque<Gap> gaps = new ArrayDeque<>();

  private long added;
  private long handedOn;

  /** Those of what waits that need more than to be handed on, in the same order. */
  private final Deque<Waiting> elsewhere = new ArrayDeque<>();

  private long waitingBytes;
  private volatile @Nullable Stand stand;

  /** The place of a record that is to be passed over; -1 for none. */
  private volatile long toSkip = -1;

  /** Handed to the loop, and not durable yet. */
  private final AtomicLong underWayBytes = new AtomicLong();

  /**
   * Places that are gone behind records that wait.
   *
   * @param behind how many records were added before it
   * @param note notes the loss in the state of the shard
   */
  private record Gap(long behind, Runnable note) {}

  /** A record. */
  private static final class Waiting {
    final ConsumerRecord<byte[], byte[]> place;
    final long bytes;

    /** For this shard; null for nothing. */
    @Nullable IntakeRecord message;

    /** Has to be elsewhere first; null for nothing. */
    @Nullable OpenRecord open;

    /** Why the shard stands here; null if it does not. */
    @Nullable String stands;

    /** Which answer on the catalog's end decides on the message; 0 if none is needed yet. */
    long question;

    Waiting(ConsumerRecord<byte[], byte[]> record) {
      this.bytes = (long) RECORD_BYTES + (record.value() == null ? 0 : record.value().length);
      this.place = withoutValue(record);
    }

    private static ConsumerRecord<byte[], byte[]> withoutValue(
        ConsumerRecord<byte[], byte[]> record) {
      return new ConsumerRecord<>(
          record.topic(),
          record.partition(),
          record.offset(),
          record.timestamp(),
          record.timestampType(),
          record.serializedKeySize(),
          record.serializedValueSize(),
          null,
          null,
          NO_HEADERS,
          record.leaderEpoch());
    }
  }

  /** The place at which the shard stands, and why. */
  private record Stand(long offset, StoreException fault) {}

  public ShardIntake(Consumer<ShardInput> shard, ClusterCatalog catalog, OpenIntake openIntake) {
    this.shard = shard;
    this.catalog = catalog;
    this.openIntake = openIntake;
  }

  /** Takes what follows in the log. */
  public void add(List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> each : records) {
      Waiting next = read(each);
      waiting.add(next);
      added++;
      waitingBytes += next.bytes;
      if (next.open != null || next.stands != null) {
        elsewhere.add(next);
      }
    }
    if (stand == null) {
      standAtTheFirst();
    }
  }

  /**
   * Places behind all that was added are gone. That is noted once everything before them is handed
   * on: the note has the shard go on behind them, wherever it is at work then.
   */
  public void addGap(Runnable note) {
    gaps.add(new Gap(added, note));
  }

  private Waiting read(ConsumerRecord<byte[], byte[]> each) {
    Waiting next = new Waiting(each);
    int newer = IntakeRecord.newerVersion(each.headers());
    byte[] value = each.value();
    if (newer != 0) {
      // It was accepted, and must not be lost: a program that can read it takes it, and what
      // follows.
      next.stands =
          String.format(
              Locale.ROOT,
              "has version %d, and this program reads version %d",
              newer,
              IntakeRecord.VERSION);
    } else if (OpenMessage.isOpen(each.headers())) {
      // Of an application of an older cluster, which had no topic of its own.
      next.open = new OpenRecord(openIntake, each);
    } else if (value == null) {
      next.open = refused(next, "it has neither a value nor a header " + OpenMessage.TOPIC);
    } else {
      try {
        next.message = IntakeRecord.decode(value);
      } catch (ClusterException e) {
        next.open = refused(next, String.valueOf(e.getMessage()));
      }
    }
    return next;
  }

  private OpenRecord refused(Waiting record, String reason) {
    return OpenRecord.refused(openIntake, record.place, reason);
  }

  // --- a shard that stands -----------------------------------------------------------------

  private void standAtTheFirst() {
    Waiting first = firstStanding();
    if (first == null) {
      stand = null;
      return;
    }
    StoreException fault =
        new StoreException(
            String.format(
                Locale.ROOT,
                "%s-%d at %d %s: the shard takes in nothing from there on until this node is"
                    + " upgraded, or an operator skips the record",
                first.place.topic(),
                first.place.partition(),
                first.place.offset(),
                first.stands),
            false,
            null);
    OpenIntake.LOG.error("{}", fault.getMessage());
    stand = new Stand(first.place.offset(), fault);
  }

  private @Nullable Waiting firstStanding() {
    for (Waiting each : elsewhere) {
      if (each.stands != null) {
        return each;
      }
    }
    return null;
  }

  /**
   * Has the record passed over at which the shard stands. Any thread.
   *
   * @return false if the shard does not stand there
   */
  public boolean skip(long offset) {
    if (standsAt() != offset) {
      return false;
    }
    toSkip = offset;
    return true;
  }

  private void skipIfTold() {
    long offset = toSkip;
    Waiting first = offset < 0 ? null : firstStanding();
    if (first == null || first.stands == null) {
      return;
    }
    toSkip = -1;
    if (first.place.offset() == offset) {
      OpenIntake.LOG.warn(
          "{}-{} at {} is skipped", first.place.topic(), first.place.partition(), offset);
      first.open = OpenRecord.skipped(openIntake, first.place, "it " + first.stands);
      first.stands = null;
      standAtTheFirst();
    }
  }

  // --- what is handed on -------------------------------------------------------------------

  /** Hands on what the shard can take now. */
  public void pump() {
    skipIfTold();
    forward();
    noteGaps();
    while (!waiting.isEmpty() && underWayBytes.get() < MAX_UNDER_WAY_BYTES) {
      List<ShardInput.Publish> part = new ArrayList<>();
      long bytes = 0;
      long position = -1;
      while (part.size() < MAX_PART && bytes < MAX_PART_BYTES && !isAtGap()) {
        Waiting next = waiting.peek();
        if (next == null || !isReady(next)) {
          break;
        }
        waiting.remove();
        handedOn++;
        if (next.open != null) {
          elsewhere.remove();
        }
        waitingBytes -= next.bytes;
        position = next.place.offset();
        IntakeRecord message = next.message;
        if (message != null) {
          bytes += next.bytes;
          part.add(publish(message, next.bytes));
        }
      }
      if (position < 0) {
        return;
      }
      underWayBytes.addAndGet(bytes);
      shard.accept(new ShardInput.Taken(part, position));
      noteGaps();
    }
  }

  private boolean isAtGap() {
    Gap next = gaps.peek();
    return next != null && next.behind() == handedOn;
  }

  private void noteGaps() {
    while (isAtGap()) {
      gaps.remove().note().run();
    }
  }

  private void forward() {
    // Not what is behind a place at which the shard stands, perhaps for days: if that is taken to
    // other shards once more then, they have forgotten that they had it.
    openIntake.forward(
        elsewhere.stream()
            .takeWhile(each -> each.stands == null)
            .map(each -> Objects.requireNonNull(each.open))
            .iterator());
  }

  private boolean isReady(Waiting next) {
    if (next.stands != null) {
      return false;
    }
    OpenRecord open = next.open;
    if (open != null) {
      return open.isDone();
    }
    // A subscription that the shard does not know yet would be passed over.
    IntakeRecord message = next.message;
    if (message == null || catalog.knows(message.catalogVersion())) {
      return true;
    }
    refuseIfBeyondTheCatalog(next, message.catalogVersion());
    return false;
  }

  /** No sender can have known a catalog that the brokers do not have: the record is damaged. */
  private void refuseIfBeyondTheCatalog(Waiting next, long version) {
    CatalogEnd catalogEnd = openIntake.catalogEnd();
    if (next.question == 0) {
      next.question = catalogEnd.question();
    }
    long end = catalogEnd.answer(next.question, System.nanoTime());
    if (end >= 0 && version > end) {
      next.message = null;
      next.open =
          refused(
              next,
              String.format(
                  Locale.ROOT,
                  "record of intake needs the catalog up to %d, which ends at %d: it is damaged",
                  version,
                  end));
      elsewhere.addFirst(next);
    }
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
  public @Nullable StoreException fault() {
    Stand now = stand;
    return now == null ? null : now.fault();
  }

  /** Returns the place at which the shard stands; -1 if it does not. Any thread. */
  long standsAt() {
    Stand now = stand;
    return now == null ? -1 : now.offset();
  }

  /** Returns whether more may be fetched. */
  public boolean hasRoom() {
    return waitingBytes < MAX_WAITING_BYTES;
  }

  /** Returns whether something waits to be handed on. */
  public boolean isEmpty() {
    return waiting.isEmpty() && gaps.isEmpty();
  }
}
