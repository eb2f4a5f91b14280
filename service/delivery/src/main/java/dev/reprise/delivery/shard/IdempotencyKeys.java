package dev.reprise.delivery.shard;

import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which message an idempotency key stands for, so that a publish that is sent again gets
 * the same message id; and how many deliveries of that message this shard has accepted, so that it
 * accepts no more. Not safe for use by several threads.
 */
final class IdempotencyKeys {
  private static final int VERSION = 2;

  /** Of the version that notified every shard of every message with a key. */
  private static final int WITHOUT_SHARDS = 1;

  private final Store store;
  private final long keptMillis;
  private final Map<ByteBuffer, Entry> thisTurn = new HashMap<>();
  private final Map<MessageId, Integer> acceptedThisTurn = new HashMap<>();

  /**
   * The message that a key stands for, and where it went.
   *
   * @param shards those that were notified of the message, ascending; null if all were
   */
  record Entry(MessageId message, long fingerprint, @Nullable List<Integer> shards) {
    byte[] encode() {
      List<Integer> told = Objects.requireNonNull(shards);
      RecordCodec.Writer out =
          new RecordCodec.Writer(27 + 2 * told.size())
              .u8(VERSION)
              .fixed(message.high())
              .fixed(message.low())
              .fixed(fingerprint)
              .number(told.size());
      int before = 0;
      for (int shard : told) {
        out.number(shard - before);
        before = shard;
      }
      return out.toBytes();
    }

    static Entry decode(byte[] value) {
      RecordCodec.Reader in = new RecordCodec.Reader(value);
      int version = in.versionBetween(WITHOUT_SHARDS, VERSION);
      MessageId message = new MessageId(in.fixed(), in.fixed());
      long fingerprint = in.fixed();
      if (version == WITHOUT_SHARDS) {
        return new Entry(message, fingerprint, null);
      }
      List<Integer> shards = new ArrayList<>();
      int before = 0;
      for (int left = in.count(); left > 0; left--) {
        before += in.count();
        shards.add(before);
      }
      return new Entry(message, fingerprint, List.copyOf(shards));
    }

    ShardInput.Reserved reserved(boolean repeated) {
      return new ShardInput.Reserved(message, shards, repeated);
    }
  }

  IdempotencyKeys(Store store, long keptMillis) {
    this.store = store;
    this.keptMillis = keptMillis;
  }

  void reserve(ShardInput.Reserve reserve, long nowMillis, Batch batch, List<Runnable> answers) {
    Entry known = find(reserve.digest(), nowMillis);
    if (known == null) {
      ShardInput.Keyed keyed = reserve.proposed();
      Entry entry = new Entry(keyed.message(), reserve.fingerprint(), keyed.shards());
      thisTurn.put(ByteBuffer.wrap(reserve.digest()), entry);
      batch.put(Keys.idempotency(reserve.digest()), entry.encode());
      answers.add(() -> reserve.reply().complete(entry.reserved(/* repeated= */ false)));
    } else if (known.fingerprint() == reserve.fingerprint()) {
      answers.add(() -> reserve.reply().complete(known.reserved(/* repeated= */ true)));
    } else {
      answers.add(() -> reserve.reply().fail(new IdempotencyConflictException(known.message())));
    }
  }

  private @Nullable Entry find(byte[] digest, long nowMillis) {
    Entry entry = thisTurn.get(ByteBuffer.wrap(digest));
    if (entry != null) {
      return entry;
    }
    byte[] stored = store.get(Keys.idempotency(digest));
    if (stored == null) {
      return null;
    }
    try {
      entry = Entry.decode(stored);
    } catch (RuntimeException unreadable) {
      // As if it were forgotten: a repetition is delivered twice, which is better than never.
      return null;
    }
    return isTooOld(entry.message(), nowMillis, keptMillis) ? null : entry;
  }

  /**
   * Returns how many deliveries of the message were accepted before, or are by this very turn; null
   * if it has not come yet.
   *
   * @param unknown what to answer where an older version has only noted that it came
   */
  @Nullable Integer acceptedBefore(MessageId message, int unknown) {
    Integer accepted = acceptedThisTurn.get(message);
    if (accepted != null) {
      return accepted;
    }
    byte[] marker = store.get(Keys.ofMessage(Keys.ACCEPTED, message));
    return marker == null
        ? null
        : marker.length == 0 ? unknown : new RecordCodec.Reader(marker).count();
  }

  void accepted(MessageId message, int deliveries, Batch batch) {
    acceptedThisTurn.put(message, deliveries);
    byte[] marker = new RecordCodec.Writer(5).number(deliveries).toBytes();
    batch.put(Keys.ofMessage(Keys.ACCEPTED, message), marker);
  }

  void endTurn() {
    thisTurn.clear();
    acceptedThisTurn.clear();
  }

  static boolean isTooOld(MessageId message, long nowMillis, long keptMillis) {
    return message.publishedAtMillis() < nowMillis - keptMillis;
  }
}
