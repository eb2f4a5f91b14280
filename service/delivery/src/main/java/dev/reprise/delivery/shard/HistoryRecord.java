package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Reads and writes a {@link HistoryEvent} in the store. */
final class HistoryRecord {
  private static final int VERSION = 2;

  /** Had no {@link HistoryEvent#mayRepeat}; is still written for those that have none. */
  private static final int NO_REPEAT = 1;

  /**
   * The order in which things happened. The keys' order is another one: a delivery that expired
   * while it waited and was redriven has made no attempt between the two.
   */
  static final Comparator<HistoryEvent> ORDER =
      Comparator.comparingInt(HistoryEvent::attempt)
          .thenComparingLong(HistoryEvent::atMillis)
          .thenComparingInt(event -> rank(event.kind()));

  private HistoryRecord() {}

  /** The order of events of the same millisecond. */
  private static int rank(HistoryEvent.Kind kind) {
    return switch (kind) {
      case ATTEMPT -> 0;
      case REDRIVEN -> 1;
      case REQUESTED -> 2;
      case EXPIRED, UNREADABLE, DROPPED, CANCELLED -> 3;
      case PURGED, RETIRED, MOVED -> 4;
      case RECEIPT -> 5;
    };
  }

  static byte[] key(long subscription, MessageId message, HistoryEvent event) {
    return Keys.history(subscription, message, event.attempt(), Code.EVENT.of(event.kind()));
  }

  static byte[] encode(HistoryEvent event) {
    LoggedOutcome outcome = event.outcome();
    RecordCodec.Writer out =
        new RecordCodec.Writer(outcome == null ? 32 : 96 + outcome.response().length);
    RepeatReason mayRepeat = event.mayRepeat();
    out.u8(mayRepeat == null ? NO_REPEAT : VERSION);
    if (mayRepeat != null) {
      out.u8(Code.REPEAT.of(mayRepeat));
    }
    out.number(event.atMillis());
    if (outcome != null) {
      out.u8(outcome.succeeded() ? 1 : 0).number(outcome.status()).text(outcome.summary());
      out.text(outcome.address()).blob(outcome.response()).number(outcome.durationNanos());
    }
    DeliveryState after = event.after();
    StopReason stop = after.reason();
    out.u8(Code.STATUS.of(after.status())).number(after.atMillis());
    out.u8(stop == null ? 0 : Code.STOP_REASON.of(stop) + 1);
    DueReason due = event.due();
    if (due != null) {
      out.u8(Code.DUE.of(due.kind())).number(due.retry()).u8(Code.STAGE.of(due.stage()));
      out.number(due.backoffMillis()).number(due.hintMillis() + 1);
    }
    return out.toBytes();
  }

  static HistoryEvent decode(byte[] key, byte[] value) {
    HistoryEvent.Kind kind = Code.EVENT.at(Keys.historyKind(key));
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    RepeatReason mayRepeat =
        in.versionBetween(NO_REPEAT, VERSION) == NO_REPEAT ? null : Code.REPEAT.at(in.u8());
    long at = in.number();
    LoggedOutcome outcome =
        kind == HistoryEvent.Kind.ATTEMPT || kind == HistoryEvent.Kind.RECEIPT
            ? new LoggedOutcome(
                in.u8() == 1, in.count(), in.text(), in.text(), in.blob(), in.number())
            : null;
    DeliveryState.Status status = Code.STATUS.at(in.u8());
    long afterAt = in.number();
    int stop = in.u8();
    DeliveryState after =
        new DeliveryState(status, afterAt, stop == 0 ? null : Code.STOP_REASON.at(stop - 1));
    DueReason due =
        status == DeliveryState.Status.PENDING
            ? new DueReason(
                Code.DUE.at(in.u8()),
                in.count(),
                Code.STAGE.at(in.u8()),
                in.number(),
                in.number() - 1)
            : null;
    return new HistoryEvent(kind, at, Keys.historyAttempt(key), outcome, after, due, mayRepeat);
  }

  /** The same; null for a record that cannot be read, which only costs this one line of history. */
  static @Nullable HistoryEvent read(byte[] key, byte[] value) {
    try {
      return decode(key, value);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }
}
