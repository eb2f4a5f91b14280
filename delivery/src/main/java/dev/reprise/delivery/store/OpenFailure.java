package dev.reprise.delivery.store;

import java.nio.file.Path;
import org.rocksdb.RocksDBException;

/** Says what keeps a data folder from being opened, and what to do about it. */
final class OpenFailure {
  private OpenFailure() {}

  static StoreException explain(Path folder, Exception cause) {
    if (cause instanceof StoreException explained) {
      return explained;
    }
    boolean full = cause instanceof RocksDBException e && RocksStore.isFull(e);
    return new StoreException(
        "data folder " + folder + " cannot be opened: " + cause.getMessage(), full, cause);
  }
}
