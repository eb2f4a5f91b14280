package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.ShardSettings;
import org.junit.jupiter.api.Test;

/** The arithmetic of one group, on virtual time. */
class GroupTest {
  private static final long SECOND = 1_000_000_000L;
  private static final ShardSettings SETTINGS = ShardSettings.DEFAULT.withGroupRetries(3, 10);

  private final Places places = new Places(4096, 64 << 20);
  private final Group group = new Group("carrier smsc");

  private boolean hasRoom(long nowMillis) {
    return group.hasRoom(Pace.PROMPT, places, nowMillis, nowMillis * 1_000_000);
  }

  private SubscriptionState state(long number) {
    SubscriptionSpec spec =
        new SubscriptionSpec(number, ShardHost.NO_RETRY, 0, 0, false, 1, group.key);
    return new SubscriptionState(spec, new Counters(), null, group, new ReadAhead.Budget(1 << 20));
  }

  @Test
  void placesThatAreKeptCount() {
    group.configure(new GroupSpec(group.key, 2, 0, 1), 0);
    SubscriptionState state = state(1);
    group.keepPlace(state);
    group.started(Pace.PROMPT, 0);
    assertThat(hasRoom(0)).isFalse();
    assertThat(group.releasePlace(state)).isTrue();
    assertThat(group.releasePlace(state)).as("only once").isFalse();
    assertThat(hasRoom(0)).isTrue();
    assertThat(group.underWay.all()).isEqualTo(1);
  }

  @Test
  void aThrottleCountsThePlacesThatAreKept() {
    group.configure(new GroupSpec(group.key, 0, 1000, 1), 0);
    assertThat(hasRoom(0)).isTrue();
    SubscriptionState state = state(1);
    group.keepPlace(state);
    assertThat(hasRoom(0)).isFalse();
    assertThat(hasRoom(1)).as("two are allowed now").isTrue();
    group.releasePlace(state);
    group.started(Pace.PROMPT, 0);
    assertThat(hasRoom(0)).isFalse();
    assertThat(group.throttledNanos(0)).isEqualTo(1_000_000);
    group.configure(new GroupSpec(group.key, 5, 1000, 1), 0);
    assertThat(group.throttledNanos(0)).as("the throttle goes on").isEqualTo(1_000_000);
    group.configure(new GroupSpec(group.key, 5, 0, 1), 0);
    assertThat(group.throttledNanos(0)).isZero();
  }

  @Test
  void aBlockHoldsUntilItsEndAndTheLaterEndCounts() {
    group.block(500, "bind refused");
    group.block(400, "no connection");
    assertThat(hasRoom(499)).isFalse();
    assertThat(group.hold(state(1), places, SETTINGS, 499, 0).reason()).isEqualTo("bind refused");
    assertThat(hasRoom(500)).isTrue();
    group.block(900, "bind refused");
    group.unblock();
    assertThat(hasRoom(500)).isTrue();
  }

  @Test
  void theRetryBudgetFillsWithTimeAndWithSuccesses() {
    for (int i = 0; i < 3; i++) {
      assertThat(group.allowsRetry(SETTINGS, 0)).isTrue();
      group.retryStarted(SETTINGS, 0);
    }
    assertThat(group.allowsRetry(SETTINGS, 0)).isFalse();
    assertThat(group.retryWaitNanos(SETTINGS, 0)).isEqualTo(SECOND / 10);
    assertThat(group.allowsRetry(SETTINGS, SECOND / 10 - 1)).isFalse();
    assertThat(group.allowsRetry(SETTINGS, SECOND / 10)).isTrue();
    group.succeeded(/* wasRetry= */ true, 0);
    assertThat(group.allowsRetry(SETTINGS, 0)).isTrue();
    SubscriptionState state = state(1);
    group.keepRetry(state);
    assertThat(group.allowsRetry(SETTINGS, 0)).as("it is kept for somebody").isFalse();
    group.releaseRetry(state);
    assertThat(group.allowsRetry(SETTINGS, 0)).isTrue();
  }

  @Test
  void aBudgetThatIsFullAgainIsANewOne() {
    group.retryStarted(SETTINGS, 0);
    group.retryGivenBack(0);
    group.retryStarted(SETTINGS, 0);
    group.retryStarted(SETTINGS, 0);
    group.succeeded(/* wasRetry= */ false, 0);
    group.succeeded(/* wasRetry= */ false, 0);
    for (int i = 0; i < 3; i++) {
      assertThat(group.allowsRetry(SETTINGS, 0)).isTrue();
      group.retryStarted(SETTINGS, 0);
    }
    assertThat(group.allowsRetry(SETTINGS, 0)).isFalse();
  }

  @Test
  void aGroupIsNeededWhileItHasMembersLimitsOrAttempts() {
    assertThat(group.isUnused()).isTrue();
    group.members++;
    assertThat(group.isUnused()).isFalse();
    group.members--;
    group.configure(new GroupSpec(group.key, 1, 0, 1), 0);
    assertThat(group.isUnused()).isFalse();
    group.configure(new GroupSpec(group.key, 0, 0, 1), 0);
    group.started(Pace.SLOW, 0);
    assertThat(group.isUnused()).isFalse();
    group.underWay.add(Pace.SLOW, -1);
    assertThat(group.isUnused()).isTrue();
  }

  @Test
  void anyPlaceInALineCanBeGivenUp() {
    GroupLines lines = new GroupLines();
    SubscriptionState[] states = new SubscriptionState[6];
    for (int i = 0; i < 6; i++) {
      states[i] = state(i + 1);
      lines.add(states[i], /* wasTried= */ false, /* atHead= */ false);
    }
    lines.remove(states[0].waits);
    lines.remove(states[3].waits);
    lines.remove(states[5].waits);
    lines.add(states[3], /* wasTried= */ false, /* atHead= */ true);
    assertThat(lines.size()).isEqualTo(4);
    assertThat(lines.poll(pace -> true, /* isHeld= */ false)).isSameAs(states[3]);
    assertThat(lines.poll(pace -> true, /* isHeld= */ false)).isSameAs(states[1]);
    states[2].counters.pace = Pace.HANGING;
    lines.paceChanged(states[2].waits);
    assertThat(lines.poll(pace -> pace == Pace.UNKNOWN, /* isHeld= */ false)).isSameAs(states[4]);
    assertThat(lines.poll(pace -> pace == Pace.UNKNOWN, /* isHeld= */ false)).isNull();
    assertThat(lines.poll(pace -> true, /* isHeld= */ false)).isSameAs(states[2]);
    assertThat(lines.isEmpty()).isTrue();
    assertThat(states[2].waits).isNull();
  }

  @Test
  void limitsHaveRanges() {
    assertThatThrownBy(() -> new GroupSpec("a", -1, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxInFlight is -1: must be >= 0");
    assertThatThrownBy(() -> new GroupSpec("a", 0, -1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxPerSecond is -1: must be >= 0");
  }
}
