package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Large payloads, stored once for all deliveries of the shard that need them and removed with the
 * last. Counts change in memory during a turn and are written at its end. Not safe for use by
 * several threads.
 */
final class SharedPayloads {
  private final Store store;
  private final Map<MessageId, Integer> changedCounts = new HashMap<>();
  private final Map<MessageId, byte[]> added = new HashMap<>();
  private long addedBytes;

  SharedPayloads(Store store) {
    this.store = store;
  }

  /** Adds the payload of a message that {@code deliveries} deliveries need. */
  void add(MessageId message, byte[] payload, int deliveries) {
    added.put(message, payload);
    addedBytes += payload.length;
    changedCounts.put(message, deliveries);
  }

  /** Bytes of payloads that the end of this turn will write. */
  long addedBytes() {
    return addedBytes;
  }

  /** The payload; null if the store has none. */
  byte @Nullable [] find(MessageId message) {
    byte[] payload = added.get(message);
    return payload != null ? payload : store.get(Keys.ofMessage(Keys.PAYLOAD, message));
  }

  /**
   * One delivery needs the payload no longer. A payload that is not shared, or whose count cannot
   * be read, stays as it is: it is not known which other deliveries need it.
   */
  void release(MessageId message) {
    Integer count = count(message);
    if (count != null) {
      changedCounts.put(message, count - 1);
    }
  }

  private @Nullable Integer count(MessageId message) {
    Integer changed = changedCounts.get(message);
    if (changed != null) {
      return changed;
    }
    byte[] stored = store.get(Keys.ofMessage(Keys.SHARE_COUNT, message));
    if (stored == null) {
      return null;
    }
    try {
      return new RecordCodec.Reader(stored).count();
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  void writeTo(Batch batch) {
    added.forEach((message, payload) -> batch.put(Keys.ofMessage(Keys.PAYLOAD, message), payload));
    changedCounts.forEach(
        (message, count) -> {
          byte[] key = Keys.ofMessage(Keys.SHARE_COUNT, message);
          if (count > 0) {
            batch.put(key, new RecordCodec.Writer(5).number(count).toBytes());
          } else {
            batch.delete(key);
            batch.delete(Keys.ofMessage(Keys.PAYLOAD, message));
          }
        });
    added.clear();
    addedBytes = 0;
    changedCounts.clear();
  }
}
