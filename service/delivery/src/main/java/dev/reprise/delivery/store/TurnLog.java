package dev.reprise.delivery.store;

/**
 * A log to which one owner at a time appends batches: what a store is made of again, here or
 * elsewhere. Not safe for use by several threads.
 */
public interface TurnLog {
  /**
   * Appends a batch as a whole. When this returns, the batch is in the log for ever.
   *
   * @return the position behind it
   * @throws StoreException as {@link StoreException#lost()} if another owner appends now, or if
   *     this one cannot find out whether the batch is in the log; otherwise nothing of it is
   */
  long append(Batch batch);
}
