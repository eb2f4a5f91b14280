package dev.reprise.delivery.shard;

import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * An event of a delivery's history, as a shard writes it in the batch of the turn in which it
 * happened. Every delivery that ends has one, also while space is short and responses are left out;
 * except what waits for a subscription that is removed, which is discarded together with its
 * history.
 *
 * @param subscription the number of the subscription
 * @param message the message
 * @param event what happened
 */
public record LoggedEvent(long subscription, MessageId message, HistoryEvent event) {
  /**
   * Reads a record of a shard's store.
   *
   * @return null if it is none of the history, or cannot be read
   */
  public static @Nullable LoggedEvent read(byte[] key, byte[] value) {
    if (key.length < Keys.HISTORY_BYTES || key[0] != Keys.HISTORY) {
      return null;
    }
    HistoryEvent event = HistoryRecord.read(key, value);
    return event == null
        ? null
        : new LoggedEvent(Keys.subscription(key), Keys.historyMessage(key), event);
  }
}
