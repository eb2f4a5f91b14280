package dev.reprise.delivery.shard;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.store.Store;
import java.util.ArrayDeque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the figures of each subscription and minute in which an attempt ended or the endpoint had
 * asked for a pause. The figures of the present minute are in memory, of those subscriptions only
 * that have any; when it is over they are written with what else the shard writes. So a crash loses
 * the present minute's figures, an orderly stop none.
 *
 * <p>Removes what is too old, and the oldest where there is too much, a part in each turn. Not safe
 * for use by several threads.
 */
final class Minutes {
  private static final int WRITES_PER_TURN = 500;
  private static final int REMOVALS_PER_TURN = 500;
  private static final int SEEKS_PER_TURN = 50;

  /** The number of passes over what is too old, in the time for which anything is kept. */
  private static final int SWEEPS = 168;

  /** A pass because of too much leaves this part of what is allowed. */
  private static final double LEFT = 0.9;

  /** With less than this part of what is allowed, figures are kept for longer again. */
  private static final double LITTLE = 0.7;

  private final Store store;
  private final Step step;
  private final MinuteSettings settings;
  private final Map<Long, SubscriptionState> subscriptions;
  private final long sweepIntervalMillis;

  /** In the order of their minutes; those that were written meanwhile included. */
  private final ArrayDeque<Active> active = new ArrayDeque<>();

  /** Figures of this minute may have been written before this process began. */
  private final long openedMinute;

  /** Bytes of keys and values in the store. */
  private long bytes;

  private boolean bytesChanged;
  private boolean stopping;

  /** Where the sweep goes on; null between two. */
  private byte @Nullable [] position;

  private long nextSweepMillis;
  private long lastSweepMillis;
  private long spanMillis;

  /** Space is short, and figures are the next to go. */
  private boolean mustGiveWay;

  /** The age from which on figures go then; half of what is left with each pass. */
  private long forSpaceSpanMillis;

  /** The oldest figures that the last sweep has left. */
  private long oldestLeftMillis;

  private record Active(SubscriptionState state, EndpointFigures figures) {}

  Minutes(
      Store store,
      Step step,
      MinuteSettings settings,
      Map<Long, SubscriptionState> subscriptions,
      long sweepIntervalMillis) {
    this.store = store;
    this.step = step;
    this.settings = settings;
    this.subscriptions = subscriptions;
    this.sweepIntervalMillis = Math.max(sweepIntervalMillis, settings.keepMillis() / SWEEPS);
    this.openedMinute = EndpointFigures.minuteOf(step.nowMillis);
    this.bytes = storedBytes(store);
    this.nextSweepMillis = step.nowMillis + this.sweepIntervalMillis;
    this.spanMillis = settings.keepMillis();
    this.oldestLeftMillis = step.nowMillis;
  }

  private static long storedBytes(Store store) {
    byte[] stored = store.get(Keys.MINUTE_BYTES);
    try {
      return stored == null ? 0 : new RecordCodec.Reader(stored).number();
    } catch (RuntimeException unreadable) {
      return 0;
    }
  }

  /** A subscription is known from now on, perhaps in the middle of a pause. */
  void opened(SubscriptionState state) {
    if (state.counters.pausedUntilMillis > step.nowMillis) {
      figures(state);
    }
  }

  /** An attempt has ended, and left its delivery in this state. */
  void attempted(SubscriptionState state, AttemptOutcome outcome, Status after) {
    EndpointFigures figures = figures(state);
    figures.attempted(outcome, after);
    figures.limit(state.concurrency.limit());
  }

  /** The pause that the endpoint asks for is about to begin, or to become longer. */
  void pauseBegins(SubscriptionState state) {
    figures(state);
    countPause(state, step.nowMillis);
  }

  /** The pause that the endpoint has asked for, if any, is about to end. */
  void pauseEnds(SubscriptionState state) {
    if (state.counters.pausedUntilMillis > step.nowMillis) {
      pauseBegins(state);
    }
  }

  /**
   * Returns all figures of the last minute of which some are not written yet; null if there are
   * none.
   */
  @Nullable EndpointFigures unwritten(SubscriptionState state) {
    EndpointFigures figures = state.minute;
    if (figures == null) {
      return null;
    }
    end(state, figures);
    EndpointFigures copy = figures.copy();
    byte[] key = MinuteRecord.key(state.spec.number(), figures.fromMillis());
    byte[] stored = figures.fromMillis() == openedMinute ? store.get(key) : null;
    EndpointFigures all = stored == null ? null : MinuteRecord.read(key, stored);
    if (all == null) {
      return copy;
    }
    all.addOfSameMinute(copy);
    return all;
  }

  private EndpointFigures figures(SubscriptionState state) {
    long minute = EndpointFigures.minuteOf(step.nowMillis);
    EndpointFigures figures = state.minute;
    if (figures != null && figures.fromMillis() < minute) {
      write(state, figures);
      figures = state.minute;
    }
    return figures != null ? figures : begin(state, minute, step.nowMillis);
  }

  private EndpointFigures begin(SubscriptionState state, long minute, long pauseCountedMillis) {
    EndpointFigures figures = new EndpointFigures(minute);
    figures.limit(state.concurrency.limit());
    state.minute = figures;
    state.pauseCountedMillis = pauseCountedMillis;
    active.add(new Active(state, figures));
    return figures;
  }

  private static void countPause(SubscriptionState state, long nowMillis) {
    EndpointFigures figures = state.minute;
    long until = Math.min(nowMillis, state.counters.pausedUntilMillis);
    if (figures != null && until > state.pauseCountedMillis) {
      figures.paused(until - state.pauseCountedMillis);
    }
    state.pauseCountedMillis = Math.max(state.pauseCountedMillis, nowMillis);
  }

  private void end(SubscriptionState state, EndpointFigures figures) {
    long endMillis = figures.fromMillis() + EndpointFigures.MINUTE_MILLIS;
    countPause(state, Math.min(step.nowMillis, endMillis));
    figures.limit(state.concurrency.limit());
    long pending = state.counters.pending;
    figures.waiting(pending, pending == 0 ? 0 : state.counters.lowDueMillis);
  }

  /** Writes the figures of a minute, and begins the present one's if a pause goes on. */
  private void write(SubscriptionState state, EndpointFigures figures) {
    end(state, figures);
    state.minute = null;
    long minute = figures.fromMillis();
    byte[] key = MinuteRecord.key(state.spec.number(), minute);
    EndpointFigures all = minute == openedMinute ? withStored(key, figures) : figures;
    byte[] value = MinuteRecord.encode(all);
    step.batch.put(key, value);
    changed(key.length + value.length);
    long now = EndpointFigures.minuteOf(step.nowMillis);
    if (now > minute && state.counters.pausedUntilMillis > now) {
      begin(state, now, now);
    }
  }

  private EndpointFigures withStored(byte[] key, EndpointFigures figures) {
    byte[] stored = store.get(key);
    if (stored == null) {
      return figures;
    }
    changed(-(key.length + stored.length));
    EndpointFigures all = MinuteRecord.read(key, stored);
    if (all == null) {
      return figures;
    }
    all.addOfSameMinute(figures);
    return all;
  }

  private void changed(long change) {
    bytes = Math.max(0, bytes + change);
    bytesChanged = true;
  }

  /** This turn is the last one: the present minute is written as well. */
  void stopping() {
    stopping = true;
  }

  /**
   * Removes a part of what is too old.
   *
   * @param giveWay whether what is too old becomes younger with each pass, because space is short
   *     and no history is left to give
   */
  void sweep(boolean giveWay) {
    giveWay(giveWay);
    byte[] place = position;
    if (place == null) {
      if (step.nowMillis < nextSweepMillis || bytes == 0) {
        return;
      }
      place = beginSweep();
    }
    position = sweep(place);
    if (position == null) {
      lastSweepMillis = step.nowMillis;
      boolean soon = mustGiveWay || bytes > settings.maxBytes();
      long wait = soon ? EndpointFigures.MINUTE_MILLIS : sweepIntervalMillis;
      nextSweepMillis = step.nowMillis + wait;
    }
  }

  private void giveWay(boolean must) {
    if (must == mustGiveWay) {
      return;
    }
    mustGiveWay = must;
    forSpaceSpanMillis = settings.keepMillis();
    if (must) {
      nextSweepMillis = Math.min(nextSweepMillis, lastSweepMillis + EndpointFigures.MINUTE_MILLIS);
    } else if (position != null) {
      // The pass may have been one for space. It has not seen how old the rest is.
      position = null;
      oldestLeftMillis = 0;
      nextSweepMillis = step.nowMillis + EndpointFigures.MINUTE_MILLIS;
    }
  }

  private byte[] beginSweep() {
    if (bytes > settings.maxBytes()) {
      long age = Math.max(EndpointFigures.MINUTE_MILLIS, step.nowMillis - oldestLeftMillis);
      double left = LEFT * settings.maxBytes() / bytes;
      spanMillis = Math.max(MinuteSettings.MIN_MILLIS, (long) (Math.min(spanMillis, age) * left));
    } else if (bytes < LITTLE * settings.maxBytes()) {
      spanMillis = Math.min(settings.keepMillis(), spanMillis + spanMillis / 4 + 1);
    }
    if (mustGiveWay) {
      long age = Math.min(forSpaceSpanMillis, step.nowMillis - oldestLeftMillis);
      forSpaceSpanMillis = Math.max(MinuteSettings.MIN_MILLIS, age / 2);
    }
    oldestLeftMillis = step.nowMillis;
    return Keys.kind(Keys.MINUTE);
  }

  private byte @Nullable [] sweep(byte[] from) {
    long kept = mustGiveWay ? Math.min(spanMillis, forSpaceSpanMillis) : spanMillis;
    long cutoff = step.nowMillis - kept;
    byte[] end = Keys.after(Keys.kind(Keys.MINUTE));
    byte[] place = from;
    int left = REMOVALS_PER_TURN;
    for (int seeks = 0; seeks < SEEKS_PER_TURN; seeks++) {
      long subscription;
      try (Store.Cursor cursor = store.range(place, end)) {
        if (!cursor.next()) {
          return null;
        }
        subscription = Keys.subscription(cursor.key());
        SubscriptionState state = subscriptions.get(subscription);
        boolean gone = state == null || state.removing;
        do {
          byte[] key = cursor.key();
          if (gone || Keys.subscription(key) != subscription || Keys.time(key) >= cutoff) {
            oldestLeftMillis = Math.min(oldestLeftMillis, Keys.time(key));
            break;
          }
          if (left-- == 0) {
            return key;
          }
          remove(key, cursor.value());
        } while (cursor.next());
      }
      place = Keys.after(Keys.ofSubscription(Keys.MINUTE, subscription));
    }
    return place;
  }

  private void remove(byte[] key, byte[] value) {
    step.batch.delete(key);
    changed(-(key.length + value.length));
  }

  /**
   * Discards a part of what is kept of a removed subscription.
   *
   * @return what is left of {@code budget}; above 0 means that nothing is left to discard
   */
  int discard(SubscriptionState state, int budget) {
    state.minute = null;
    int left = budget;
    byte[] prefix = Keys.ofSubscription(Keys.MINUTE, state.spec.number());
    byte[] last = state.removedUpTo;
    byte[] from = last != null && last[0] == Keys.MINUTE ? last : prefix;
    try (Store.Cursor cursor = store.range(from, Keys.after(prefix))) {
      while (left > 0 && cursor.next()) {
        left--;
        state.removedUpTo = cursor.key();
        remove(cursor.key(), cursor.value());
      }
    }
    return left;
  }

  /** Ends a turn: writes a part of what is over. */
  void endTurn() {
    long minute = EndpointFigures.minuteOf(step.nowMillis);
    int left = WRITES_PER_TURN;
    while (!active.isEmpty() && (stopping || (isOver(minute) && left > 0))) {
      Active next = active.remove();
      if (isUnwritten(next)) {
        write(next.state, next.figures);
        left--;
      }
    }
    if (bytesChanged) {
      bytesChanged = false;
      step.batch.put(Keys.MINUTE_BYTES, new RecordCodec.Writer(9).number(bytes).toBytes());
    }
  }

  private boolean isOver(long minute) {
    return active.element().figures.fromMillis() < minute;
  }

  @SuppressWarnings("ReferenceEquality") // Of the same minute there may be others, merged with it.
  private static boolean isUnwritten(Active active) {
    return active.state.minute == active.figures && !active.state.removing;
  }

  /** Whether something is left to write or to remove now. */
  boolean isUnderWay() {
    boolean isOver =
        !active.isEmpty() && isOver(EndpointFigures.minuteOf(step.nowMillis)) && !stopping;
    return isOver || position != null;
  }

  /** The wall time at which there is something to write or to remove. */
  long nextMillis() {
    long sweep = bytes == 0 ? Long.MAX_VALUE : nextSweepMillis;
    Active first = active.peek();
    return first == null
        ? sweep
        : Math.min(sweep, first.figures.fromMillis() + EndpointFigures.MINUTE_MILLIS);
  }
}
