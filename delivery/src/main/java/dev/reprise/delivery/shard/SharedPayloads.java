package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.HashMap;
import java.util.Map;

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

  byte[] get(MessageId message) {
    byte[] payload = added.get(message);
    if (payload == null) {
      payload = store.get(Keys.ofMessage(Keys.PAYLOAD, message));
    }
    if (payload == null) {
      throw new IllegalStateException("the store has no payload for message " + message);
    }
    return payload;
  }

  /** One delivery needs the payload no longer. */
  void release(MessageId message) {
    changedCounts.put(message, count(message) - 1);
  }

  private int count(MessageId message) {
    Integer changed = changedCounts.get(message);
    if (changed != null) {
      return changed;
    }
    byte[] stored = store.get(Keys.ofMessage(Keys.SHARE_COUNT, message));
    if (stored == null) {
      throw new IllegalStateException("the store has no payload count for message " + message);
    }
    return new Wire.Reader(stored).count();
  }

  void writeTo(Batch batch) {
    added.forEach((message, payload) -> batch.put(Keys.ofMessage(Keys.PAYLOAD, message), payload));
    changedCounts.forEach(
        (message, count) -> {
          byte[] key = Keys.ofMessage(Keys.SHARE_COUNT, message);
          if (count > 0) {
            batch.put(key, new Wire.Writer(5).number(count).toBytes());
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
