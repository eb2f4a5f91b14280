package dev.reprise.delivery.shard;

import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.Suspension;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One subscription's ledger while its shard works on it, and what else of the subscription survives
 * a restart. Not safe for use by several threads.
 */
final class Counters {
  private static final int VERSION = 5;

  /** Had nothing behind {@link #attempts}. */
  private static final int LEDGER_ONLY = 1;

  /** Had nothing behind {@link #pace}. */
  private static final int WITHOUT_RECEIPTS = 2;

  /** Had nothing behind {@link #receiptsFailed}. */
  private static final int WITHOUT_SUSPENSION = 3;

  /** Had nothing behind {@link #suspension}; is still written where nothing is behind it. */
  private static final int WITHOUT_STREAK = 4;

  long accepted;
  long pending;
  long delivered;
  long deadLettered;
  long discarded;
  long expired;
  long moved;
  long attempts;

  /** Reports of carriers that a message, or a part of it, has reached its endpoint. */
  long receiptsDelivered;

  /** Reports that it has not. */
  long receiptsFailed;

  /** No pending delivery is due before this wall time: where a scan after a restart begins. */
  long lowDueMillis;

  /** Until when the endpoint asked for a pause, wall time; 0 if it did not. */
  long pausedUntilMillis;

  /** Bytes of keys and values in the subscription's history. */
  long historyBytes;

  /** Whether there may be history that an earlier program wrote and did not count. Not stored. */
  boolean historyUncounted;

  Pace pace = Pace.UNKNOWN;

  /** Bytes of keys and values of the subscription's dead letters. */
  long deadLetterBytes;

  /** Why nothing is attempted until it is released; null if that is not so. */
  @Nullable Suspension suspension;

  /** The last deliveries, if all of them were refused alike; null if they were not. */
  @Nullable Streak streak;

  /** Attempts that may have brought a message once more, in the order of {@link Code#REPEAT}. */
  final long[] repeats = new long[RepeatReason.values().length];

  /** Whether the endpoint fails; not of the sum of what was removed. */
  Standing standing = new Standing();

  /** Whether there may be dead letters whose bytes an earlier program did not count. Not stored. */
  boolean deadLettersUncounted;

  /** Whether the stored record could not be read, and is to be written anew. Not stored. */
  boolean recounted;

  Ledger toLedger() {
    return new Ledger(
        accepted, pending, delivered, deadLettered, discarded, expired, moved, attempts);
  }

  ReceiptCounts toReceiptCounts() {
    return new ReceiptCounts(receiptsDelivered, receiptsFailed);
  }

  RepeatCounts toRepeatCounts() {
    Map<RepeatReason, Long> counts = new EnumMap<>(RepeatReason.class);
    for (RepeatReason reason : RepeatReason.values()) {
      counts.put(reason, repeats[Code.REPEAT.of(reason)]);
    }
    return new RepeatCounts(counts);
  }

  SubscriptionFigures toFigures() {
    return new SubscriptionFigures(
        toLedger(), toReceiptCounts(), toRepeatCounts(), toHeld(), standing.toStanding());
  }

  /** Returns what is held; null if the subscription is not suspended. */
  @Nullable HeldDeliveries toHeld() {
    Suspension held = suspension;
    return held == null
        ? null
        : new HeldDeliveries(held, pending, pending == 0 ? -1 : held.dropsAtMillis(lowDueMillis));
  }

  byte[] encode() {
    // An older node of a cluster can go on with the ledgers in which nothing is new.
    boolean isWithoutStreak = streak == null && Arrays.stream(repeats).allMatch(n -> n == 0);
    RecordCodec.Writer out =
        new RecordCodec.Writer(128)
            .u8(isWithoutStreak ? WITHOUT_STREAK : VERSION)
            .number(lowDueMillis)
            .number(accepted)
            .number(pending)
            .number(delivered)
            .number(deadLettered)
            .number(discarded)
            .number(expired)
            .number(attempts)
            .number(pausedUntilMillis)
            .number(historyBytes)
            .u8(Code.PACE.of(pace))
            .number(receiptsDelivered)
            .number(receiptsFailed)
            .number(moved)
            .number(deadLetterBytes);
    Suspension held = suspension;
    out.u8(held == null ? 0 : 1);
    if (held != null) {
      out.u8(Code.SUSPENSION.of(held.cause()))
          .number(held.sinceMillis())
          .text(held.reason())
          .number(held.maxAgeMillis())
          .number(held.maxHeld());
    }
    if (!isWithoutStreak) {
      Streak refusals = streak;
      out.u8(refusals == null ? 0 : 1);
      if (refusals != null) {
        refusals.write(out);
      }
      out.u8(repeats.length);
      for (long count : repeats) {
        out.number(count);
      }
    }
    standing.write(out);
    return out.toBytes();
  }

  /** Reads a record; null for one that cannot be read. */
  static @Nullable Counters read(byte[] value) {
    try {
      return decode(value);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  static Counters decode(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    int version = in.versionBetween(LEDGER_ONLY, VERSION);
    Counters counters = new Counters();
    counters.lowDueMillis = in.number();
    counters.accepted = in.number();
    counters.pending = in.number();
    counters.delivered = in.number();
    counters.deadLettered = in.number();
    counters.discarded = in.number();
    counters.expired = in.number();
    counters.attempts = in.number();
    if (version > LEDGER_ONLY) {
      counters.pausedUntilMillis = in.number();
      counters.historyBytes = in.number();
      counters.pace = Code.PACE.at(in.u8());
    } else {
      counters.historyUncounted = counters.attempts > 0;
    }
    if (version > WITHOUT_RECEIPTS) {
      counters.receiptsDelivered = in.number();
      counters.receiptsFailed = in.number();
    }
    if (version > WITHOUT_SUSPENSION) {
      counters.moved = in.number();
      counters.deadLetterBytes = in.number();
      counters.suspension = in.u8() == 0 ? null : suspension(in);
    } else {
      counters.deadLettersUncounted = counters.deadLettered + counters.expired > 0;
    }
    if (version > WITHOUT_STREAK) {
      counters.streak = in.u8() == 0 ? null : Streak.read(in);
      int reasons = in.u8();
      for (int i = 0; i < reasons; i++) {
        counters.repeats[i] = in.number();
      }
    }
    counters.standing = Standing.read(in);
    return counters;
  }

  private static Suspension suspension(RecordCodec.Reader in) {
    return new Suspension(
        Code.SUSPENSION.at(in.u8()), in.number(), in.text(), in.number(), in.number());
  }

  void add(Counters other) {
    accepted += other.accepted;
    pending += other.pending;
    delivered += other.delivered;
    deadLettered += other.deadLettered;
    discarded += other.discarded;
    expired += other.expired;
    moved += other.moved;
    attempts += other.attempts;
    receiptsDelivered += other.receiptsDelivered;
    receiptsFailed += other.receiptsFailed;
    historyBytes += other.historyBytes;
    deadLetterBytes += other.deadLetterBytes;
    for (int i = 0; i < repeats.length; i++) {
      repeats[i] += other.repeats[i];
    }
  }
}
