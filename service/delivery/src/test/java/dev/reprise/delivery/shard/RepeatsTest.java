package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.carrier.CarrierFailure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message that a receiver may get twice says why, and is counted. */
class RepeatsTest {
  private static final HttpFailure TIMEOUT = HttpFailure.timeout();

  private final ShardHost host =
      new ShardHost(
          ShardSettings.DEFAULT, new SubscriptionSpec(1, HOURLY, 0, 0, false, 64, "host"));

  private long count(RepeatReason reason) {
    return new ShardReader(host.store).repeats(1).of(reason);
  }

  private List<RepeatReason> reasons(MessageId message) {
    return new ShardReader(host.store)
        .find(1, message).history().stream()
            .filter(event -> event.kind() == HistoryEvent.Kind.ATTEMPT)
            .map(HistoryEvent::mayRepeat)
            .toList();
  }

  private boolean noneUnderWay() {
    return host.store.range(Keys.UNDER_WAY, Keys.after(Keys.UNDER_WAY)).next();
  }

  /** Runs, and has every attempt succeed. */
  private void endAll() {
    host.run();
    while (!host.started.isEmpty()) {
      host.end(null);
      host.run();
    }
  }

  @Test
  void aKillWhileUnderWayMakesTheNextAttemptARepeat() {
    MessageId underWay = host.publish(1);
    MessageId ended = host.publish(1);
    host.run();
    host.end(host.started.get(1), (HttpFailure) null);
    host.run();
    host.restart();
    host.run();
    assertThat(host.started).singleElement().extracting(Claim::message).isEqualTo(underWay);
    host.end(null);
    host.run();
    assertThat(reasons(underWay)).containsExactly(RepeatReason.KILLED);
    assertThat(reasons(ended)).hasSize(1).containsOnlyNulls();
    assertThat(count(RepeatReason.KILLED)).isEqualTo(1);
    assertThat(noneUnderWay()).isFalse();
  }

  @Test
  void severalKillsAreOneReasonForEachAttemptThatIsMade() {
    MessageId message = host.publish(1);
    host.run();
    for (int i = 0; i < 3; i++) {
      host.restart();
      host.run();
    }
    host.end(null);
    host.run();
    assertThat(reasons(message)).containsExactly(RepeatReason.KILLED);
    assertThat(count(RepeatReason.KILLED)).isEqualTo(1);
    host.restart();
    host.publish(1);
    host.run();
    host.end(null);
    host.run();
    assertThat(count(RepeatReason.KILLED)).isEqualTo(1);
  }

  @Test
  void aStopThatWaitsForItsAttemptsLeavesNothing() {
    host.publish(1);
    host.run();
    MessageId waiting = host.publish(1);
    host.shard().draining(true);
    host.turn();
    host.end(null);
    host.turn();
    assertThat(host.started).as("while it drains").isEmpty();
    assertThat(host.wakeAtMillis).isGreaterThan(host.nowMillis);
    host.restart();
    host.run();
    host.end(null);
    host.run();
    assertThat(reasons(waiting)).hasSize(1).containsOnlyNulls();
    assertThat(new ShardReader(host.store).repeats(1).isEmpty()).isTrue();
    assertThat(noneUnderWay()).isFalse();
  }

  @Test
  void whatWasNotBegunIsNoRepeat() {
    host.publish(1);
    host.run();
    host.end(host.started.get(0), AttemptOutcome.MAY_NOT_BEGIN);
    host.run();
    assertThat(noneUnderWay()).isFalse();
  }

  @Test
  void aKillIsNotForgottenByAnAttemptThatWasNotMade() {
    MessageId message = host.publish(1);
    MessageId other = host.publish(1);
    host.run();
    for (int i = 0; i < 2; i++) {
      host.restart();
      host.run();
      assertThat(host.started).hasSize(2);
      host.end(host.started.get(0), AttemptOutcome.notMade("the connection is lost"));
      host.turn();
    }
    host.end(null);
    host.sleep(2000);
    host.end(null);
    host.run();
    assertThat(host.ledger(1).delivered()).isEqualTo(2);
    assertThat(reasons(message)).containsExactly(RepeatReason.KILLED);
    assertThat(reasons(other)).containsExactly(RepeatReason.KILLED);
    assertThat(count(RepeatReason.KILLED)).isEqualTo(2);
    assertThat(noneUnderWay()).isFalse();
  }

  @Test
  void whatWasGivenBackBeforeAKillIsNoRepeat() {
    // The endpoint is known to take several at a time.
    for (int i = 0; i < 20; i++) {
      host.publish(1);
    }
    endAll();
    for (int i = 0; i < 5; i++) {
      host.publish(1);
    }
    host.run();
    assertThat(host.started).hasSize(5);
    Claim hanging = host.started.get(2);
    for (Claim claim : List.copyOf(host.started)) {
      if (!claim.equals(hanging)) {
        host.end(claim, AttemptOutcome.notMade("the connection is lost"));
      }
    }
    host.turn();
    host.restart();
    endAll();
    assertThat(host.ledger(1).delivered()).isEqualTo(25);
    assertThat(reasons(hanging.message())).containsExactly(RepeatReason.KILLED);
    assertThat(count(RepeatReason.KILLED)).isEqualTo(1);
    assertThat(noneUnderWay()).isFalse();
  }

  @Test
  void aWaitingBacklogIsNoRepeatAfterAKill() {
    for (int i = 0; i < 500; i++) {
      host.publish(1);
    }
    host.run();
    int started = host.started.size();
    host.restart();
    while (host.ledger(1).pending() > 0) {
      host.run();
      host.end(null);
      host.run();
    }
    assertThat(count(RepeatReason.KILLED)).isEqualTo(started).isLessThan(500);
  }

  @Test
  void whatMayHaveBeenTakenStaysSoUntilTheEnd() {
    MessageId message = host.publish(1);
    host.run();
    host.end(TIMEOUT);
    host.sleep(3_600_000);
    host.end(HttpFailure.connectionError("refused", /* neverSent= */ true));
    host.sleep(3_600_000);
    host.end(HttpFailure.connectionError("reset", /* neverSent= */ false));
    host.sleep(3_600_000);
    host.restart();
    host.run();
    host.end(HttpFailure.status(502, null));
    host.sleep(3_600_000);
    host.end(null);
    host.run();
    assertThat(reasons(message))
        .containsExactly(
            null,
            RepeatReason.TIMED_OUT,
            RepeatReason.TIMED_OUT,
            RepeatReason.KILLED,
            RepeatReason.GATEWAY);
    // The second was never sent.
    assertThat(count(RepeatReason.TIMED_OUT)).isEqualTo(1);
    assertThat(count(RepeatReason.KILLED)).isEqualTo(1);
    assertThat(count(RepeatReason.GATEWAY)).isEqualTo(1);
    assertThat(count(RepeatReason.CONNECTION_LOST)).isZero();
  }

  @Test
  void aPlainAnswerIsNoReason() {
    MessageId message = host.publish(1);
    host.run();
    host.end(HttpFailure.status(503, null));
    host.sleep(3_600_000);
    host.end(null);
    host.run();
    assertThat(reasons(message)).hasSize(2).containsOnlyNulls();
  }

  @Test
  void aRedriveRemembersIt() {
    ShardHost once =
        new ShardHost(
            ShardSettings.DEFAULT,
            new SubscriptionSpec(1, ShardHost.NO_RETRY, 0, 0, false, 64, "host"));
    MessageId message = once.publish(1);
    once.run();
    AttemptOutcome lost =
        new AttemptOutcome(
            CarrierFailure.CONNECTION_LOST, 0, "connection closed", "", new byte[0], 1);
    once.end(once.started.get(0), lost);
    once.run();
    once.nowMillis += 10;
    once.give(
        new ShardInput.Redrive(
            1,
            new SweepRequest(DeadLetterFilter.ALL, once.nowMillis, null, 10, 0, 0),
            ShardHost.<SweepProgress>ignored()));
    once.run();
    once.run();
    once.end(null);
    once.run();
    ShardReader reader = new ShardReader(once.store);
    assertThat(reader.repeats(1).of(RepeatReason.CONNECTION_LOST)).isEqualTo(1);
    assertThat(reader.totals().repeats().of(RepeatReason.CONNECTION_LOST)).isEqualTo(1);
    assertThat(reader.find(1, message).attempts()).isEqualTo(2);
  }
}
