package dev.reprise.cluster.group;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * The one record in which the brokers keep the group: what each member has sent and what each is
 * given. Every member is given all nodes, so it grows with their square. If it is larger than a
 * record may be, no rebalance ends.
 */
final class GroupRecord {
  /** The size of a record that a broker takes by default ({@code message.max.bytes}). */
  static final int MAX_BYTES = 1_048_588;

  /** Of a member, beside its ids and what is counted: its host, times, lengths and versions. */
  private static final int MEMBER_BYTES = 160;

  private static final int GROUP_BYTES = 400;

  private GroupRecord() {}

  /** Returns the size of the record in bytes, or a little more. */
  static long bytes(Map<String, Subscription> said, Map<String, Assignment> given, String topic) {
    long bytes = GROUP_BYTES;
    int topicBytes = topic.getBytes(UTF_8).length;
    for (Map.Entry<String, Subscription> each : said.entrySet()) {
      Assignment assignment = given.get(each.getKey());
      // The id begins with the client's, which is there once more.
      bytes += MEMBER_BYTES + 2L * each.getKey().getBytes(UTF_8).length + 3L * topicBytes;
      bytes += remaining(each.getValue().userData());
      bytes += 4L * each.getValue().ownedPartitions().size();
      if (assignment != null) {
        bytes += remaining(assignment.userData()) + 4L * assignment.partitions().size();
      }
    }
    return bytes;
  }

  private static int remaining(@Nullable ByteBuffer data) {
    return data == null ? 0 : data.remaining();
  }

  /** Returns the warning of a record of so many bytes; null if it is small enough. */
  static @Nullable String warning(long bytes, int members) {
    if (bytes <= MAX_BYTES / 2) {
      return null;
    }
    String size =
        "the brokers keep the group of "
            + members
            + " nodes in one record, which has about "
            + bytes
            + " bytes now";
    return bytes <= MAX_BYTES
        ? size + ": more than half of " + MAX_BYTES + ", their default limit"
        : size
            + ": above "
            + MAX_BYTES
            + ", their default limit, shards change their owners no more. Raise max.message.bytes"
            + " of the topic __consumer_offsets, or run fewer nodes";
  }
}
