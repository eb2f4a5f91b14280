package dev.reprise.delivery.shard;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.TraceContext;
import org.jspecify.annotations.Nullable;

/** Reads and writes a {@link Payload} in the store. */
public final class PayloadRecord {
  /** Payloads up to this size travel inside each delivery's record; larger ones are shared. */
  static final int MAX_INLINE_BYTES = 1024;

  /** Has one body. */
  private static final int ONE_BODY = 1;

  /** Has bodies for single protocols behind it. */
  private static final int BODIES = 2;

  /** Begins with the trace that it was published in, and has bodies for single protocols. */
  private static final int TRACED = 3;

  private PayloadRecord() {}

  /** The stored form. */
  public static byte[] encode(Payload payload) {
    int length = payload.attributes().length + payload.body().length + payload.bodies().length;
    TraceContext trace = payload.trace();
    boolean several = payload.bodies().length > 0;
    RecordCodec.Writer out = new RecordCodec.Writer((trace == null ? 48 : 128) + length);
    if (trace != null) {
      out.u8(TRACED).text(trace.header()).text(trace.state());
    } else {
      out.u8(several ? BODIES : ONE_BODY);
    }
    out.text(payload.contentType()).blob(payload.attributes()).blob(payload.body());
    return (several || trace != null ? out.blob(payload.bodies()) : out).toBytes();
  }

  /** Reads the stored form. */
  public static Payload decode(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    int version = in.versionBetween(ONE_BODY, TRACED);
    TraceContext trace = version == TRACED ? TraceContext.parse(in.text(), in.text()) : null;
    String contentType = in.text();
    byte[] attributes = in.blob();
    byte[] body = in.blob();
    return version == ONE_BODY
        ? new Payload(contentType, attributes, body)
        : new Payload(contentType, attributes, body, in.blob(), trace);
  }

  /** Reads of the stored form the trace alone; null if there is none. */
  public static @Nullable TraceContext trace(byte[] value) {
    if (value.length == 0 || value[0] != TRACED) {
      return null;
    }
    RecordCodec.Reader in = new RecordCodec.Reader(value).version(TRACED);
    return TraceContext.parse(in.text(), in.text());
  }
}
