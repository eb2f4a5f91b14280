package dev.reprise.cluster.intake;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.MessageId;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the shard that has subscriptions for it, as it is in the topic of intake.
 * A header that no application writes by accident says that a node has written it, in which
 * version. Version 1: version and kind (a byte each), catalog version (8 bytes), message id (16),
 * flags (1), the number of subscriptions (4), their numbers (8 each), the payload as stored (the
 * rest).
 *
 * @param catalogVersion the shard's owner must know the catalog up to here before it takes this:
 *     the subscriptions may be as young as that
 * @param message its id
 * @param keyed whether it may come again, and is accepted once
 * @param subscriptions the numbers of the subscriptions
 * @param payload the payload as stored
 */
public record IntakeRecord(
    long catalogVersion, MessageId message, boolean keyed, long[] subscriptions, byte[] payload) {
  public static final byte VERSION = 1;

  /** Marks a record of a node. Its value is the version, a byte; later ones may add bytes. */
  public static final String NODE = "reprise-node";

  /** The headers of each record that is written. */
  static final List<Header> HEADERS = List.of(new RecordHeader(NODE, new byte[] {VERSION}));

  private static final byte PUBLISH = 1;

  /** Has no content: only the time at which it was appended is asked for. */
  private static final byte PROBE = 2;

  private static final int HEAD_BYTES = 1 + 1 + 8 + MessageId.BYTES + 1 + 4;

  static byte[] probe() {
    return new byte[] {VERSION, PROBE};
  }

  public byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(HEAD_BYTES + 8 * subscriptions.length + payload.length)
            .put(VERSION)
            .put(PUBLISH)
            .putLong(catalogVersion)
            .putLong(message.high())
            .putLong(message.low())
            .put((byte) (keyed ? 1 : 0))
            .putInt(subscriptions.length);
    for (long number : subscriptions) {
      out.putLong(number);
    }
    return out.put(payload).array();
  }

  /**
   * Returns the version of a newer program that has written a record with these headers: nothing is
   * known of it, and it must not be passed over. 0 of any other record.
   */
  public static int newerVersion(Headers headers) {
    Header mark = headers.lastHeader(NODE);
    byte[] version = mark == null ? null : mark.value();
    return version == null || version.length == 0 || version[0] <= VERSION ? 0 : version[0];
  }

  /**
   * Reads a record; null if it has nothing for the shard.
   *
   * @throws ClusterException if it is damaged, or was not written by a node
   */
  public static @Nullable IntakeRecord decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    int version = in.remaining() < 2 ? -1 : in.get();
    if (version != VERSION) {
      throw new ClusterException(
          "record of intake has version "
              + version
              + ": this program reads version "
              + VERSION
              + "; and it has no header "
              + OpenMessage.TOPIC,
          null);
    }
    byte kind = in.get();
    if (kind == PROBE) {
      return null;
    }
    if (kind != PUBLISH || in.remaining() < HEAD_BYTES - 2) {
      throw new ClusterException(
          "record of intake has kind " + kind + " and " + value.length + " bytes: it is damaged",
          null);
    }
    long catalogVersion = in.getLong();
    MessageId message = new MessageId(in.getLong(), in.getLong());
    boolean keyed = (in.get() & 1) != 0;
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / 8) {
      throw new ClusterException(
          "record of intake names " + count + " subscriptions: it is damaged", null);
    }
    long[] subscriptions = new long[count];
    for (int i = 0; i < count; i++) {
      subscriptions[i] = in.getLong();
    }
    byte[] payload = new byte[in.remaining()];
    in.get(payload);
    return new IntakeRecord(catalogVersion, message, keyed, subscriptions, payload);
  }
}
