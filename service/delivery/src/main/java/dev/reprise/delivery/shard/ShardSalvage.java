package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.salvage.SalvageLosses;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes a whole shard of what could be read of a damaged one. A delivery or dead letter of which a
 * newer version or a deletion may be lost is judged by its history: what has ended stays so, and
 * what is not known to have ended is attempted again. Then the ledgers are made to agree with the
 * records: a delivery that is lost becomes a dead letter with the reason UNREADABLE where history
 * has its id, and is counted as discarded where nothing has.
 *
 * <p>Memory follows the number of subscriptions, never that of deliveries. Not safe for use by
 * several threads.
 */
public final class ShardSalvage {
  private static final int ENTRIES_PER_BATCH = 1000;
  private static final long BYTES_PER_BATCH = 4L << 20;
  private static final int NEEDS_IN_MEMORY = 50_000;

  /** Of the side store: how many deliveries need a shared payload, by message. */
  private static final byte NEED = 'n';

  /** Of the side store: the key of a delivery or dead letter that is there. */
  private static final byte KEPT = 'k';

  private static final String LOST = "salvage: its record was in a damaged part of the store";
  private static final String LOST_OR_ENDED =
      LOST + ", or it had ended, and the end of its history was";
  private static final byte[] NO_RECORD = {};

  private final Store store;
  private final Store uncertain;
  private final Set<Long> existing;
  private final Map<Long, String> held;
  private final Predicate<byte[]> isDamaged;
  private final long lostWrites;
  private final long nowMillis;
  private final Map<Long, Count> counts = new TreeMap<>();
  private final Map<MessageId, Integer> needs = new HashMap<>();
  private Batch batch = new Batch();

  /** Keys of deliveries in the batch, which the store does not show yet. */
  private final Set<ByteBuffer> putOnce = new HashSet<>();

  /** The records that are found of a subscription, and those missing by its ledger. */
  private static final class Count {
    long pending;
    long dead;
    long expired;
    long deadBytes;
    long historyBytes;
    long firstDue = Long.MAX_VALUE;

    /** Dead letters that may have been purged, for all that is known. */
    long unproven;

    /** Those that are kept, and whose purge may be in a damaged block of the history. */
    long mayBePurged;

    /** Pending deliveries whose payload is lost. */
    long withoutPayload;

    /** Expired deliveries whose payload is lost, and which are kept as unreadable ones. */
    long fromExpired;

    long missingPending;

    /** Others that may be missing: the ledger counts one that has ended in the place of each. */
    long hidden;

    long missingDead;
    long mayRepeat;

    /** Those of them whose end may be in a damaged block of the history. */
    long mayHaveEnded;

    long ended;
    long recovered;
    long unreadable;
    long lost;
  }

  private ShardSalvage(
      Store store,
      Store uncertain,
      Set<Long> existing,
      Map<Long, String> held,
      Predicate<byte[]> isDamaged,
      long lostWrites,
      long nowMillis) {
    this.store = store;
    this.uncertain = uncertain;
    this.existing = existing;
    this.held = held;
    this.isDamaged = isDamaged;
    this.lostWrites = lostWrites;
    this.nowMillis = nowMillis;
  }

  /** Returns whether a record is one of those that are judged if they are uncertain. */
  public static boolean isJudged(byte[] key) {
    return key[0] == Keys.PENDING || key[0] == Keys.DEAD_LETTER;
  }

  /**
   * Returns the subscription of a record from which one follows that is not removed yet; 0 for any
   * other record.
   */
  public static long subscriptionOf(byte[] key) {
    boolean tells = key.length >= 9 && (key[0] == Keys.LEDGER || isJudged(key));
    return tells ? Keys.subscription(key) : 0;
  }

  /** Returns the kind of the records whose keys begin with a letter, for people. */
  public static String kindOf(int letter) {
    return switch (letter) {
      case Keys.HISTORY -> "history";
      case Keys.SHARE_COUNT, Keys.PAYLOAD -> "shared payloads";
      case Keys.DEAD_LETTER -> "dead letters";
      case Keys.IDEMPOTENCY, Keys.ACCEPTED -> "idempotency keys";
      case Keys.LEDGER -> "ledgers";
      case Keys.PENDING -> "pending deliveries";
      case Keys.RECEIPT -> "receipts";
      case Keys.MINUTE -> "figures of minutes";
      default -> "the state";
    };
  }

  /** Returns whether the key is that of a subscription's ledger. */
  public static boolean isLedger(byte[] key) {
    return key.length == 9 && key[0] == Keys.LEDGER;
  }

  /**
   * Makes the shard whole.
   *
   * @param store has the records that are certain, and those that are not judged
   * @param uncertain has the others, and the ledgers of which a newer version may be lost; is left
   *     in disorder
   * @param existing the subscriptions that exist
   * @param held those to which nothing is to be sent until they are released, each with why
   * @param isDamaged whether a damaged block may have had a record whose key begins so
   * @param lostWrites how many writes are lost whose keys are not known
   * @param nowMillis wall time
   * @return the losses of each subscription that has any
   */
  public static Map<Long, SalvageLosses> run(
      Store store,
      Store uncertain,
      Set<Long> existing,
      Map<Long, String> held,
      Predicate<byte[]> isDamaged,
      long lostWrites,
      long nowMillis) {
    return new ShardSalvage(store, uncertain, existing, held, isDamaged, lostWrites, nowMillis)
        .run();
  }

  private Map<Long, SalvageLosses> run() {
    judge();
    write();
    dropDoubles();
    write();
    count();
    write();
    dropRemoved();
    write();
    Map<Long, Counters> ledgers = ledgers();
    takeUnproven();
    write();
    markKept();
    lookIntoHistory(ledgers);
    write();
    counts.forEach((number, count) -> settle(number, count, ledgers));
    write();
    countPayloads();
    write();
    Map<Long, SalvageLosses> losses = new TreeMap<>();
    counts.forEach(
        (number, count) -> {
          SalvageLosses all =
              new SalvageLosses(
                  count.mayRepeat,
                  count.ended,
                  count.recovered,
                  count.unreadable,
                  count.lost,
                  count.hidden,
                  count.mayBePurged);
          if (!all.equals(SalvageLosses.NONE)) {
            losses.put(number, all);
          }
        });
    return losses;
  }

  private Count of(long number) {
    return counts.computeIfAbsent(number, none -> new Count());
  }

  // --- what may have ended -----------------------------------------------------------------

  private void judge() {
    try (Store.Cursor cursor = uncertain.range(NO_RECORD, Keys.after(Keys.kind(Keys.PENDING)))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (!existing.contains(Keys.subscription(key))) {
          continue;
        }
        if (key[0] == Keys.PENDING) {
          judgePending(key, cursor.value());
        } else if (key[0] == Keys.DEAD_LETTER) {
          Boolean current = isCurrent(key);
          if (current == null) {
            of(Keys.subscription(key)).unproven += mayBeTaken(key, cursor.value()) ? 1 : 0;
          } else if (current) {
            long number = Keys.subscription(key);
            of(number).mayBePurged += isHistoryDamaged(number, Keys.message(key)) ? 1 : 0;
            put(key, cursor.value());
          }
        }
      }
    }
  }

  private void judgePending(byte[] key, byte[] value) {
    long number = Keys.subscription(key);
    Pending pending = Pending.read(key, value);
    HistoryEvent last = last(number, Keys.message(key));
    // A run that began later than the last known event is not in the history that is left.
    if (pending == null || last == null || pending.sinceMillis() > last.atMillis()) {
      repeat(number, key, value);
      return;
    }
    DeliveryState after = last.after();
    if (after.status() != Status.PENDING) {
      of(number).ended++;
      return;
    }
    if (after.atMillis() == pending.dueMillis() || last.attempt() < pending.attempts()) {
      repeat(number, key, value);
      return;
    }
    byte[] newer = Keys.timed(Keys.PENDING, number, after.atMillis(), pending.message());
    if (isAbsent(newer) && uncertain.get(newer) == null) {
      Pending made = next(last, pending.message(), pending.sinceMillis(), pending.payload());
      of(number).recovered++;
      putPending(newer, made.encode());
    }
  }

  /** Keeps a delivery that may have ended, at the latest of the times that are known of it. */
  private void repeat(long number, byte[] key, byte[] value) {
    byte[] mark = mark(number, Keys.message(key));
    byte[] before = uncertain.get(mark);
    if (before == null) {
      of(number).mayRepeat++;
      of(number).mayHaveEnded += isHistoryDamaged(number, Keys.message(key)) ? 1 : 0;
    } else {
      batch.deleteOnce(before);
      write();
    }
    Batch noted = new Batch();
    noted.put(mark, key);
    uncertain.write(noted);
    putPending(key, value);
  }

  private static byte[] mark(long number, MessageId message) {
    byte[] mark = Keys.historyOf(number, message);
    mark[0] = KEPT;
    return mark;
  }

  /** One that may have ended has, if the next attempt of the same delivery is there. */
  private void dropDoubles() {
    if (counts.values().stream().noneMatch(count -> count.mayRepeat > 0)) {
      return;
    }
    byte[] kind = Keys.kind(Keys.PENDING);
    try (Store.Cursor cursor = store.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        long number = Keys.subscription(key);
        byte[] kept = uncertain.get(mark(number, Keys.message(key)));
        if (kept != null && !Arrays.equals(kept, key)) {
          of(number).mayRepeat--;
          of(number).mayHaveEnded -= isHistoryDamaged(number, Keys.message(key)) ? 1 : 0;
          of(number).ended++;
          batch.deleteOnce(kept);
          writeIfLarge();
        }
      }
    }
  }

  /** The delivery as the last event has left it. */
  private static Pending next(
      HistoryEvent last, MessageId message, long sinceMillis, byte @Nullable [] payload) {
    DueReason due = Objects.requireNonNull(last.due());
    int retries = due.kind() == DueReason.Kind.RETRY ? due.retry() : 0;
    long at = last.after().atMillis();
    return new Pending(message, at, last.attempt(), retries, sinceMillis, due, payload)
        .withUnclear(last.mayRepeat());
  }

  /** Whether a dead letter is still one; null if its history is lost. */
  private @Nullable Boolean isCurrent(byte[] key) {
    HistoryEvent last = last(Keys.subscription(key), Keys.message(key));
    if (last == null || last.atMillis() < Keys.time(key)) {
      return null;
    }
    return isDead(last.after().status()) && last.after().atMillis() == Keys.time(key);
  }

  private static boolean isDead(Status status) {
    return status == Status.DEAD_LETTERED || status == Status.EXPIRED;
  }

  private @Nullable HistoryEvent last(long number, MessageId message) {
    byte[] prefix = Keys.historyOf(number, message);
    HistoryEvent last = null;
    try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        last = later(last, HistoryRecord.read(cursor.key(), cursor.value()));
      }
    }
    return last;
  }

  private static @Nullable HistoryEvent later(
      @Nullable HistoryEvent last, @Nullable HistoryEvent event) {
    if (event == null || event.kind() == HistoryEvent.Kind.RECEIPT) {
      return last;
    }
    return last == null || HistoryRecord.ORDER.compare(event, last) > 0 ? event : last;
  }

  // --- counting ----------------------------------------------------------------------------

  private void count() {
    for (byte kind : new byte[] {Keys.DEAD_LETTER, Keys.PENDING}) {
      try (Store.Cursor cursor = store.range(Keys.kind(kind), Keys.after(Keys.kind(kind)))) {
        while (cursor.next()) {
          byte[] key = cursor.key();
          if (kind == Keys.PENDING) {
            countPending(key, cursor.value());
          } else {
            countDead(key, cursor.value());
          }
        }
      }
    }
  }

  private void countPending(byte[] key, byte[] value) {
    Count count = of(Keys.subscription(key));
    Pending pending = Pending.read(key, value);
    if (pending != null && pending.payload() == null && !hasPayload(pending.message())) {
      batch.deleteOnce(key);
      count.withoutPayload++;
      count.dead++;
      giveUp(count, Keys.subscription(key), pending.message(), pending.attempts(), LOST, value);
      return;
    }
    count.pending++;
    count.firstDue = Math.min(count.firstDue, Keys.time(key));
  }

  private void countDead(byte[] key, byte[] value) {
    Count count = of(Keys.subscription(key));
    Dead dead = Dead.read(key, value);
    byte[] stored = value;
    if (dead.payload() == null
        && dead.reason() != StopReason.UNREADABLE
        && !hasPayload(dead.message())) {
      // The letter is there, and there is nothing in it that could be sent again.
      count.fromExpired += dead.reason() == StopReason.DEADLINE ? 1 : 0;
      dead =
          new Dead(
              dead.message(),
              dead.diedAtMillis(),
              dead.attempts(),
              StopReason.UNREADABLE,
              dead.summary() + "; the payload is lost: " + LOST,
              NO_RECORD);
      stored = dead.encode();
      put(key, stored);
      count.unreadable++;
    }
    if (dead.reason() == StopReason.DEADLINE) {
      count.expired++;
    } else {
      count.dead++;
    }
    count.deadBytes += key.length + stored.length;
  }

  private boolean hasPayload(MessageId message) {
    return store.get(Keys.ofMessage(Keys.PAYLOAD, message)) != null;
  }

  /**
   * The deletion of a ledger may be lost. That of a removed subscription was deleted as it was
   * added to the sum of all removed ones, after everything else of the subscription; it must not be
   * added once more.
   */
  private void dropRemoved() {
    byte[] kind = Keys.kind(Keys.LEDGER);
    try (Store.Cursor cursor = uncertain.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        long number = Keys.subscription(cursor.key());
        Count count = counts.get(number);
        boolean isEmpty = count == null || count.pending + count.dead + count.expired == 0;
        if (isEmpty && !existing.contains(number)) {
          batch.delete(cursor.key());
          writeIfLarge();
        }
      }
    }
  }

  private Map<Long, Counters> ledgers() {
    Map<Long, Counters> ledgers = new HashMap<>();
    byte[] kind = Keys.kind(Keys.LEDGER);
    try (Store.Cursor cursor = store.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        Counters counters = Counters.read(cursor.value());
        long number = Keys.subscription(cursor.key());
        of(number);
        if (counters != null) {
          ledgers.put(number, counters);
        }
      }
    }
    counts.forEach(
        (number, count) -> {
          Counters counters = ledgers.get(number);
          if (counters != null) {
            counters.pending -= Math.min(counters.pending, count.withoutPayload);
            counters.deadLettered += count.withoutPayload + count.fromExpired;
            counters.expired -= Math.min(counters.expired, count.fromExpired);
            count.missingPending = counters.pending - count.pending;
            long ended = Math.min(count.mayRepeat, count.mayHaveEnded + lostWrites);
            count.hidden = Math.max(0, ended + Math.min(0, count.missingPending));
            // By an old ledger those are missing that were purged since.
            boolean isOld = uncertain.get(Keys.ofSubscription(Keys.LEDGER, number)) != null;
            count.missingDead = isOld ? 0 : counters.deadLettered - count.dead;
          }
        });
    held.keySet().forEach(this::of);
    return ledgers;
  }

  /** Letters that may have been purged are kept only if the ledger still counts all of them. */
  private void takeUnproven() {
    byte[] kind = Keys.kind(Keys.DEAD_LETTER);
    try (Store.Cursor cursor = uncertain.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        Count count = counts.get(Keys.subscription(key));
        if (count == null
            || count.unproven == 0
            || count.unproven > count.missingDead
            || isCurrent(key) != null
            || !mayBeTaken(key, cursor.value())) {
          continue;
        }
        put(key, cursor.value());
        count.dead++;
        count.deadBytes += key.length + cursor.value().length;
      }
    }
    counts.values().forEach(count -> count.missingDead = Math.max(0, count.missingDead));
    counts.forEach(
        (number, count) -> {
          if (count.unproven > 0 && count.unproven <= count.missingDead) {
            count.missingDead -= count.unproven;
          }
        });
  }

  /** The ledger does not tell how many of those that expired are kept. */
  private boolean mayBeTaken(byte[] key, byte[] value) {
    Dead dead = Dead.read(key, value);
    return dead.reason() != StopReason.DEADLINE
        && (dead.payload() != null || hasPayload(dead.message()));
  }

  // --- what is lost ------------------------------------------------------------------------

  /**
   * Notes what is there of subscriptions that miss something: the last event that can be read of a
   * delivery may be older than its record, and does not tell its key.
   */
  private void markKept() {
    Batch marks = new Batch();
    for (Map.Entry<Long, Count> each : counts.entrySet()) {
      Count count = each.getValue();
      if (count.missingPending <= 0 && count.missingDead <= 0 && count.hidden <= 0) {
        continue;
      }
      long number = each.getKey();
      for (byte kind : new byte[] {Keys.DEAD_LETTER, Keys.PENDING}) {
        byte[] prefix = Keys.ofSubscription(kind, number);
        try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
          while (cursor.next()) {
            marks.put(mark(number, Keys.message(cursor.key())), cursor.key());
            if (marks.size() >= ENTRIES_PER_BATCH) {
              uncertain.write(marks);
              marks = new Batch();
            }
          }
        }
      }
    }
    uncertain.write(marks);
  }

  /** Counts the history, and finds in it the ids of what is missing. */
  private void lookIntoHistory(Map<Long, Counters> ledgers) {
    byte[] kind = Keys.kind(Keys.HISTORY);
    long number = 0;
    MessageId message = null;
    HistoryEvent last = null;
    try (Store.Cursor cursor = store.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        byte[] value = cursor.value();
        if (Keys.subscription(key) != number || !Keys.historyMessage(key).equals(message)) {
          lookAt(number, message, last, ledgers);
          number = Keys.subscription(key);
          message = Keys.historyMessage(key);
          last = null;
        }
        last = later(last, HistoryRecord.read(key, value));
        of(number).historyBytes += key.length + value.length;
      }
    }
    lookAt(number, message, last, ledgers);
  }

  private void lookAt(
      long number,
      @Nullable MessageId message,
      @Nullable HistoryEvent last,
      Map<Long, Counters> ledgers) {
    Count count = counts.get(number);
    Counters counters = ledgers.get(number);
    if (count == null || counters == null || message == null || last == null) {
      return;
    }
    DeliveryState after = last.after();
    if (after.status() == Status.PENDING && count.missingPending + count.hidden > 0) {
      if (isKept(number, message)) {
        return;
      }
      boolean isHidden = count.missingPending <= 0;
      if (isHidden) {
        count.hidden--;
      } else {
        count.missingPending--;
      }
      if (hasPayload(message)) {
        Pending made = next(last, message, message.publishedAtMillis(), null);
        putPending(made.key(number), made.encode());
        count.pending++;
        count.firstDue = Math.min(count.firstDue, made.dueMillis());
        count.recovered++;
      } else {
        counters.pending -= isHidden ? 0 : 1;
        counters.deadLettered++;
        boolean mayHaveEnded = isHidden && (lostWrites > 0 || isHistoryDamaged(number, message));
        String why = mayHaveEnded ? LOST_OR_ENDED : LOST;
        giveUp(count, number, message, last.attempt(), why, NO_RECORD);
        count.dead++;
      }
    } else if (after.status() == Status.DEAD_LETTERED && count.missingDead > 0) {
      if (isKept(number, message)) {
        return;
      }
      count.missingDead--;
      Dead dead =
          new Dead(
              message, after.atMillis(), last.attempt(), StopReason.UNREADABLE, LOST, NO_RECORD);
      keep(count, number, dead);
      count.dead++;
    }
  }

  private boolean isHistoryDamaged(long number, MessageId message) {
    return isDamaged.test(Keys.historyOf(number, message));
  }

  private boolean isKept(long number, MessageId message) {
    return uncertain.get(mark(number, message)) != null;
  }

  /** A delivery that is lost but for its id becomes a dead letter, which {@link #count} counts. */
  private void giveUp(
      Count count, long number, MessageId message, int attempts, String why, byte[] record) {
    keep(count, number, new Dead(message, nowMillis, attempts, StopReason.UNREADABLE, why, record));
    HistoryEvent event =
        new HistoryEvent(
            HistoryEvent.Kind.UNREADABLE,
            nowMillis,
            attempts,
            null,
            new DeliveryState(Status.DEAD_LETTERED, nowMillis, StopReason.UNREADABLE),
            null);
    byte[] key = HistoryRecord.key(number, message, event);
    put(key, HistoryRecord.encode(event));
  }

  private void keep(Count count, long number, Dead dead) {
    byte[] key = dead.key(number);
    byte[] value = dead.encode();
    put(key, value);
    count.deadBytes += key.length + value.length;
    count.unreadable++;
  }

  /** Makes a ledger agree with the records that are there. */
  private void settle(long number, Count count, Map<Long, Counters> ledgers) {
    Counters counters = ledgers.get(number);
    if (counters == null) {
      // As Quarantine has it: a ledger that is lost begins anew with what is there.
      counters = new Counters();
      counters.accepted = count.pending + count.dead + count.expired;
      counters.pending = count.pending;
      counters.deadLettered = count.dead;
      counters.expired = count.expired;
    }
    long lost =
        Math.max(0, counters.pending - count.pending)
            + Math.max(0, counters.deadLettered - count.dead);
    count.lost += lost;
    counters.discarded += lost;
    counters.pending = count.pending;
    counters.deadLettered = count.dead;
    if (counters.expired < count.expired) {
      counters.expired = count.expired;
    }
    balance(counters);
    counters.lowDueMillis = count.pending == 0 ? counters.lowDueMillis : count.firstDue;
    counters.deadLetterBytes = count.deadBytes;
    counters.historyBytes = count.historyBytes;
    String reason = held.get(number);
    if (reason != null) {
      Suspension before = counters.suspension;
      counters.suspension =
          before == null
              ? Suspension.of(Suspension.Cause.OPERATOR, nowMillis, reason)
              : before.withReason(reason + "; " + before.reason());
    }
    batch.put(Keys.ofSubscription(Keys.LEDGER, number), counters.encode());
    writeIfLarge();
  }

  /** A delivery that is pending again was counted as delivered, or accepted and not counted yet. */
  private static void balance(Counters counters) {
    long more = -counters.toLedger().unexplained();
    if (more > 0) {
      long taken = Math.min(more, counters.delivered);
      counters.delivered -= taken;
      counters.accepted += more - taken;
    } else {
      counters.discarded -= more;
    }
  }

  // --- shared payloads ---------------------------------------------------------------------

  private void countPayloads() {
    for (byte kind : new byte[] {Keys.DEAD_LETTER, Keys.PENDING}) {
      try (Store.Cursor cursor = store.range(Keys.kind(kind), Keys.after(Keys.kind(kind)))) {
        while (cursor.next()) {
          byte[] key = cursor.key();
          if (needsPayload(kind, key, cursor.value())) {
            needs.merge(Keys.message(key), 1, Integer::sum);
            if (needs.size() >= NEEDS_IN_MEMORY) {
              storeNeeds();
            }
          }
        }
      }
    }
    storeNeeds();
    byte[] payloads = Keys.kind(Keys.PAYLOAD);
    try (Store.Cursor cursor = store.range(payloads, Keys.after(payloads))) {
      while (cursor.next()) {
        MessageId message = Keys.messageOnly(cursor.key());
        int needed = needed(message);
        if (needed == 0) {
          batch.delete(cursor.key());
        } else {
          batch.put(
              Keys.ofMessage(Keys.SHARE_COUNT, message),
              new RecordCodec.Writer(5).number(needed).toBytes());
        }
        writeIfLarge();
      }
    }
    byte[] shares = Keys.kind(Keys.SHARE_COUNT);
    try (Store.Cursor cursor = store.range(shares, Keys.after(shares))) {
      while (cursor.next()) {
        if (needed(Keys.messageOnly(cursor.key())) == 0) {
          batch.delete(cursor.key());
          writeIfLarge();
        }
      }
    }
  }

  private static boolean needsPayload(byte kind, byte[] key, byte[] value) {
    if (kind == Keys.PENDING) {
      Pending pending = Pending.read(key, value);
      return pending != null && pending.payload() == null;
    }
    return Dead.read(key, value).payload() == null;
  }

  private void storeNeeds() {
    Batch stored = new Batch();
    needs.forEach(
        (message, count) ->
            stored.put(
                Keys.ofMessage(NEED, message),
                new RecordCodec.Writer(5).number(needed(message) + count).toBytes()));
    uncertain.write(stored);
    needs.clear();
  }

  private int needed(MessageId message) {
    byte[] stored = uncertain.get(Keys.ofMessage(NEED, message));
    return stored == null ? 0 : new RecordCodec.Reader(stored).count();
  }

  // --- writing -----------------------------------------------------------------------------

  private void put(byte[] key, byte[] value) {
    batch.put(key, value);
    writeIfLarge();
  }

  /** At most once a key, so that the one deletion of the shard removes it. */
  private void putPending(byte[] key, byte[] value) {
    if (putOnce.add(ByteBuffer.wrap(key))) {
      batch.putOnce(key, value);
      writeIfLarge();
    }
  }

  private boolean isAbsent(byte[] key) {
    return store.get(key) == null && !putOnce.contains(ByteBuffer.wrap(key));
  }

  private void writeIfLarge() {
    if (batch.size() >= ENTRIES_PER_BATCH || batch.bytes() >= BYTES_PER_BATCH) {
      write();
    }
  }

  private void write() {
    store.write(batch);
    batch = new Batch();
    putOnce.clear();
  }
}
