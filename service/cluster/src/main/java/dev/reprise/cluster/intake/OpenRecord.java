package dev.reprise.cluster.intake;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.engine.Matching;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * One record that is not for the shard alone in whose partition it is: a message of an application
 * on its way to the shards that have subscriptions for it, or the event that it is no message. Both
 * are sent until the brokers have taken them.
 *
 * <p>For one thread; answers may come on any.
 */
public final class OpenRecord {
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The time that the catalog has to come up to where it was when the record was first seen. */
  private static final long CATALOG_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int RECORD_BYTES = 256;

  private final OpenIntake intake;
  private final ConsumerRecord<byte[], byte[]> record;
  private @Nullable OpenMessage message;

  /** Which answer on the catalog's end is young enough; 0 if none is needed yet. */
  private long question;

  private long catalogEnd = -1;
  private long endKnownNanos;

  /** Null until it is decided what the record is. */
  private @Nullable List<Part> parts;

  private boolean isRefused;

  /** Why the brokers will never take a part of it; null as long as that is not so. */
  private volatile @Nullable String tooLarge;

  public OpenRecord(OpenIntake intake, ConsumerRecord<byte[], byte[]> record) {
    this.intake = intake;
    this.record = record;
  }

  /** A record that is no message, whatever else it was meant to be. */
  static OpenRecord refused(
      OpenIntake intake, ConsumerRecord<byte[], byte[]> record, String reason) {
    OpenRecord refused = new OpenRecord(intake, record);
    refused.refuse(reason);
    return refused;
  }

  /** A record that an operator has passed over, where a shard stood. */
  static OpenRecord skipped(
      OpenIntake intake, ConsumerRecord<byte[], byte[]> record, String reason) {
    OpenRecord skipped = new OpenRecord(intake, record);
    skipped.parts = List.of(skipped.new ToReaders(intake.events().skipped(record, reason)));
    return skipped;
  }

  /** Returns whether something of it was sent. */
  boolean hasBegun() {
    return parts != null;
  }

  /** Goes on as far as that needs no waiting. */
  void step(long nowNanos) {
    if (parts == null) {
      try {
        decide(nowNanos);
      } catch (IllegalArgumentException e) {
        refuse(String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        // One record must not stop all shards of this node.
        OpenIntake.LOG.error(
            "{}-{} at {} cannot be handled",
            record.topic(),
            record.partition(),
            record.offset(),
            e);
        refuse("it cannot be handled: " + e);
      }
    }
    String never = tooLarge;
    if (never != null) {
      // A part that is sent for ever would hold up what is behind it.
      tooLarge = null;
      if (!isRefused) {
        refuse(never);
      }
    }
    List<Part> all = parts;
    if (all != null) {
      all.forEach(part -> part.sendIfDue(nowNanos));
    }
  }

  /** Returns whether the brokers have all of it. */
  public boolean isDone() {
    List<Part> all = parts;
    return all != null && tooLarge == null && all.stream().allMatch(Part::isDone);
  }

  private void decide(long nowNanos) {
    OpenMessage read = message;
    if (read == null) {
      read = OpenMessage.read(record.headers(), record.value());
      message = read;
    }
    // Asked before the topic is looked up: what came between is seen.
    boolean isCurrent = question != 0 && hasCaughtUp(nowNanos);
    Catalog.Entry entry = intake.catalog().find(read.project(), read.topic());
    if (entry != null) {
      forward(read, entry);
    } else if (isCurrent) {
      throw new IllegalArgumentException(read.withoutTopic());
    } else if (question == 0) {
      // The publisher may have made it just now, on another node.
      question = intake.catalogEnd().question();
    }
  }

  /** Returns whether the catalog is here as it was when the record was first seen. */
  private boolean hasCaughtUp(long nowNanos) {
    if (intake.clusterCatalog().isOwned()) {
      return true;
    }
    if (catalogEnd < 0) {
      catalogEnd = intake.catalogEnd().answer(question, nowNanos);
      endKnownNanos = nowNanos;
    }
    return catalogEnd >= 0
        && (intake.clusterCatalog().hasReached(catalogEnd)
            || nowNanos - endKnownNanos > CATALOG_NANOS);
  }

  private void forward(OpenMessage read, Catalog.Entry entry) {
    read.check(entry);
    MessageId id = OpenIntake.idOf(record);
    Map<Integer, long[]> byShard =
        Matching.byShard(Matching.wanting(entry, read.attributes()), id, intake.shards());
    byte[] payload = PayloadRecord.encode(read.payload());
    List<Part> forwarded = new ArrayList<>(byShard.size());
    byShard.forEach((shard, numbers) -> forwarded.add(new ToShard(shard, id, payload, numbers)));
    parts = forwarded;
  }

  private void refuse(String reason) {
    isRefused = true;
    intake.countRefused(record, reason);
    List<Part> left = new ArrayList<>();
    List<Part> before = parts;
    if (before != null) {
      before.stream().filter(part -> !part.isDone()).forEach(left::add);
    }
    left.add(new ToReaders(intake.events().refused(record, reason)));
    parts = left;
  }

  /** Something that the brokers must have, sent again until they have it. */
  private abstract class Part {
    private final long bytes;
    private volatile State state = State.DUE;
    private long sentNanos;

    Part(int payloadBytes) {
      this.bytes = (long) RECORD_BYTES + payloadBytes;
    }

    abstract void send();

    boolean isDone() {
      return state == State.DONE;
    }

    void sendIfDue(long nowNanos) {
      State now = state;
      if (now == State.DUE || (now == State.FAILED && nowNanos - sentNanos > AGAIN_NANOS)) {
        state = State.SENT;
        sentNanos = nowNanos;
        intake.sent(bytes);
        send();
      }
    }

    void answered(boolean taken) {
      intake.sent(-bytes);
      state = taken ? State.DONE : State.FAILED;
    }
  }

  private enum State {
    DUE,
    SENT,
    FAILED,
    DONE
  }

  /** The deliveries of one shard; it knows the message by its id, and accepts it once. */
  private final class ToShard extends Part implements Reply<ShardInput.Accepted> {
    private final int shard;
    private final ShardInput.Publish publish;

    ToShard(int shard, MessageId id, byte[] payload, long[] numbers) {
      super(payload.length);
      this.shard = shard;
      this.publish = new ShardInput.Publish(id, payload, numbers, /* keyed= */ true, this);
    }

    @Override
    void send() {
      intake.producer().send(shard, publish);
    }

    @Override
    public void complete(ShardInput.Accepted answer) {
      answered(true);
    }

    @Override
    public void fail(Throwable error) {
      boolean never = error.getCause() instanceof RecordTooLargeException;
      if (never) {
        tooLarge = "shard " + shard + " cannot get it: " + error.getMessage();
      }
      answered(never);
    }
  }

  /** An event. */
  private final class ToReaders extends Part {
    private final ProducerRecord<byte[], byte[]> event;

    ToReaders(ProducerRecord<byte[], byte[]> event) {
      super(event.value().length);
      this.event = event;
    }

    @Override
    void send() {
      intake.producer().tell(event, this::answered);
    }
  }
}
