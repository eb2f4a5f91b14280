package dev.reprise.delivery.shard;

import dev.reprise.delivery.Payload;

/** Reads and writes a {@link Payload} in the store. */
public final class PayloadRecord {
  /** Payloads up to this size travel inside each delivery's record; larger ones are shared. */
  static final int MAX_INLINE_BYTES = 1024;

  /** Has one body. */
  private static final int ONE_BODY = 1;

  /** Has bodies for single protocols behind it. */
  private static final int BODIES = 2;

  private PayloadRecord() {}

  /** The stored form. */
  public static byte[] encode(Payload payload) {
    int length = payload.attributes().length + payload.body().length + payload.bodies().length;
    boolean several = payload.bodies().length > 0;
    RecordCodec.Writer out =
        new RecordCodec.Writer(48 + length)
            .u8(several ? BODIES : ONE_BODY)
            .text(payload.contentType())
            .blob(payload.attributes())
            .blob(payload.body());
    return (several ? out.blob(payload.bodies()) : out).toBytes();
  }

  /** Reads the stored form. */
  public static Payload decode(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    int version = in.versionBetween(ONE_BODY, BODIES);
    String contentType = in.text();
    byte[] attributes = in.blob();
    byte[] body = in.blob();
    return version == ONE_BODY
        ? new Payload(contentType, attributes, body)
        : new Payload(contentType, attributes, body, in.blob());
  }
}
