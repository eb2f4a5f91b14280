package dev.reprise.cluster.base;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The ids that Kafka has given to the topics of a cluster: one that is deleted and made again has
 * another id. Some may be unknown, as older programs have not noted them.
 *
 * @param ids by topic
 */
public record TopicIds(Map<ClusterTopic, Uuid> ids) {
  public static final TopicIds NONE = new TopicIds(Map.of());

  private static final int ENTRY_BYTES = 1 + 2 * Long.BYTES;

  /** Copies the map. */
  public TopicIds {
    ids = Map.copyOf(ids);
  }

  /** Returns the id of a topic; null if it is not known. */
  public @Nullable Uuid of(ClusterTopic topic) {
    return ids.get(topic);
  }

  /** Returns them as one word. */
  public String text() {
    Map<ClusterTopic, Uuid> sorted = new TreeMap<>(ids);
    return sorted.entrySet().stream()
        .map(each -> each.getKey().suffix() + "=" + each.getValue())
        .collect(Collectors.joining(","));
  }

  /** Reads {@link #text}; topics that this program does not know are passed over. */
  public static TopicIds parse(String text) {
    Map<ClusterTopic, Uuid> ids = new EnumMap<>(ClusterTopic.class);
    for (String part : text.isEmpty() ? new String[] {} : text.split(",", -1)) {
      for (ClusterTopic topic : ClusterTopic.values()) {
        if (part.startsWith(topic.suffix() + "=")) {
          ids.put(topic, Uuid.fromString(part.substring(topic.suffix().length() + 1)));
        }
      }
    }
    return new TopicIds(ids);
  }

  /** Returns how many bytes {@link #write} takes. */
  int bytes() {
    return 1 + ids.size() * ENTRY_BYTES;
  }

  /** Writes how many there are, and of each the topic's number and the 16 bytes of its id. */
  void write(ByteBuffer out) {
    out.put((byte) ids.size());
    new TreeMap<>(ids)
        .forEach(
            (topic, id) ->
                out.put(topic.number())
                    .putLong(id.getMostSignificantBits())
                    .putLong(id.getLeastSignificantBits()));
  }

  /** Reads what {@link #write} has written; topics that this program does not know are skipped. */
  static TopicIds read(ByteBuffer in) {
    Map<ClusterTopic, Uuid> ids = new EnumMap<>(ClusterTopic.class);
    int count = in.hasRemaining() ? in.get() : 0;
    for (int i = 0; i < count && in.remaining() >= ENTRY_BYTES; i++) {
      byte number = in.get();
      Uuid id = new Uuid(in.getLong(), in.getLong());
      for (ClusterTopic topic : ClusterTopic.values()) {
        if (topic.number() == number) {
          ids.put(topic, id);
        }
      }
    }
    return new TopicIds(ids);
  }
}
