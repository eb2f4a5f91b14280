package dev.reprise.cluster;

import java.nio.ByteBuffer;

/** A record among those of a shard that is none of the shard's: its owner says something. */
final class Marker {
  /** No shard has a key that begins so. */
  private static final byte[] KEY = {0};

  private static final byte VERSION = 1;
  private static final byte HELD = 0;
  private static final byte RELEASED = 1;

  private Marker() {}

  static byte[] key() {
    return KEY.clone();
  }

  /** The owner owns the shard yet. */
  static byte[] held(long nowMillis) {
    return value(HELD, nowMillis);
  }

  /** The owner has ended, and starts no attempts any more. */
  static byte[] released(long nowMillis) {
    return value(RELEASED, nowMillis);
  }

  private static byte[] value(byte kind, long nowMillis) {
    return ByteBuffer.allocate(10).put(VERSION).put(kind).putLong(nowMillis).array();
  }

  /** Whether the value says that the owner has ended. */
  static boolean isRelease(byte[] value) {
    return value.length > 1 && value[1] == RELEASED;
  }
}
