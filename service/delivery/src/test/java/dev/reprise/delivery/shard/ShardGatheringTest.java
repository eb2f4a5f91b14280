package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.ShardSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which inputs may wait a little, to be stored together with others. */
class ShardGatheringTest {
  private final ShardHost host =
      new ShardHost(ShardSettings.DEFAULT, spec(1, /* maxInFlight= */ 1), spec(2, 1));

  private static SubscriptionSpec spec(long number, int maxInFlight) {
    return new SubscriptionSpec(number, HOURLY, 0, 0, false, maxInFlight, "host " + number);
  }

  private Claim started(long subscription) {
    return host.started.stream()
        .filter(claim -> claim.subscription() == subscription)
        .findFirst()
        .orElseThrow();
  }

  private ShardInput ended(long subscription, AttemptOutcome outcome) {
    return new ShardInput.Completed(started(subscription), outcome, host.nowMillis);
  }

  private boolean canWait(ShardInput... inputs) {
    return host.shard().canWait(List.of(inputs), host.nowMillis);
  }

  @Test
  void whatHasArrivedCanWaitWhereNothingElseIsDue() {
    host.publish(1, 2);
    host.run();

    assertThat(
            canWait(ended(1, SimulatedEndpoint.success(1)), ended(2, SimulatedEndpoint.success(1))))
        .isTrue();
  }

  @Test
  void nobodyWaitsBehindAnotherOutcome() {
    host.publish(1, 2);
    host.publish(1);
    host.run();

    assertThat(canWait(ended(2, SimulatedEndpoint.success(1)))).isTrue();
    assertThat(canWait(ended(1, SimulatedEndpoint.success(1))))
        .as("the next message of the subscription waits for the place")
        .isFalse();
  }

  @Test
  void aRetryThatIsNotDueDoesNotHurry() {
    host.publish(1);
    host.run();
    host.end(HttpFailure.status(503, null));
    host.run();
    host.publish(1);
    host.run();

    assertThat(canWait(ended(1, SimulatedEndpoint.success(1)))).isTrue();
  }

  @Test
  void failuresAndAttemptsThatWereNotMadeCannotWait() {
    host.publish(1);
    host.run();
    HttpFailure down = HttpFailure.status(503, null);

    assertThat(
            canWait(ended(1, new AttemptOutcome(down, 503, down.describe(), "", new byte[0], 1))))
        .isFalse();
    assertThat(canWait(ended(1, AttemptOutcome.notMade("no connection of ours is free"))))
        .isFalse();
  }

  @Test
  void whoeverAsksDoesNotWait() {
    host.publish(1);
    host.run();

    assertThat(
            canWait(
                ended(1, SimulatedEndpoint.success(1)),
                new ShardInput.Inspect(1, ShardHost.ignored())))
        .isFalse();
  }

  @Test
  void anOutcomeOfARemovedSubscriptionCanWait() {
    host.publish(1);
    host.run();
    ShardInput ended = ended(1, SimulatedEndpoint.success(1));
    host.give(new ShardInput.Remove(1));
    host.run();

    assertThat(canWait(ended)).isTrue();
  }
}
