package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryReader.Audit;
import dev.reprise.delivery.DeliveryReader.Ledgers;
import dev.reprise.delivery.DeliveryReader.Page;
import dev.reprise.delivery.DeliveryReader.Recount;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.ShardTotals;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about a shard from its store, beside the shard and without disturbing it. Safe
 * for use by many threads.
 */
public final class ShardReader implements DeliveryReader {
  private final Store store;

  /** A reader of {@code store}, which a {@link Shard} may be working on. */
  public ShardReader(Store store) {
    this.store = store;
  }

  @Override
  public @Nullable StoredDelivery find(long subscription, MessageId message) {
    // A shard may move the delivery between the look at its history and the look at its record.
    StoredDelivery found = findOnce(subscription, message);
    return found != null ? found : findOnce(subscription, message);
  }

  private @Nullable StoredDelivery findOnce(long subscription, MessageId message) {
    List<HistoryEvent> history = history(subscription, message);
    if (history.isEmpty()) {
      return pending(subscription, message, message.publishedAtMillis(), history);
    }
    HistoryEvent last = history.get(history.size() - 1);
    StoredDelivery found = whole(subscription, message, last, history);
    for (int i = history.size() - 2; i >= 0 && found == null; i--) {
      // Times within a second of a clock that was set back do not tell what came last.
      DeliveryState earlier = history.get(i).after();
      byte[] dead = Keys.timed(Keys.DEAD_LETTER, subscription, earlier.atMillis(), message);
      if (earlier.status() == Status.PENDING || store.get(dead) != null) {
        found = whole(subscription, message, history.get(i), history);
      }
    }
    return found;
  }

  /** The delivery as this event has left it; null if that is no longer how it stands. */
  private @Nullable StoredDelivery whole(
      long subscription, MessageId message, HistoryEvent last, List<HistoryEvent> history) {
    DeliveryState state = last.after();
    return switch (state.status()) {
      case PENDING -> pending(subscription, message, state.atMillis(), history);
      case DEAD_LETTERED, EXPIRED -> {
        byte[] key = Keys.timed(Keys.DEAD_LETTER, subscription, state.atMillis(), message);
        byte[] value = store.get(key);
        Payload payload = value == null ? null : payload(Dead.read(key, value));
        yield ended(subscription, message, last, payload, history);
      }
      case DELIVERED, DISCARDED, MOVED -> ended(subscription, message, last, null, history);
    };
  }

  private List<HistoryEvent> history(long subscription, MessageId message) {
    List<HistoryEvent> events = new ArrayList<>();
    byte[] prefix = Keys.historyOf(subscription, message);
    try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        HistoryEvent event = HistoryRecord.read(cursor.key(), cursor.value());
        if (event != null) {
          events.add(event);
        }
      }
    }
    events.sort(HistoryRecord.ORDER);
    return events;
  }

  private @Nullable StoredDelivery pending(
      long subscription, MessageId message, long dueMillis, List<HistoryEvent> history) {
    byte[] key = Keys.timed(Keys.PENDING, subscription, dueMillis, message);
    byte[] value = store.get(key);
    if (value == null) {
      return null;
    }
    Pending pending = Pending.read(key, value);
    return new StoredDelivery(
        subscription,
        message,
        new DeliveryState(Status.PENDING, dueMillis, null),
        pending == null ? lastAttempt(history) : pending.attempts(),
        pending == null ? null : pending.reason(),
        pending == null ? null : payload(message, pending.payload()),
        history,
        lastSummary(history));
  }

  private static StoredDelivery ended(
      long subscription,
      MessageId message,
      HistoryEvent last,
      @Nullable Payload payload,
      List<HistoryEvent> history) {
    return new StoredDelivery(
        subscription,
        message,
        last.after(),
        last.attempt(),
        null,
        payload,
        history,
        lastSummary(history));
  }

  private static int lastAttempt(List<HistoryEvent> history) {
    return history.isEmpty() ? 0 : history.get(history.size() - 1).attempt();
  }

  private static String lastSummary(List<HistoryEvent> history) {
    for (int i = history.size() - 1; i >= 0; i--) {
      LoggedOutcome outcome = history.get(i).outcome();
      if (outcome != null) {
        return outcome.summary();
      }
    }
    return "";
  }

  private String lastSummary(long subscription, MessageId message) {
    byte[] prefix = Keys.historyOf(subscription, message);
    try (Store.Cursor cursor = store.reverseRange(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        HistoryEvent event = HistoryRecord.read(cursor.key(), cursor.value());
        if (event != null && event.outcome() != null) {
          return event.outcome().summary();
        }
      }
    }
    return "";
  }

  private @Nullable Payload payload(MessageId message, byte @Nullable [] inline) {
    byte[] stored = inline != null ? inline : store.get(Keys.ofMessage(Keys.PAYLOAD, message));
    try {
      return stored == null ? null : PayloadRecord.decode(stored);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  private @Nullable Payload payload(Dead dead) {
    return dead.reason() == StopReason.UNREADABLE ? null : payload(dead.message(), dead.payload());
  }

  @Override
  public Page<Position> pending(long subscription, @Nullable Position from, int limit) {
    List<StoredDelivery> items = new ArrayList<>();
    try (Store.Cursor cursor = pendingRange(subscription, from)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (items.size() == limit) {
          return new Page<>(items, position(key), items.size());
        }
        Pending pending = Pending.read(key, cursor.value());
        MessageId message = Keys.message(key);
        int attempts = pending == null ? 0 : pending.attempts();
        items.add(
            new StoredDelivery(
                subscription,
                message,
                new DeliveryState(Status.PENDING, Keys.time(key), null),
                attempts,
                pending == null ? null : pending.reason(),
                null,
                List.of(),
                attempts == 0 ? "" : lastSummary(subscription, message)));
      }
    }
    return new Page<>(items, null, items.size());
  }

  @Override
  public int pendingSince(long subscription, int most, LongConsumer publishedAtMillis) {
    int seen = 0;
    try (Store.Cursor cursor = pendingRange(subscription, null)) {
      while (seen < most && cursor.next()) {
        publishedAtMillis.accept(Keys.message(cursor.key()).publishedAtMillis());
        seen++;
      }
    }
    return seen;
  }

  @Override
  public Page<Position> deadLetters(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int limit, int maxSeen) {
    List<StoredDelivery> items = new ArrayList<>();
    int seen = 0;
    try (Store.Cursor cursor = deadLetterRange(subscription, filter, from)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (items.size() == limit || seen == maxSeen) {
          return new Page<>(items, position(key), seen);
        }
        seen++;
        Dead dead = Dead.read(key, cursor.value());
        if (dead.isChosenBy(filter, filter.attributes() == null ? null : payloadOf(dead))) {
          items.add(dead(subscription, dead));
        }
      }
    }
    return new Page<>(items, null, seen);
  }

  @Override
  public Letters letters(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int limit) {
    List<Letter> items = new ArrayList<>();
    int seen = 0;
    try (Store.Cursor cursor = deadLetterRange(subscription, filter, from)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (seen == limit) {
          return new Letters(items, position(key), seen);
        }
        seen++;
        Dead dead = Dead.read(key, cursor.value());
        byte[] payload = payloadOf(dead);
        if (payload != null && dead.isChosenBy(filter, payload)) {
          items.add(new Letter(position(key), payload));
        }
      }
    }
    return new Letters(items, null, seen);
  }

  private Store.Cursor deadLetterRange(
      long subscription, DeadLetterFilter filter, @Nullable Position from) {
    byte[] first =
        from == null
            ? Keys.timed(Keys.DEAD_LETTER, subscription, filter.diedFromMillis())
            : start(Keys.DEAD_LETTER, subscription, from);
    byte[] end =
        filter.diedToMillis() == Long.MAX_VALUE
            ? Keys.after(Keys.ofSubscription(Keys.DEAD_LETTER, subscription))
            : Keys.timed(Keys.DEAD_LETTER, subscription, filter.diedToMillis());
    return store.range(first, end);
  }

  @Override
  public DeadLetterSummary summary(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int maxSeen) {
    Map<StopReason, ReasonCount> reasons = new EnumMap<>(StopReason.class);
    int seen = 0;
    try (Store.Cursor cursor = deadLetterRange(subscription, filter, from)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (seen == maxSeen) {
          return new DeadLetterSummary(reasons, position(key), seen);
        }
        seen++;
        Dead dead = Dead.read(key, cursor.value());
        if (dead.isChosenBy(filter, filter.attributes() == null ? null : payloadOf(dead))) {
          ReasonCount one = new ReasonCount(1, dead.diedAtMillis(), dead.diedAtMillis());
          reasons.merge(dead.reason(), one, ReasonCount::plus);
        }
      }
    }
    return new DeadLetterSummary(reasons, null, seen);
  }

  /** The payload as stored; null where there is none that can be read. */
  private byte @Nullable [] payloadOf(Dead dead) {
    if (dead.reason() == StopReason.UNREADABLE) {
      return null;
    }
    byte[] inline = dead.payload();
    return inline != null ? inline : store.get(Keys.ofMessage(Keys.PAYLOAD, dead.message()));
  }

  @Override
  public PendingCount countPending(
      long subscription, long nowMillis, @Nullable Position from, int maxSeen) {
    int due = 0;
    int seen = 0;
    try (Store.Cursor cursor = pendingRange(subscription, from)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (seen == maxSeen) {
          return new PendingCount(due, seen - due, seen, position(key));
        }
        seen++;
        due += Keys.time(key) <= nowMillis ? 1 : 0;
      }
    }
    return new PendingCount(due, seen - due, seen, null);
  }

  /**
   * The pending deliveries from {@code from} on. Begins where the shard's own scan would: a store
   * keeps what was deleted until it compacts, and a million ended deliveries in front of the first
   * pending one take seconds to pass.
   */
  private Store.Cursor pendingRange(long subscription, @Nullable Position from) {
    byte[] start = start(Keys.PENDING, subscription, from);
    byte[] end = Keys.after(Keys.ofSubscription(Keys.PENDING, subscription));
    while (true) {
      long lowMillis = lowDueMillis(subscription);
      byte[] low = Keys.timed(Keys.PENDING, subscription, lowMillis);
      Store.Cursor cursor = store.range(Arrays.compareUnsigned(start, low) < 0 ? low : start, end);
      boolean holds = false;
      try {
        // In between the shard may have made something due before that.
        holds = lowDueMillis(subscription) >= lowMillis;
      } finally {
        if (!holds) {
          cursor.close();
        }
      }
      if (holds) {
        return cursor;
      }
    }
  }

  /** Wall time before which nothing pending is due; 0 where the ledger does not tell. */
  private long lowDueMillis(long subscription) {
    byte[] value = store.get(Keys.ofSubscription(Keys.LEDGER, subscription));
    Counters counters = value == null ? null : Counters.read(value);
    return counters == null ? 0 : counters.lowDueMillis;
  }

  private static StoredDelivery dead(long subscription, Dead dead) {
    Status status = dead.reason() == StopReason.DEADLINE ? Status.EXPIRED : Status.DEAD_LETTERED;
    return new StoredDelivery(
        subscription,
        dead.message(),
        new DeliveryState(status, dead.diedAtMillis(), dead.reason()),
        dead.attempts(),
        null,
        null,
        List.of(),
        dead.summary());
  }

  @Override
  public Page<MessageId> attempted(
      long subscription,
      @Nullable Status status,
      @Nullable MessageId before,
      int limit,
      int maxSeen) {
    List<StoredDelivery> items = new ArrayList<>();
    byte[] end =
        before == null
            ? Keys.after(Keys.ofSubscription(Keys.HISTORY, subscription))
            : Keys.historyOf(subscription, before);
    int seen = 0;
    MessageId current = null;
    HistoryEvent last = null;
    try (Store.Cursor cursor =
        store.reverseRange(Keys.ofSubscription(Keys.HISTORY, subscription), end)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        MessageId message = Keys.historyMessage(key);
        if (message.equals(current)) {
          last = later(last, key, cursor);
          continue;
        }
        addIfWanted(items, subscription, status, current, last);
        if (current != null && (items.size() == limit || seen == maxSeen)) {
          return new Page<>(items, current, seen);
        }
        seen++;
        current = message;
        last = HistoryRecord.read(key, cursor.value());
      }
    }
    addIfWanted(items, subscription, status, current, last);
    return new Page<>(items, null, seen);
  }

  /** The later one of two events of a delivery; those of earlier attempts are not even read. */
  private static @Nullable HistoryEvent later(
      @Nullable HistoryEvent last, byte[] key, Store.Cursor cursor) {
    if (last != null && Keys.historyAttempt(key) < last.attempt()) {
      return last;
    }
    HistoryEvent event = HistoryRecord.read(key, cursor.value());
    if (last == null || event == null) {
      return event == null ? last : event;
    }
    return HistoryRecord.ORDER.compare(event, last) > 0 ? event : last;
  }

  private static void addIfWanted(
      List<StoredDelivery> items,
      long subscription,
      @Nullable Status status,
      @Nullable MessageId message,
      @Nullable HistoryEvent last) {
    if (message != null && last != null && (status == null || status == last.after().status())) {
      items.add(listed(subscription, message, last));
    }
  }

  private static StoredDelivery listed(long subscription, MessageId message, HistoryEvent last) {
    LoggedOutcome outcome = last.outcome();
    return new StoredDelivery(
        subscription,
        message,
        last.after(),
        last.attempt(),
        last.due(),
        null,
        List.of(),
        outcome == null ? "" : outcome.summary());
  }

  @Override
  public Map<Long, Ledger> ledgers() {
    Map<Long, Ledger> ledgers = new TreeMap<>();
    byte[] prefix = Keys.kind(Keys.LEDGER);
    try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        ledgers.put(Keys.subscription(cursor.key()), ledger(cursor.value()));
      }
    }
    return ledgers;
  }

  @Override
  public Ledgers allLedgers() {
    while (true) {
      Ledger before = closedLedger();
      Map<Long, Ledger> open = ledgers();
      if (closedLedger().equals(before)) {
        return new Ledgers(open, before);
      }
    }
  }

  /** A record that cannot be read shows nothing; its shard writes it anew. */
  private static Ledger ledger(byte[] value) {
    Counters counters = Counters.read(value);
    return counters == null ? Ledger.EMPTY : counters.toLedger();
  }

  @Override
  public Ledger ledger(long subscription) {
    byte[] value = store.get(Keys.ofSubscription(Keys.LEDGER, subscription));
    return value == null ? Ledger.EMPTY : ledger(value);
  }

  @Override
  public ReceiptCounts receipts(long subscription) {
    byte[] value = store.get(Keys.ofSubscription(Keys.LEDGER, subscription));
    Counters counters = value == null ? null : Counters.read(value);
    return counters == null ? ReceiptCounts.NONE : counters.toReceiptCounts();
  }

  @Override
  public RepeatCounts repeats(long subscription) {
    return repeats(store.get(Keys.ofSubscription(Keys.LEDGER, subscription)));
  }

  @Override
  public ShardTotals totals() {
    while (true) {
      byte[] closed = store.get(Keys.CLOSED_LEDGER);
      ShardTotals sum = closed == null ? ShardTotals.NONE : totals(closed);
      byte[] prefix = Keys.kind(Keys.LEDGER);
      try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
        while (cursor.next()) {
          sum = sum.plus(totals(cursor.value()));
        }
      }
      // A ledger that was being closed would be missing, or counted twice.
      if (Arrays.equals(store.get(Keys.CLOSED_LEDGER), closed)) {
        return sum;
      }
    }
  }

  private static ShardTotals totals(byte[] ledger) {
    Counters counters = Counters.read(ledger);
    return counters == null
        ? ShardTotals.NONE
        : new ShardTotals(counters.toLedger(), counters.toRepeatCounts());
  }

  @Override
  public LostIntake lostIntake(IntakeLog log) {
    return LostIntakeRecord.read(store, log);
  }

  private static RepeatCounts repeats(byte @Nullable [] ledger) {
    Counters counters = ledger == null ? null : Counters.read(ledger);
    return counters == null ? RepeatCounts.NONE : counters.toRepeatCounts();
  }

  @Override
  public @Nullable HeldDeliveries held(long subscription) {
    return figures(subscription).held();
  }

  @Override
  public SubscriptionFigures figures(long subscription) {
    byte[] value = store.get(Keys.ofSubscription(Keys.LEDGER, subscription));
    return value == null ? SubscriptionFigures.NONE : figures(value);
  }

  @Override
  public Map<Long, SubscriptionFigures> figures() {
    Map<Long, SubscriptionFigures> figures = new TreeMap<>();
    byte[] prefix = Keys.kind(Keys.LEDGER);
    try (Store.Cursor cursor = store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        figures.put(Keys.subscription(cursor.key()), figures(cursor.value()));
      }
    }
    return figures;
  }

  private static SubscriptionFigures figures(byte[] ledger) {
    Counters counters = Counters.read(ledger);
    return counters == null ? SubscriptionFigures.NONE : counters.toFigures();
  }

  @Override
  public List<EndpointFigures> minutes(
      long subscription, long fromMillis, long toMillis, int limit) {
    List<EndpointFigures> minutes = new ArrayList<>();
    byte[] from = MinuteRecord.key(subscription, Math.max(0, fromMillis));
    byte[] to = MinuteRecord.key(subscription, Math.max(0, toMillis));
    if (fromMillis >= toMillis) {
      return minutes;
    }
    try (Store.Cursor cursor = store.range(from, to)) {
      while (minutes.size() < limit && cursor.next()) {
        EndpointFigures figures = MinuteRecord.read(cursor.key(), cursor.value());
        if (figures != null) {
          minutes.add(figures);
        }
      }
    }
    return minutes;
  }

  @Override
  public void attempts(long subscription, long fromMillis, long toMillis, MinuteAttempts out) {
    if (fromMillis >= toMillis) {
      return;
    }
    byte[] from = MinuteRecord.key(subscription, Math.max(0, fromMillis));
    byte[] to = MinuteRecord.key(subscription, Math.max(0, toMillis));
    try (Store.Cursor cursor = store.range(from, to)) {
      while (cursor.next()) {
        MinuteRecord.readAttempts(cursor.key(), cursor.value(), out);
      }
    }
  }

  @Override
  public Ledger closedLedger() {
    byte[] value = store.get(Keys.CLOSED_LEDGER);
    return value == null ? Ledger.EMPTY : ledger(value);
  }

  @Override
  public Map<Long, Recount> recount() {
    return audit(new PayloadTally());
  }

  @Override
  public Audit audit() {
    PayloadTally payloads = new PayloadTally();
    Map<Long, Recount> subscriptions = audit(payloads);
    if (payloads.agrees()) {
      return new Audit(subscriptions, List.of());
    }
    PayloadTally closer = payloads.closer();
    return new Audit(audit(closer), closer.wrong());
  }

  /** The count of one subscription. */
  private static final class Count {
    Ledger ledger = Ledger.EMPTY;
    long pending;
    long dead;
    long expired;
    long unreadable;

    Recount toRecount() {
      return new Recount(ledger, pending, dead, expired, unreadable);
    }
  }

  private Map<Long, Recount> audit(PayloadTally payloads) {
    Map<Long, Count> counts = new TreeMap<>();
    // One cursor over everything, because one cursor sees one state of the store.
    try (Store.Cursor cursor =
        store.range(Keys.kind(Keys.SHARE_COUNT), Keys.after(Keys.kind(Keys.PENDING)))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        switch (key[0]) {
          case Keys.LEDGER, Keys.PENDING, Keys.DEAD_LETTER ->
              count(
                  counts.computeIfAbsent(Keys.subscription(key), number -> new Count()),
                  key,
                  cursor.value(),
                  payloads);
          case Keys.SHARE_COUNT -> payloads.count(Keys.messageOnly(key), shares(cursor.value()));
          case Keys.PAYLOAD -> payloads.payload(Keys.messageOnly(key));
          default -> {}
        }
      }
    }
    Map<Long, Recount> recounts = new TreeMap<>();
    counts.forEach((number, count) -> recounts.put(number, count.toRecount()));
    return recounts;
  }

  /** Counts one record. One that cannot be read is a finding, and the count goes on. */
  private static void count(Count count, byte[] key, byte[] value, PayloadTally payloads) {
    if (key[0] == Keys.PENDING) {
      count.pending++;
    }
    try {
      byte[] inline;
      switch (key[0]) {
        case Keys.LEDGER -> {
          count.ledger = Counters.decode(value).toLedger();
          return;
        }
        case Keys.PENDING -> inline = Pending.decode(key, value).payload();
        default -> {
          Dead dead = Dead.decode(key, value);
          inline = dead.payload();
          if (dead.reason() == StopReason.UNREADABLE) {
            payloads.mayNeed(dead.message());
          }
          if (dead.reason() == StopReason.DEADLINE) {
            count.expired++;
          } else {
            count.dead++;
          }
        }
      }
      if (inline == null) {
        payloads.need(Keys.message(key));
      }
    } catch (RuntimeException e) {
      count.unreadable++;
      if (key[0] != Keys.LEDGER) {
        payloads.mayNeed(Keys.message(key));
      }
    }
  }

  /** A count that cannot be read counts as none, and so disagrees with the records that need it. */
  private static int shares(byte[] value) {
    try {
      return new RecordCodec.Reader(value).count();
    } catch (RuntimeException e) {
      return 0;
    }
  }

  private static byte[] start(byte kind, long subscription, @Nullable Position from) {
    return from == null
        ? Keys.ofSubscription(kind, subscription)
        : Keys.timed(kind, subscription, from.atMillis(), from.message());
  }

  private static Position position(byte[] key) {
    return new Position(Keys.time(key), Keys.message(key));
  }
}
