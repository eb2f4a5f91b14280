package dev.reprise.delivery.shard;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.figures.LatencyHistogram;
import org.jspecify.annotations.Nullable;

/** Reads and writes the figures of one subscription and minute. */
public final class MinuteRecord {
  private static final int VERSION = 1;

  private MinuteRecord() {}

  static byte[] key(long subscription, long minuteMillis) {
    return Keys.timed(Keys.MINUTE, subscription, minuteMillis);
  }

  /** Writes figures. */
  public static byte[] encode(EndpointFigures figures) {
    LatencyHistogram latency = figures.latency();
    int[] counts = latency.counts();
    RecordCodec.Writer out =
        new RecordCodec.Writer(48 + counts.length)
            .u8(VERSION)
            .number(figures.delivered())
            .number(figures.retried())
            .number(figures.givenUp())
            .number(figures.minLimit())
            .number(figures.limit())
            .number(figures.pausedMillis())
            .number(figures.pending())
            .number(Math.max(0, figures.oldestDueMillis()))
            .number(latency.sumMicros())
            .number(latency.maxMicros())
            .number(latency.first())
            .number(counts.length);
    for (int count : counts) {
      out.number(count);
    }
    for (OutcomeClass outcome : OutcomeClass.values()) {
      int count = figures.outcomes(outcome);
      if (count > 0) {
        out.u8(Code.OUTCOME.of(outcome) + 1).number(count);
      }
    }
    return out.u8(0).toBytes();
  }

  /** Reads a record; null for one that cannot be read, which is as if it were not there. */
  static @Nullable EndpointFigures read(byte[] key, byte[] value) {
    try {
      return decode(Keys.time(key), value);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  /** Passes on the attempts of a record; nothing of one that cannot be read. */
  static void readAttempts(byte[] key, byte[] value, DeliveryReader.MinuteAttempts out) {
    long delivered;
    long retried;
    long givenUp;
    try {
      RecordCodec.Reader in = new RecordCodec.Reader(value).version(VERSION);
      delivered = in.number();
      retried = in.number();
      givenUp = in.number();
    } catch (RuntimeException unreadable) {
      return;
    }
    out.minute(Keys.time(key), delivered, retried, givenUp);
  }

  /**
   * Reads figures.
   *
   * @param minuteMillis when the minute began, wall time
   * @throws RuntimeException if they are not as {@link #encode} writes them
   */
  public static EndpointFigures decode(long minuteMillis, byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value).version(VERSION);
    EndpointFigures figures = new EndpointFigures(minuteMillis);
    figures.count(in.number(), in.number(), in.number());
    figures.limit(in.count());
    figures.limit(in.count());
    figures.paused(in.number());
    figures.waiting(in.number(), in.number());
    long sum = in.number();
    long max = in.number();
    int first = in.count();
    int[] counts = new int[Math.min(in.count(), value.length)];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = in.count();
    }
    figures.count(new LatencyHistogram(first, counts, sum, max));
    for (int code = in.u8(); code > 0; code = in.u8()) {
      figures.count(Code.OUTCOME.at(code - 1), in.count());
    }
    return figures;
  }
}
