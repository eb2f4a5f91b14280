package dev.reprise.delivery.shard;

import dev.reprise.delivery.Payload;

/** Reads and writes a {@link Payload} in the store. */
public final class PayloadRecord {
  /** Payloads up to this size travel inside each delivery's record; larger ones are shared. */
  static final int MAX_INLINE_BYTES = 1024;

  private static final int VERSION = 1;

  private PayloadRecord() {}

  /** The stored form. */
  public static byte[] encode(Payload payload) {
    return new RecordCodec.Writer(48 + payload.attributes().length + payload.body().length)
        .u8(VERSION)
        .text(payload.contentType())
        .blob(payload.attributes())
        .blob(payload.body())
        .toBytes();
  }

  /** Reads the stored form. */
  public static Payload decode(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value).version(VERSION);
    return new Payload(in.text(), in.blob(), in.blob());
  }
}
