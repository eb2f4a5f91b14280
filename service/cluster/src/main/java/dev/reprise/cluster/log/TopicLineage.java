package dev.reprise.cluster.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The topics that were restored with another id: a record in the log of the catalog. By it folders
 * and shards that know an earlier id accept the later one.
 *
 * @param restored in the order in which it happened
 */
public record TopicLineage(List<Restored> restored) {
  public static final TopicLineage NONE = new TopicLineage(List.of());

  private static final int NUMBER = RocksStore.MAX_VIEW - 34;
  private static final byte[] KEY = {(byte) (NUMBER >>> 8), (byte) NUMBER, 't'};
  private static final byte VERSION = 1;
  private static final int WORDS = 5;

  /** Copies the list. */
  public TopicLineage {
    restored = List.copyOf(restored);
  }

  /**
   * A topic that was restored.
   *
   * @param before its id until then
   * @param after its id since then
   * @param node whose folder it was restored from
   */
  public record Restored(ClusterTopic topic, Uuid before, Uuid after, Instant at, String node) {}

  /** Whether a topic with an id is the one that is there now, with records that it had. */
  public boolean accepts(ClusterTopic topic, Uuid before, Uuid now) {
    Uuid id = before;
    for (Restored each : restored) {
      if (each.topic() == topic && each.before().equals(id)) {
        id = each.after();
      }
    }
    return id.equals(now);
  }

  /** Returns the lineage with one more. */
  public TopicLineage and(Restored next) {
    List<Restored> all = new ArrayList<>(restored);
    all.add(next);
    return new TopicLineage(all);
  }

  public void addTo(Batch batch) {
    StringBuilder lines = new StringBuilder();
    for (Restored each : restored) {
      lines.append(
          String.join(
              " ",
              each.topic().suffix(),
              each.before().toString(),
              each.after().toString(),
              each.at().toString(),
              each.node()));
      lines.append('\n');
    }
    byte[] text = lines.toString().getBytes(UTF_8);
    byte[] value = new byte[1 + text.length];
    value[0] = VERSION;
    System.arraycopy(text, 0, value, 1, text.length);
    batch.put(KEY.clone(), value);
  }

  /** Whether a key of the log of the catalog is that of the record. */
  static boolean isKey(byte[] key) {
    return Arrays.equals(key, KEY);
  }

  /** Reads the record from the store of everything that all shards share. */
  public static TopicLineage in(Function<byte[], byte @Nullable []> catalog) {
    byte[] value = catalog.apply(KEY.clone());
    return value == null ? NONE : decode(value);
  }

  /** Reads the record from the log of the catalog. */
  public static TopicLineage in(KafkaConsumer<byte[], byte[]> consumer, TopicPartition catalog) {
    byte[][] latest = {null};
    MigrationLog.read(
        consumer,
        catalog,
        record -> {
          if (record.key() != null && isKey(record.key())) {
            latest[0] = record.value();
          }
          return true;
        });
    return latest[0] == null ? NONE : decode(latest[0]);
  }

  private static TopicLineage decode(byte[] value) {
    if (value.length == 0 || value[0] != VERSION) {
      throw new ClusterException(
          "topics of the cluster were restored by a program of another version", null);
    }
    List<Restored> restored = new ArrayList<>();
    for (String line : new String(value, 1, value.length - 1, UTF_8).lines().toList()) {
      String[] words = line.split(" ", WORDS);
      for (ClusterTopic topic : ClusterTopic.values()) {
        if (words.length == WORDS && topic.suffix().equals(words[0])) {
          restored.add(
              new Restored(
                  topic,
                  Uuid.fromString(words[1]),
                  Uuid.fromString(words[2]),
                  Instant.parse(words[3]),
                  words[4]));
        }
      }
    }
    return new TopicLineage(restored);
  }
}
