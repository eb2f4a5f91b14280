package dev.reprise.delivery.engine;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.ShardTotals;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.host.SubscriptionShards;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about a subscription that is spread over several shards, from the readers of
 * each. Listings have one order over all shards, so a place in them is a place in each shard;
 * counts go through one shard after the other, and a place says by its message in which one it is.
 */
final class SpreadReader implements DeliveryReader {
  /** Of a page, each shard is asked for twice its part, and these for chance. */
  private static final int MARGIN = 16;

  private static final Comparator<Position> BY_TIME =
      Comparator.comparingLong(Position::atMillis).thenComparing(Position::message);

  private final SubscriptionShards shards;
  private final List<DeliveryReader> readers;

  /**
   * A reader.
   *
   * @param readers of the shards, by part
   */
  SpreadReader(SubscriptionShards shards, List<DeliveryReader> readers) {
    this.shards = shards;
    this.readers = List.copyOf(readers);
  }

  @Override
  public @Nullable StoredDelivery find(long subscription, MessageId message) {
    return readers.get(shards.partOf(message)).find(subscription, message);
  }

  // --- listings ----------------------------------------------------------------------------

  @Override
  public Page<Position> pending(long subscription, @Nullable Position from, int limit) {
    List<Page<Position>> pages = new ArrayList<>();
    for (DeliveryReader each : readers) {
      pages.add(each.pending(subscription, from, part(limit)));
    }
    return byTime(pages, limit);
  }

  @Override
  public Page<Position> deadLetters(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int limit, int maxSeen) {
    List<Page<Position>> pages = new ArrayList<>();
    int seen = Math.max(1, maxSeen / readers.size());
    for (DeliveryReader each : readers) {
      pages.add(each.deadLetters(subscription, filter, from, part(limit), seen));
    }
    return byTime(pages, limit);
  }

  /** Next is the first one that is not among the items. */
  private static Page<Position> byTime(List<Page<Position>> pages, int limit) {
    Position end =
        pages.stream().map(Page::next).filter(Objects::nonNull).min(BY_TIME).orElse(null);
    List<StoredDelivery> items =
        pages.stream()
            .flatMap(page -> page.items().stream())
            .filter(item -> end == null || BY_TIME.compare(place(item), end) < 0)
            .sorted(Comparator.comparing(SpreadReader::place, BY_TIME))
            .toList();
    Position next = items.size() > limit ? place(items.get(limit)) : end;
    return new Page<>(first(items, limit), next, seen(pages));
  }

  private static Position place(StoredDelivery delivery) {
    return new Position(delivery.state().atMillis(), delivery.message());
  }

  @Override
  public Page<MessageId> attempted(
      long subscription,
      @Nullable Status status,
      @Nullable MessageId before,
      int limit,
      int maxSeen) {
    List<Page<MessageId>> pages = new ArrayList<>();
    int seen = Math.max(1, maxSeen / readers.size());
    for (DeliveryReader each : readers) {
      pages.add(each.attempted(subscription, status, before, part(limit), seen));
    }
    // Next is the last one that was looked at, and the newest are at the front.
    MessageId end =
        pages.stream()
            .map(Page::next)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null);
    List<StoredDelivery> items =
        pages.stream()
            .flatMap(page -> page.items().stream())
            .filter(item -> end == null || item.message().compareTo(end) >= 0)
            .sorted(Comparator.comparing(StoredDelivery::message).reversed())
            .toList();
    MessageId next = items.size() > limit ? items.get(limit - 1).message() : end;
    return new Page<>(first(items, limit), next, seen(pages));
  }

  private int part(int limit) {
    return (int) Math.min(limit, 2L * limit / readers.size() + MARGIN);
  }

  private static List<StoredDelivery> first(List<StoredDelivery> items, int limit) {
    return items.size() > limit ? List.copyOf(items.subList(0, limit)) : items;
  }

  private static <P> int seen(List<Page<P>> pages) {
    return pages.stream().mapToInt(Page::seen).sum();
  }

  @Override
  public Letters letters(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int limit) {
    int part = shards.partAt(from);
    Letters letters =
        readers.get(part).letters(subscription, filter, SubscriptionShards.within(from), limit);
    return new Letters(letters.items(), next(part, letters.next()), letters.seen());
  }

  // --- counts ------------------------------------------------------------------------------

  @Override
  public int pendingSince(long subscription, int most, LongConsumer publishedAtMillis) {
    int seen = 0;
    for (int part = 0; part < readers.size(); part++) {
      int left = (most - seen) / (readers.size() - part);
      seen += readers.get(part).pendingSince(subscription, left, publishedAtMillis);
    }
    return seen;
  }

  @Override
  public DeadLetterSummary summary(
      long subscription, DeadLetterFilter filter, @Nullable Position from, int maxSeen) {
    Map<StopReason, ReasonCount> reasons = new EnumMap<>(StopReason.class);
    Position next = from == null ? shards.beginning(0) : from;
    int seen = 0;
    while (next != null && seen < maxSeen) {
      int part = shards.partAt(next);
      DeadLetterSummary some =
          readers
              .get(part)
              .summary(subscription, filter, SubscriptionShards.within(next), maxSeen - seen);
      some.reasons().forEach((reason, count) -> reasons.merge(reason, count, ReasonCount::plus));
      seen += some.seen();
      next = next(part, some.next());
    }
    return new DeadLetterSummary(reasons, next, seen);
  }

  @Override
  public PendingCount countPending(
      long subscription, long nowMillis, @Nullable Position from, int maxSeen) {
    Position next = from == null ? shards.beginning(0) : from;
    int due = 0;
    int seen = 0;
    while (next != null && seen < maxSeen) {
      int part = shards.partAt(next);
      PendingCount some =
          readers
              .get(part)
              .countPending(
                  subscription, nowMillis, SubscriptionShards.within(next), maxSeen - seen);
      due += some.due();
      seen += some.seen();
      next = next(part, some.next());
    }
    return new PendingCount(due, seen - due, seen, next);
  }

  private @Nullable Position next(int part, @Nullable Position within) {
    return within == null && part + 1 < readers.size() ? shards.beginning(part + 1) : within;
  }

  @Override
  public Ledger ledger(long subscription) {
    return sum(reader -> reader.ledger(subscription), Ledger::plus);
  }

  @Override
  public RepeatCounts repeats(long subscription) {
    return sum(reader -> reader.repeats(subscription), RepeatCounts::plus);
  }

  @Override
  public ShardTotals totals() {
    return sum(DeliveryReader::totals, ShardTotals::plus);
  }

  @Override
  public LostIntake lostIntake(IntakeLog log) {
    return sum(reader -> reader.lostIntake(log), LostIntake::plus);
  }

  @Override
  public ReceiptCounts receipts(long subscription) {
    return sum(reader -> reader.receipts(subscription), ReceiptCounts::plus);
  }

  @Override
  public @Nullable HeldDeliveries held(long subscription) {
    HeldDeliveries sum = null;
    for (DeliveryReader each : readers) {
      HeldDeliveries held = each.held(subscription);
      if (held != null) {
        sum = sum == null ? held : sum.plus(held);
      }
    }
    return sum;
  }

  @Override
  public SubscriptionFigures figures(long subscription) {
    return SubscriptionFigures.of(
        readers.stream().map(reader -> reader.figures(subscription)).toList());
  }

  @Override
  public Map<Long, SubscriptionFigures> figures() {
    Map<Long, List<SubscriptionFigures>> parts = new HashMap<>();
    for (DeliveryReader each : readers) {
      each.figures()
          .forEach(
              (number, part) -> parts.computeIfAbsent(number, n -> new ArrayList<>()).add(part));
    }
    Map<Long, SubscriptionFigures> figures = new HashMap<>();
    parts.forEach((number, part) -> figures.put(number, SubscriptionFigures.of(part)));
    return figures;
  }

  /**
   * {@inheritDoc} The first {@code limit} minutes of all shards are whole: of each shard at least
   * as many are read.
   */
  @Override
  public List<EndpointFigures> minutes(
      long subscription, long fromMillis, long toMillis, int limit) {
    SortedMap<Long, EndpointFigures> minutes = new TreeMap<>();
    for (DeliveryReader each : readers) {
      EndpointFigures.addBeside(minutes, each.minutes(subscription, fromMillis, toMillis, limit));
    }
    return minutes.values().stream().limit(limit).toList();
  }

  // --- whole shards ------------------------------------------------------------------------

  @Override
  public Map<Long, Ledger> ledgers() {
    return sum(DeliveryReader::ledgers, (a, b) -> merged(a, b, Ledger::plus));
  }

  @Override
  public Ledgers allLedgers() {
    return sum(
        DeliveryReader::allLedgers,
        (a, b) ->
            new Ledgers(merged(a.open(), b.open(), Ledger::plus), a.closed().plus(b.closed())));
  }

  @Override
  public Ledger closedLedger() {
    return sum(DeliveryReader::closedLedger, Ledger::plus);
  }

  @Override
  public Map<Long, Recount> recount() {
    return sum(DeliveryReader::recount, (a, b) -> merged(a, b, Recount::plus));
  }

  @Override
  public Audit audit() {
    return sum(
        DeliveryReader::audit,
        (a, b) -> {
          List<WrongPayload> wrong = new ArrayList<>(a.wrongPayloads());
          wrong.addAll(b.wrongPayloads());
          return new Audit(merged(a.subscriptions(), b.subscriptions(), Recount::plus), wrong);
        });
  }

  private <T> T sum(Function<DeliveryReader, T> asked, BiFunction<T, T, T> plus) {
    T sum = asked.apply(readers.get(0));
    for (DeliveryReader each : readers.subList(1, readers.size())) {
      sum = plus.apply(sum, asked.apply(each));
    }
    return sum;
  }

  private static <T> Map<Long, T> merged(
      Map<Long, T> some, Map<Long, T> others, BiFunction<T, T, T> plus) {
    Map<Long, T> merged = new HashMap<>(some);
    others.forEach((number, each) -> merged.merge(number, each, plus));
    return merged;
  }
}
