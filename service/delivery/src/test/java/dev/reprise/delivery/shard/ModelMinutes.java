package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.shard.SimulatedStore.Change;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The attempts of each subscription and minute that a shard has to have counted. */
final class ModelMinutes {
  final MinuteSettings settings;
  private final ShardModel model;
  private final Map<byte[], Long> attempts = new TreeMap<>(Arrays::compareUnsigned);

  ModelMinutes(ShardModel model, MinuteSettings settings) {
    this.model = model;
    this.settings = settings;
  }

  /** Whether space is short in this turn: then figures may go before their time. */
  boolean spaceIsShort;

  /** An attempt has ended in this turn. */
  void attempted(long subscription) {
    long minute = EndpointFigures.minuteOf(model.nowMillis);
    attempts.merge(MinuteRecord.key(subscription, minute), 1L, Long::sum);
  }

  /** The process has died: what was not written is forgotten, and nothing else. */
  void restarted(SimulatedStore store) {
    attempts.replaceAll(
        (key, count) -> {
          byte[] stored = store.get(key);
          return stored == null ? 0 : read(key, stored).attempts();
        });
  }

  private static EndpointFigures read(byte[] key, byte[] value) {
    EndpointFigures figures = MinuteRecord.read(key, value);
    require(figures != null, "figures cannot be read: %s", key);
    return figures;
  }

  /** A turn has written or removed figures. */
  void changed(Change change) {
    byte[] key = change.key();
    long number = Keys.subscription(key);
    if (change.after() == null) {
      ModelSubscription state = model.subscriptions.get(number);
      boolean isOld = Keys.time(key) < model.nowMillis - settings.keepMillis();
      boolean isTooMuch = settings.maxBytes() < 100_000;
      require(
          isOld || isTooMuch || spaceIsShort || state == null || state.removing,
          "removed early: figures %s",
          key);
      attempts.remove(key);
      return;
    }
    EndpointFigures figures = read(key, change.after());
    require(model.subscriptions.containsKey(number), "figures of nobody: %s", key);
    require(Keys.time(key) == EndpointFigures.minuteOf(Keys.time(key)), "no minute: %s", key);
    require(
        figures.attempts() == attempts.getOrDefault(key, 0L),
        "%s attempts are written in %s, expected %s",
        figures.attempts(),
        key,
        attempts.get(key));
    long outcomes = 0;
    for (OutcomeClass outcome : OutcomeClass.values()) {
      outcomes += figures.outcomes(outcome);
    }
    require(
        outcomes == figures.attempts() && figures.latency().count() == figures.attempts(),
        "%s outcomes and %s times of %s attempts",
        outcomes,
        figures.latency(),
        figures.attempts());
    require(
        figures.pausedMillis() <= EndpointFigures.MINUTE_MILLIS, "paused for more than a minute");
  }

  /** Nothing more happens now: what is not written yet has somebody who will wake for it. */
  void quiet(SimulatedStore store, long wakeAtMillis) {
    attempts.forEach(
        (key, count) -> {
          ModelSubscription state = model.subscriptions.get(Keys.subscription(key));
          if (count > 0 && state != null && !state.removing && store.get(key) == null) {
            long end = Keys.time(key) + EndpointFigures.MINUTE_MILLIS;
            require(
                wakeAtMillis <= end, "sleeps until %s over figures until %s", wakeAtMillis, end);
          }
        });
  }
}
