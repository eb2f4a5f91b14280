package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static dev.reprise.delivery.shard.ShardHost.NO_RETRY;
import static dev.reprise.delivery.shard.ShardHost.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Suspending, holding, releasing, cancelling and moving; beside {@link ShardSimulationTest}. */
class ShardSuspensionTest {
  private static final ShardSettings SETTINGS = ShardSettings.DEFAULT.withHoldAfter(0);
  private static final long DAY = 86_400_000;

  private static SubscriptionSpec spec(RetryPolicy policy, int maxInFlight, boolean starts) {
    return new SubscriptionSpec(1, policy, 0, 0, false, maxInFlight, "host", starts, true);
  }

  private static ShardHost host() {
    return new ShardHost(SETTINGS, spec(HOURLY, 64, false));
  }

  private static Suspension suspend(ShardHost host, long maxAgeMillis, long maxHeld) {
    var reply = new ShardHost.Kept<Suspension>();
    host.give(new ShardInput.Suspend(1, "maintenance", maxAgeMillis, maxHeld, reply));
    host.run();
    assertThat(reply.answer).isNotNull();
    return reply.answer;
  }

  private static void release(ShardHost host) {
    host.give(new ShardInput.Release(1, ShardHost.ignored()));
    host.run();
  }

  private static StoredDelivery find(ShardHost host, MessageId message) {
    return new ShardReader(host.store).find(1, message);
  }

  @Test
  void nothingStartsWhileSuspendedAndAllAfterwards() {
    ShardHost host = host();
    suspend(host, DAY, 100);
    host.publish(1);
    host.publish(1);
    host.sleep(3_600_000);
    assertThat(host.started).isEmpty();
    assertThat(host.ledger(1).pending()).isEqualTo(2);

    release(host);

    // Slow start: the second begins when the first has succeeded.
    host.end(null);
    host.run();
    host.end(null);
    host.run();
    assertThat(host.ledger(1)).isEqualTo(new Ledger(2, 0, 2, 0, 0, 0, 0, 2));
  }

  @Test
  void aSuspensionSurvivesARestart() {
    ShardHost host = host();
    Suspension suspension = suspend(host, DAY, 100);
    assertThat(suspension)
        .isEqualTo(new Suspension(Suspension.Cause.OPERATOR, START, "maintenance", DAY, 100));
    host.publish(1);
    host.run();

    host.restart();
    host.run();

    assertThat(host.started).isEmpty();
    assertThat(new ShardReader(host.store).held(1).suspension()).isEqualTo(suspension);
  }

  @Test
  void whatIsHeldForTooLongBecomesADeadLetterWithTheReason() {
    ShardHost host = host();
    suspend(host, DAY, 100);
    host.sleep(1_000);
    MessageId message = host.publish(1);
    host.run();
    var held = new ShardReader(host.store).held(1);
    assertThat(held.deliveries()).isEqualTo(1);
    assertThat(held.dropsAtMillis()).isEqualTo(START + 1_000 + DAY);

    host.sleep(DAY - 1);
    assertThat(host.ledger(1).pending()).isEqualTo(1);
    host.sleep(1);

    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 0, 0, 1, 0, 0, 0, 0));
    assertThat(find(host, message).state().reason()).isEqualTo(StopReason.SUSPENDED);
  }

  @Test
  void ofTooManyTheFirstDueAreGivenUp() {
    ShardHost host = host();
    List<MessageId> messages = new ArrayList<>();
    suspend(host, DAY, 600);
    for (int i = 0; i < 1_000; i++) {
      messages.add(host.publish(1));
      host.nowMillis++;
    }
    host.run();

    assertThat(host.ledger(1)).isEqualTo(new Ledger(1_000, 600, 0, 400, 0, 0, 0, 0));
    assertThat(find(host, messages.get(399)).state().status()).isEqualTo(Status.DEAD_LETTERED);
    assertThat(find(host, messages.get(400)).state().status()).isEqualTo(Status.PENDING);
  }

  @Test
  void anEndpointThatIsGoneSuspends() {
    ShardHost host = host();
    host.publish(1);
    host.run();
    host.end(HttpFailure.status(410, null));
    host.run();
    host.publish(1);
    host.run();

    assertThat(host.started).isEmpty();
    assertThat(host.ledger(1)).isEqualTo(new Ledger(2, 1, 0, 1, 0, 0, 0, 1));
    assertThat(new ShardReader(host.store).held(1).suspension().cause())
        .isEqualTo(Suspension.Cause.ENDPOINT);
  }

  @Test
  void goneSuspendsNobodyWhoDidNotAskForIt() {
    ShardHost host =
        new ShardHost(SETTINGS, new SubscriptionSpec(1, HOURLY, 0, 0, false, 64, "host"));
    host.publish(1);
    host.run();
    host.end(HttpFailure.status(410, null));
    host.publish(1);
    host.run();

    assertThat(host.started).hasSize(1);
  }

  @Test
  void createdSuspendedStaysSoOverACrashBeforeItsFirstRecord() {
    ShardHost host = new ShardHost(SETTINGS, spec(HOURLY, 64, true));
    host.restart();
    host.publish(1);
    host.run();
    assertThat(host.started).isEmpty();

    release(host);
    host.restart();
    host.run();
    assertThat(host.started).hasSize(1);
  }

  @Test
  void liveTrafficHasHalfOfThePlacesWhileABacklogDrains() {
    ShardHost host = new ShardHost(SETTINGS, spec(HOURLY, 1, false));
    suspend(host, DAY, 10_000);
    for (int i = 0; i < 1_000; i++) {
      host.publish(1);
    }
    host.run();
    host.sleep(60_000);
    release(host);

    int live = 0;
    for (int i = 0; i < 200; i++) {
      host.nowMillis += 10;
      MessageId published = host.publish(1);
      host.run();
      // The attempt under way began before it was published: it has its turn within two more.
      host.end(null);
      host.run();
      host.end(null);
      host.run();
      live += find(host, published).state().status() == Status.DELIVERED ? 1 : 0;
    }

    assertThat(live).isGreaterThan(190);
    assertThat(host.ledger(1).delivered()).isEqualTo(400);
  }

  @Test
  void afterTheBacklogEachDeliveryWasMadeOnce() {
    ShardHost host = new ShardHost(SETTINGS, spec(HOURLY, 8, false));
    suspend(host, DAY, 10_000);
    for (int i = 0; i < 300; i++) {
      host.publish(1);
    }
    host.run();
    host.sleep(60_000);
    release(host);
    List<MessageId> started = new ArrayList<>();
    int published = 300;
    while (published < 500 || host.ledger(1).pending() > 0) {
      if (published < 500) {
        host.publish(1);
        published++;
      }
      host.run();
      while (!host.started.isEmpty()) {
        started.add(host.end(null).message());
      }
      host.nowMillis += 3;
      host.run();
    }

    assertThat(started).doesNotHaveDuplicates().hasSize(500);
    assertThat(host.ledger(1)).isEqualTo(new Ledger(500, 0, 500, 0, 0, 0, 0, 500));
  }

  @Test
  void whatIsDueIsCountedInParts() {
    ShardHost host = host();
    suspend(host, DAY, 100);
    for (int i = 0; i < 7; i++) {
      host.publish(1);
      host.run();
      host.nowMillis++;
    }
    ShardReader reader = new ShardReader(host.store);
    long now = host.nowMillis - 3;
    int due = 0;
    int later = 0;
    int parts = 0;
    Position from = null;
    do {
      DeliveryReader.PendingCount part = reader.countPending(1, now, from, 3);
      assertThat(part.seen()).isEqualTo(part.due() + part.later()).isLessThanOrEqualTo(3);
      due += part.due();
      later += part.later();
      parts++;
      from = part.next();
    } while (from != null);
    assertThat(List.of(due, later, parts)).containsExactly(5, 2, 3);
  }

  @Test
  void cancelledDeliveriesAreDeadLettersThatCanBeRedriven() {
    ShardHost host = new ShardHost(SETTINGS, spec(HOURLY, 1, false));
    MessageId first = host.publish(1);
    MessageId second = host.publish(1);
    host.run();

    var reply = new ShardHost.Kept<SweepProgress>();
    host.give(new ShardInput.Cancel(1, null, null, 100, reply));
    host.run();
    assertThat(reply.answer).isEqualTo(new SweepProgress(2, null, 2));
    assertThat(find(host, second).state().reason()).isEqualTo(StopReason.CANCELLED);
    assertThat(find(host, first).state().status()).isEqualTo(Status.PENDING);

    // The one under way ends with its attempt, although the failure could be retried.
    host.end(HttpFailure.status(503, null));
    host.run();
    assertThat(find(host, first).state().reason()).isEqualTo(StopReason.CANCELLED);
    assertThat(host.ledger(1)).isEqualTo(new Ledger(2, 0, 0, 2, 0, 0, 0, 1));

    host.nowMillis++;
    host.give(
        new ShardInput.Redrive(
            1,
            new SweepRequest(DeadLetterFilter.ALL, host.nowMillis, null, 10, 0, 0),
            ShardHost.ignored()));
    host.run();
    assertThat(host.started).hasSize(1);
  }

  @Test
  void whatAnotherSubscriptionAcceptedIsCountedAsMoved() {
    ShardHost host = new ShardHost(SETTINGS, spec(NO_RETRY, 64, false));
    MessageId message = host.publish(1);
    host.run();
    host.end(HttpFailure.status(500, null));
    host.run();
    Position letter = new Position(START, message);

    var reply = new ShardHost.Kept<Integer>();
    host.give(new ShardInput.Moved(1, List.of(letter, letter), reply));
    host.run();
    var again = new ShardHost.Kept<Integer>();
    host.give(new ShardInput.Moved(1, List.of(letter), again));
    host.run();

    assertThat(reply.answer).isEqualTo(1);
    assertThat(again.answer).isZero();
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 0, 0, 0, 0, 0, 1, 1));
    assertThat(find(host, message).state().status()).isEqualTo(Status.MOVED);
    assertThat(new ShardReader(host.store).audit().agrees()).isTrue();
  }

  @Test
  void theLargestHolderOfDeadLettersGivesUpItsOldest() {
    SubscriptionSpec other = new SubscriptionSpec(2, NO_RETRY, 0, 0, false, 64, "other");
    ShardHost host =
        new ShardHost(
            SETTINGS.withDeadLetterBytes(100_000),
            new SubscriptionSpec(1, NO_RETRY, 0, 0, false, 64, "host"),
            other);
    host.publish(2);
    List<MessageId> messages = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      messages.add(host.publishAt(host.nowMillis, 200, 1));
      host.run();
      while (!host.started.isEmpty()) {
        host.end(HttpFailure.status(404, null));
      }
      host.run();
      host.sleep(1);
    }
    host.sleep(1_000);

    Ledger ledger = host.ledger(1);
    assertThat(host.ledger(2).deadLettered()).isEqualTo(1);
    assertThat(ledger.deadLettered()).isBetween(100L, 400L);
    assertThat(ledger.discarded()).isEqualTo(2_000 - ledger.deadLettered());
    assertThat(ledger.unexplained()).isZero();
    assertThat(find(host, messages.get(0)).state().status()).isEqualTo(Status.DISCARDED);
    assertThat(find(host, messages.get(1_999)).state().status()).isEqualTo(Status.DEAD_LETTERED);
  }

  @Test
  void aSubscriptionThatIsGoneIsNamed() {
    ShardHost host = host();
    var reply = new ShardHost.Kept<Boolean>();
    host.give(new ShardInput.Release(7, reply));
    host.run();
    assertThat(reply.error).isInstanceOf(NoSubscriptionException.class);
  }
}
