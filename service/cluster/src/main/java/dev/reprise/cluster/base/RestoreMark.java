package dev.reprise.cluster.base;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The restoration of a topic that is under way: a record in the log of the catalog. As long as it
 * is there, no node may do anything: one without a copy would take for empty what is not restored
 * yet.
 */
public final class RestoreMark {
  private static final int NUMBER = RocksStore.MAX_VIEW - 34;
  private static final byte[] KEY = {(byte) (NUMBER >>> 8), (byte) NUMBER, 'r'};
  private static final byte VERSION = 1;

  private RestoreMark() {}

  /** The restoration of a topic begins. */
  public static void begin(Batch batch, ClusterTopic topic) {
    byte[] name = topic.suffix().getBytes(US_ASCII);
    byte[] value = new byte[1 + name.length];
    value[0] = VERSION;
    System.arraycopy(name, 0, value, 1, name.length);
    batch.put(KEY.clone(), value);
  }

  /** The restoration has ended. */
  public static void end(Batch batch) {
    batch.delete(KEY.clone());
  }

  /** Whether a key of the log of the catalog is that of the record. */
  public static boolean isKey(byte[] key) {
    return Arrays.equals(key, KEY);
  }

  /**
   * Returns why nodes may do nothing yet, for the operator; null if they may.
   *
   * @param catalog the store of everything that all shards share
   * @param cluster the name of the cluster
   */
  static @Nullable String unfinished(Store catalog, String cluster) {
    byte[] value = catalog.get(KEY);
    if (value == null) {
      return null;
    }
    String topic = new String(value, 1, value.length - 1, US_ASCII);
    return ("the restoration of topic %s.%s was begun and has not ended: run ./reprise cluster"
            + " restore-topic %s again, with the same folders, and then start nodes")
        .formatted(cluster, topic, topic);
  }
}
