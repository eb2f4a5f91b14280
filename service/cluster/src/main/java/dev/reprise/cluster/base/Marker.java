package dev.reprise.cluster.base;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A record among those of a shard that is not the shard's own, but about its owner. */
public final class Marker {
  /** No shard has a key that begins so. */
  private static final byte[] KEY = {0};

  private static final byte VERSION = 1;
  private static final byte HELD = 0;
  private static final byte RELEASED = 1;

  /** Programs before topics had ids here end with these bytes, and read no others. */
  private static final int FIXED_BYTES = 10;

  private Marker() {}

  public static byte[] key() {
    return KEY.clone();
  }

  /** The owner owns the shard yet, in a cluster with these topics. */
  public static byte[] held(long nowMillis, TopicIds topics) {
    return value(HELD, nowMillis, topics);
  }

  /** The owner has ended, and starts no attempts any more. */
  public static byte[] released(long nowMillis, TopicIds topics) {
    return value(RELEASED, nowMillis, topics);
  }

  private static byte[] value(byte kind, long nowMillis, TopicIds topics) {
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + topics.bytes());
    out.put(VERSION).put(kind).putLong(nowMillis);
    topics.write(out);
    return out.array();
  }

  /** Whether the value states that the owner has ended. */
  public static boolean isRelease(byte[] value) {
    return value.length > 1 && value[1] == RELEASED;
  }

  /** Returns the topics that the owner had; none if there was no owner, or one that wrote none. */
  public static TopicIds topics(byte @Nullable [] value) {
    return value == null || value.length <= FIXED_BYTES
        ? TopicIds.NONE
        : TopicIds.read(ByteBuffer.wrap(value, FIXED_BYTES, value.length - FIXED_BYTES));
  }
}
