package dev.reprise.cluster.base;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The progress of the migration of a data folder into a cluster: a record in the log of the
 * catalog. As long as it says that the migration is not complete, no node may do anything.
 *
 * @param id the id of the migration, in ASCII
 * @param complete whether everything is in the cluster
 */
public record MigrationMark(String id, boolean complete) {
  private static final int NUMBER = RocksStore.MAX_VIEW - 33;
  private static final byte[] KEY = {(byte) (NUMBER >>> 8), (byte) NUMBER, 'm'};

  private static final byte VERSION = 1;
  private static final byte BEGUN = 0;
  private static final byte COMPLETE = 1;
  private static final int HEADER_BYTES = 2;

  /** Returns the key of the record in the log of the catalog. */
  public static byte[] key() {
    return KEY.clone();
  }

  /** Whether a key of the log of the catalog is that of the record. */
  public static boolean isKey(byte[] key) {
    return Arrays.equals(key, KEY);
  }

  public byte[] encode() {
    byte[] text = id.getBytes(US_ASCII);
    return ByteBuffer.allocate(HEADER_BYTES + text.length)
        .put(VERSION)
        .put(complete ? COMPLETE : BEGUN)
        .put(text)
        .array();
  }

  /**
   * Reads the record.
   *
   * @throws ClusterException if a newer program has written it
   */
  public static MigrationMark decode(byte[] value) {
    if (value.length < HEADER_BYTES || value[0] != VERSION) {
      throw new ClusterException(
          "a data folder was migrated into the cluster by a program of another version", null);
    }
    return new MigrationMark(
        new String(value, HEADER_BYTES, value.length - HEADER_BYTES, US_ASCII),
        value[1] == COMPLETE);
  }

  /**
   * Returns why nodes may do nothing yet, for the operator; null if they may.
   *
   * @param catalog the store of everything that all shards share
   * @param cluster the name of the cluster
   */
  static @Nullable String unfinished(Store catalog, String cluster) {
    byte[] value = catalog.get(KEY);
    if (value == null || decode(value).complete()) {
      return null;
    }
    return ("the migration of a data folder into cluster '%s' was begun and has not ended: run"
            + " ./reprise migrate on that folder again, and then start nodes")
        .formatted(cluster);
  }
}
