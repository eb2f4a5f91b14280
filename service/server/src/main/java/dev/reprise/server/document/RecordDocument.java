package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place of a topic from which shards take messages, and the record that is there.
 *
 * @param id the place, such as {@code in-3@17}
 * @param topic the topic of Kafka
 * @param partition the partition, which has the number of its shard
 * @param offset the offset in it
 * @param firstOffset the first offset that the partition has
 * @param endOffset the offset behind its last record
 * @param meaning what the record is read as, or why it is no message, on one line
 * @param record absent if none can be read there
 */
public record RecordDocument(
    String id,
    String topic,
    int partition,
    long offset,
    long firstOffset,
    long endOffset,
    String meaning,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Content record) {
  /**
   * A record.
   *
   * @param appendedAt when it was appended, by the broker's clock
   * @param keyBytes the bytes of its key; null if it has none
   * @param valueBytes the bytes of its value; null if it has none
   * @param headers in their order
   */
  public record Content(
      String appendedAt,
      @Nullable Integer keyBytes,
      @Nullable Integer valueBytes,
      List<Header> headers) {}

  /**
   * A header.
   *
   * @param value its text, cut if it is long; as 0x and hexadecimal digits if it is none; null if
   *     the header has no value
   */
  public record Header(String name, @Nullable String value) {}
}
