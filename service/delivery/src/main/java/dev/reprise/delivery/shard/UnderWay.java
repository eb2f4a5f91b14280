package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Stores which attempts a turn starts, in the batch that is durable before they start, and removes
 * that once all of them have ended. What is found at a start was under way when the last process
 * ended: its receiver may have the message already, and the next attempt says so. A process that
 * was stopped and has waited for its attempts leaves nothing.
 *
 * <p>One record a turn. An attempt whose outcome is stored is distinguished from one that was under
 * way by its number.
 */
final class UnderWay {
  private static final int VERSION = 1;

  private final Store store;
  private final Step step;

  /** The attempts that the record of each turn must still hold. */
  private final Map<Long, Map<Key, Begun>> left = new HashMap<>();

  /** In which turn's record an attempt stands. */
  private final Map<Key, Long> turns = new HashMap<>();

  /** Turns whose record tells of attempts that were not made. */
  private final Set<Long> untrue = new TreeSet<>();

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

  private record Begun(int attempt, long dueMillis) {}

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

  /**
   * An attempt has ended.
   *
   * @param made whether it was made; if it was not, what is known of the delivery stays as it was
   */
  void ended(Claim claim, boolean made) {
    Key key = Key.of(claim);
    if (!made && claim.pending().unclear() == RepeatReason.KILLED) {
      // Its place in the record goes to that of the next attempt.
      killed.put(key, claim.attempt());
      return;
    }
    Long of = turns.remove(key);
    if (of != null) {
      strike(of, key, made);
    }
  }

  /**
   * Takes an attempt out of a turn's record. One whose outcome is stored may stay in it, as its
   * number tells that it has ended.
   */
  private void strike(long of, Key key, boolean mayStay) {
    Map<Key, Begun> others = left.get(of);
    if (others == null) {
      return;
    }
    others.remove(key);
    if (others.isEmpty()) {
      left.remove(of);
      untrue.remove(of);
      step.batch.delete(Keys.underWay(of));
    } else if (!mayStay) {
      untrue.add(of);
    }
  }

  /** The turn starts no more attempts. */
  void endTurn() {
    if (!step.claims.isEmpty()) {
      turn++;
      Map<Key, Begun> begun = new LinkedHashMap<>();
      for (Claim claim : step.claims) {
        Key key = Key.of(claim);
        begun.put(key, new Begun(claim.attempt(), claim.pending().dueMillis()));
        Long before = turns.put(key, turn);
        if (before != null) {
          strike(before, key, /* mayStay= */ true);
        }
      }
      left.put(turn, begun);
      write(turn, begun);
    }
    for (long each : untrue) {
      write(each, left.getOrDefault(each, Map.of()));
    }
    untrue.clear();
    forgetBefore();
  }

  private void write(long of, Map<Key, Begun> attempts) {
    RecordCodec.Writer out = new RecordCodec.Writer(8 + 36 * attempts.size());
    out.u8(VERSION).number(attempts.size());
    attempts.forEach(
        (key, begun) -> {
          out.number(key.subscription()).fixed(key.message().high()).fixed(key.message().low());
          out.number(begun.attempt()).number(begun.dueMillis());
        });
    step.batch.put(Keys.underWay(of), out.toBytes());
  }
}
