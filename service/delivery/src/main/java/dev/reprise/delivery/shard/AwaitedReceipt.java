package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * A report on a delivered message that a carrier will send later, as stored under the id that the
 * carrier has given it.
 *
 * @param subscription the subscription's number
 * @param message the message
 * @param attempt the attempt that was given the id, from 1
 * @param part which part of the message the report is on, from 0
 * @param deliveredMillis when that attempt ended, wall time
 */
record AwaitedReceipt(
    long subscription, MessageId message, int attempt, int part, long deliveredMillis) {
  private static final int VERSION = 1;

  byte[] encode() {
    return new RecordCodec.Writer(48)
        .u8(VERSION)
        .number(subscription)
        .fixed(message.high())
        .fixed(message.low())
        .number(attempt)
        .number(part)
        .number(deliveredMillis)
        .toBytes();
  }

  /** Reads a record; null for one that cannot be read, which costs this one report. */
  static @Nullable AwaitedReceipt read(byte[] value) {
    try {
      return decode(value);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  static AwaitedReceipt decode(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value).version(VERSION);
    return new AwaitedReceipt(
        in.number(), new MessageId(in.fixed(), in.fixed()), in.count(), in.count(), in.number());
  }
}
