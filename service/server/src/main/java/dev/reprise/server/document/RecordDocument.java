package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A place of a topic from which shards take messages, and the record that is there. */
@Described(name = "Record")
public record RecordDocument(
    @Described("The place, such as in-3@17.") String id,
    @Described("The topic of Kafka.") String topic,
    @Described("It has the number of its shard.") int partition,
    @Described("The offset in the partition.") long offset,
    @Described("The first one that the partition has.") long firstOffset,
    @Described("The one behind its last record.") long endOffset,
    @Described("What the record is read as, or why it is no message, on one line.") String meaning,
    @Described("Absent if none can be read there.") @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Content record) {
  /**
   * A record.
   *
   * @param headers in their order
   */
  public record Content(
      @Described(value = "By the broker's clock.", kind = Kind.TIME) String appendedAt,
      @Described(value = "Null if it has no key.", orNull = true) @Nullable Long keyBytes,
      @Described(value = "Null if it has no value.", orNull = true) @Nullable Long valueBytes,
      List<Header> headers) {}

  /** A header. */
  public record Header(
      String name,
      @Described(
              value = "Its text, cut if it is long; 0x and hexadecimal digits if it is no text.",
              orNull = true)
          @Nullable String value) {}
}
