package dev.reprise.delivery.shard;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.EndpointStanding.LastOutcome;
import dev.reprise.delivery.OutcomeClass;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The standing of a subscription's endpoint while its shard works on it. An attempt sets four
 * fields and allocates nothing. Not safe for use by several threads.
 *
 * <p>Stored at the very end of the ledger's record, whose version stays as it is: a program that
 * does not know of it reads the record without it, and forgets it where it writes the record.
 */
final class Standing {
  private static final int VERSION = 1;

  private long failingSinceMillis;
  private long lastSuccessMillis;
  private long lastMillis;

  /** Null if no attempt has ended. */
  private @Nullable OutcomeClass last;

  private String summary = "";

  /** An attempt that was made has ended. */
  void ended(AttemptOutcome outcome, long atMillis) {
    lastMillis = atMillis;
    last = OutcomeClass.of(outcome);
    summary = outcome.summary();
    if (outcome.succeeded()) {
      lastSuccessMillis = atMillis;
      failingSinceMillis = 0;
    } else if (failingSinceMillis == 0) {
      failingSinceMillis = Math.max(1, atMillis);
    }
  }

  /** The clock is reset, and all times are other ones. */
  void move(LongUnaryOperator moved) {
    boolean isFailing = failingSinceMillis > 0;
    failingSinceMillis = isFailing ? Math.max(1, moved.applyAsLong(failingSinceMillis)) : 0;
    lastSuccessMillis = moved.applyAsLong(lastSuccessMillis);
    lastMillis = moved.applyAsLong(lastMillis);
  }

  EndpointStanding toStanding() {
    OutcomeClass outcome = last;
    return outcome == null
        ? EndpointStanding.NONE
        : new EndpointStanding(
            failingSinceMillis, lastSuccessMillis, new LastOutcome(lastMillis, outcome, summary));
  }

  void write(RecordCodec.Writer out) {
    OutcomeClass outcome = last;
    if (outcome != null) {
      out.u8(VERSION)
          .number(failingSinceMillis)
          .number(lastSuccessMillis)
          .number(lastMillis)
          .u8(Code.OUTCOME.of(outcome))
          .text(new LastOutcome(lastMillis, outcome, summary).summary());
    }
  }

  /** Reads what is left of a ledger's record; nothing of what a newer program wrote there. */
  static Standing read(RecordCodec.Reader in) {
    Standing standing = new Standing();
    if (in.isAtEnd() || in.u8() != VERSION) {
      return standing;
    }
    long failingSince = in.number();
    long lastSuccess = in.number();
    long at = in.number();
    int outcome = in.u8();
    if (outcome < OutcomeClass.values().length) {
      standing.failingSinceMillis = failingSince;
      standing.lastSuccessMillis = lastSuccess;
      standing.lastMillis = at;
      standing.last = Code.OUTCOME.at(outcome);
      standing.summary = in.text();
    }
    return standing;
  }
}
