package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stores which attempts a turn starts, in the batch that is durable before they start, and removes
 * that once all of them have ended. What is found at a start was under way when the last process
 * ended: its receiver may have the message already, and the next attempt says so. A process that
 * was stopped and has waited for its attempts leaves nothing.
 *
 * <p>One record a turn. An attempt whose outcome is stored is told from one that was under way by
 * its number.
 */
final class UnderWay {
  private static final int VERSION = 1;

  private final Store store;
  private final Step step;

  /** The attempts of each turn that have not ended. */
  private final Map<Long, Integer> left = new HashMap<>();

  private final Map<Key, Long> turns = new HashMap<>();

  /** The number of the attempt that was under way when the last process ended. */
  private final Map<Key, Integer> killed = new HashMap<>();

  /** The records of the last process; they stay until those attempts are made again. */
  private final List<byte[]> before = new ArrayList<>();

  private long turn;

  private record Key(long subscription, MessageId message) {
    static Key of(Claim claim) {
      return new Key(claim.subscription(), claim.message());
    }
  }

  UnderWay(Store store, Step step) {
    this.store = store;
    this.step = step;
    try (Store.Cursor cursor = store.range(Keys.UNDER_WAY, Keys.after(Keys.UNDER_WAY))) {
      while (cursor.next()) {
        turn = Math.max(turn, Keys.underWayTurn(cursor.key()));
        before.add(cursor.key());
        try {
          read(cursor.value());
        } catch (RuntimeException unreadable) {
          // It only explains; what is under way is stored elsewhere.
        }
      }
    }
    forgetBefore();
  }

  private void read(byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value).version(VERSION);
    for (int count = in.count(); count > 0; count--) {
      long subscription = in.number();
      MessageId message = new MessageId(in.fixed(), in.fixed());
      int attempt = in.count();
      byte[] key = Keys.timed(Keys.PENDING, subscription, in.number(), message);
      byte[] stored = store.get(key);
      Pending pending = stored == null ? null : Pending.read(key, stored);
      if (pending != null && pending.attempts() + 1 == attempt) {
        killed.put(new Key(subscription, message), attempt);
      }
    }
  }

  private void forgetBefore() {
    if (killed.isEmpty() && !before.isEmpty()) {
      before.forEach(step.batch::delete);
      before.clear();
    }
  }

  /** The delivery as it is to be attempted, with what the end of the last process means for it. */
  Pending starting(long subscription, Pending pending) {
    if (killed.isEmpty()) {
      return pending;
    }
    Integer attempt = killed.remove(new Key(subscription, pending.message()));
    return attempt != null && attempt == pending.attempts() + 1
        ? pending.withUnclear(RepeatReason.KILLED)
        : pending;
  }

  /** An attempt has ended, or was not made. */
  void ended(Claim claim) {
    Long of = turns.remove(Key.of(claim));
    if (of != null && left.merge(of, -1, Integer::sum) == 0) {
      left.remove(of);
      step.batch.delete(Keys.underWay(of));
    }
  }

  /** The turn starts no more attempts. */
  void endTurn() {
    if (!step.claims.isEmpty()) {
      turn++;
      RecordCodec.Writer out = new RecordCodec.Writer(8 + 36 * step.claims.size());
      out.u8(VERSION).number(step.claims.size());
      for (Claim claim : step.claims) {
        MessageId message = claim.message();
        out.number(claim.subscription()).fixed(message.high()).fixed(message.low());
        out.number(claim.attempt()).number(claim.pending().dueMillis());
        turns.put(Key.of(claim), turn);
      }
      left.put(turn, step.claims.size());
      step.batch.put(Keys.underWay(turn), out.toBytes());
    }
    forgetBefore();
  }
}
