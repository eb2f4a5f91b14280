package dev.reprise.delivery.host;

import dev.reprise.delivery.store.StoreException;

/** The right of this process to make the attempts of a shard. Safe for use by many threads. */
public interface Lease {
  /** The right of a process that is the only one. */
  Lease LASTING =
      new Lease() {
        @Override
        public void confirm() {}

        @Override
        public boolean isHeld() {
          return true;
        }
      };

  /**
   * Makes sure that the right holds for a while yet, before attempts are started. May block.
   *
   * @throws StoreException as {@link StoreException#lost()} if another process has it now
   */
  void confirm();

  /** Returns whether an attempt may be started at this moment. Does not block. */
  boolean isHeld();
}
