package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.server.watch.RecentMinutes.Failed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentMinutesTest {
  private static final long MINUTE = EndpointFigures.MINUTE_MILLIS;
  private static final long NOON = 1_750_000_020_000L;

  private final Map<Long, List<Shard>> shards = new HashMap<>();
  private final Map<Long, Ledger> ledgers = new HashMap<>();
  private final List<Subscription> subscriptions = new ArrayList<>();
  private final List<Long> read = new ArrayList<>();
  private final List<Long> asked = new ArrayList<>();
  private long wallMillis = NOON + 6000;
  private boolean isStanding;

  /** A shard as far as minutes go. */
  private static final class Shard {
    final SortedMap<Long, EndpointFigures> recorded = new TreeMap<>();
    EndpointFigures present;
  }

  private final RecentMinutes minutes =
      new RecentMinutes(
          new RecentMinutes.Source() {
            @Override
            public void attempts(
                Subscription subscription,
                long fromMillis,
                long toMillis,
                RecentMinutes.PartAttempts out) {
              read.add(subscription.number());
              List<Shard> its = shards.get(subscription.number());
              for (int part = 0; part < its.size(); part++) {
                var each = out.of(part);
                its.get(part)
                    .recorded
                    .subMap(fromMillis, toMillis)
                    .forEach(
                        (from, figures) ->
                            each.minute(
                                from, figures.delivered(), figures.retried(), figures.givenUp()));
              }
            }

            @Override
            public CompletionStage<List<Optional<EndpointFigures>>> present(Subscription its) {
              asked.add(its.number());
              return isStanding
                  ? new CompletableFuture<>()
                  : CompletableFuture.completedFuture(
                      shards.get(its.number()).stream()
                          .map(each -> Optional.ofNullable(each.present))
                          .toList());
            }
          },
          () -> wallMillis,
          () -> TimeUnit.MILLISECONDS.toNanos(wallMillis));

  private Shard subscription(long number, String project, long attempts, long delivered) {
    Shard shard = new Shard();
    shards.put(number, new ArrayList<>(List.of(shard)));
    subscriptions.add(
        new Subscription(
            number, project, "orders", SubscriptionSettings.of("https://example.com/"), 0));
    ledgers.put(
        number, new Ledger(attempts, attempts - delivered, delivered, 0, 0, 0, 0, attempts));
    return shard;
  }

  private static EndpointFigures figures(long fromMillis, long delivered, long failed) {
    EndpointFigures figures = new EndpointFigures(fromMillis);
    figures.count(delivered, failed, 0);
    return figures;
  }

  private static void record(Shard shard, long fromMillis, long delivered, long failed) {
    shard.recorded.put(fromMillis, figures(fromMillis, delivered, failed));
  }

  private Failed look(long number) {
    minutes.look(subscriptions, ledgers);
    return minutes.failed(number);
  }

  @Test
  void theFirstLookHasTheLastHour() {
    Shard shard = subscription(1, "default", 400, 100);
    record(shard, NOON - 61 * MINUTE, 0, 1000);
    record(shard, NOON - 60 * MINUTE, 0, 7);
    record(shard, NOON - MINUTE, 3, 22);
    shard.present = figures(NOON, 0, 2);

    assertThat(look(1)).isEqualTo(new Failed(2, 22, 31));
  }

  @Test
  void aMinuteThatIsNotRecordedYetIsAskedFor() {
    Shard shard = subscription(1, "default", 22, 0);
    shard.present = figures(NOON - MINUTE, 0, 22);
    assertThat(look(1)).isEqualTo(new Failed(0, 22, 22));

    record(shard, NOON - MINUTE, 0, 22);
    shard.present = figures(NOON, 0, 1);
    wallMillis += 1000;
    assertThat(look(1)).as("once recorded it counts once").isEqualTo(new Failed(1, 22, 23));
  }

  @Test
  void aMinuteThatARestartHasCutInTwoCountsOnce() {
    Shard shard = subscription(1, "default", 5, 0);
    record(shard, NOON, 0, 2);
    shard.present = figures(NOON, 0, 5);
    assertThat(look(1)).isEqualTo(new Failed(5, 0, 5));
  }

  @Test
  void theShardsOfASubscriptionAreSummedUp() {
    Shard one = subscription(1, "default", 100, 0);
    Shard other = new Shard();
    shards.get(1L).add(other);
    record(one, NOON - MINUTE, 0, 10);
    other.present = figures(NOON - MINUTE, 0, 5);
    one.present = figures(NOON, 0, 3);
    assertThat(look(1)).isEqualTo(new Failed(3, 15, 18));
  }

  @Test
  void aShardThatDoesNotAnswerIsAskedOnce() {
    Shard shard = subscription(1, "default", 22, 0);
    record(shard, NOON - MINUTE, 0, 22);
    isStanding = true;
    assertThat(look(1)).isEqualTo(new Failed(0, 22, 22));
    wallMillis += 1000;
    look(1);
    assertThat(asked).hasSize(1);
  }

  @Test
  void theOldestMinutesLeaveAsTimePasses() {
    Shard shard = subscription(1, "default", 22, 0);
    record(shard, NOON - MINUTE, 0, 22);
    assertThat(look(1)).isEqualTo(new Failed(0, 22, 22));
    wallMillis += MINUTE;
    assertThat(look(1)).isEqualTo(new Failed(0, 0, 22));
    wallMillis += 60 * MINUTE;
    assertThat(look(1)).isEqualTo(Failed.NONE);
  }

  @Test
  void minutesAreReadOfThoseAloneThatAttempt() {
    subscription(1, "default", 0, 0);
    subscription(2, "default", 10, 10);
    subscription(3, "default", 10, 0);
    look(1);
    assertThat(read).containsExactly(2L, 3L);
    assertThat(asked).as("those without a failure have none").containsExactly(3L);

    wallMillis += 2 * MINUTE;
    look(1);
    read.clear();
    wallMillis += MINUTE;
    look(1);
    assertThat(read).as("nothing was attempted for an hour, nor since").isEmpty();

    ledgers.put(2L, new Ledger(11, 1, 10, 0, 0, 0, 0, 11));
    record(shards.get(2L).get(0), NOON + 3 * MINUTE, 0, 1);
    wallMillis += MINUTE;
    assertThat(look(2)).isEqualTo(new Failed(0, 1, 1));
  }

  @Test
  void ofVeryManyThoseThatFailMostAreAsked() {
    LongStream.rangeClosed(1, RecentMinutes.MAX_ASKED + 50)
        .forEach(
            number -> {
              Shard shard = subscription(number, "default", number, 0);
              record(shard, NOON - 5 * MINUTE, 0, number);
              shard.present = figures(NOON, 0, 1);
            });
    assertThat(look(RecentMinutes.MAX_ASKED + 50).thisMinute()).isEqualTo(1);
    assertThat(asked).hasSize(RecentMinutes.MAX_ASKED).doesNotContain(1L, 50L);
  }

  @Test
  void theAttemptsOfEachMinuteAreThoseOfTheProject() {
    record(subscription(1, "default", 40, 20), NOON - MINUTE, 20, 20);
    record(subscription(2, "alpha", 7, 5), NOON - MINUTE, 5, 2);
    record(shards.get(2L).get(0), NOON - 3 * MINUTE, 1, 0);
    look(1);

    List<RecentMinutes.Attempts> all = minutes.attempts(null);
    assertThat(all).hasSize(60);
    assertThat(all.get(59)).isEqualTo(new RecentMinutes.Attempts(NOON - MINUTE, 25, 22, 0));
    assertThat(all.get(0).fromMillis()).isEqualTo(NOON - 60 * MINUTE);
    assertThat(minutes.attempts("alpha").get(59).delivered()).isEqualTo(5);
    assertThat(minutes.attempts("alpha").get(57).delivered()).isEqualTo(1);
    assertThat(minutes.attempts("none").get(59).delivered()).isZero();
  }
}
