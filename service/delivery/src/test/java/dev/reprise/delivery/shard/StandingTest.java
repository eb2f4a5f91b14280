package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.EndpointStanding.LastOutcome;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.store.Batch;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Whether an endpoint fails and since when, through restarts. */
class StandingTest {
  private static final HttpFailure UNAVAILABLE = HttpFailure.status(503, null);
  private static final byte[] LEDGER = Keys.ofSubscription(Keys.LEDGER, 1);
  private static final long HOUR = 3_600_000;

  private final ShardHost host =
      new ShardHost(
          ShardSettings.DEFAULT, new SubscriptionSpec(1, HOURLY, 0, 0, false, 64, "host"));

  private EndpointStanding standing() {
    SubscriptionFigures figures = new ShardReader(host.store).figures(1);
    assertThat(new ShardReader(host.store).figures().getOrDefault(1L, SubscriptionFigures.NONE))
        .usingRecursiveComparison()
        .isEqualTo(figures);
    return figures.standing();
  }

  /** Ends the one attempt that is under way; returns when, in wall time. */
  private long end(HttpFailure failure) {
    host.run();
    assertThat(host.started).hasSize(1);
    Claim claim = host.started.get(0);
    host.end(
        claim,
        new AttemptOutcome(
            failure,
            failure == null ? 200 : 503,
            failure == null ? "200 OK" : "503 Service Unavailable",
            "",
            new byte[0],
            1));
    host.run();
    return host.nowMillis;
  }

  private long publishAndEnd(HttpFailure failure) {
    host.sleep(1000);
    host.publish(1);
    return end(failure);
  }

  private static LastOutcome failed(long at) {
    return new LastOutcome(at, OutcomeClass.SERVER_ERROR, "503 Service Unavailable");
  }

  @Test
  void withoutAnAttemptThereIsNone() {
    assertThat(standing()).isEqualTo(EndpointStanding.NONE);
    host.publish(1);
    host.run();
    assertThat(standing()).isEqualTo(EndpointStanding.NONE);
  }

  @Test
  void aRowOfFailuresBeginsWithTheFirstAndEndsWithASuccess() {
    long first = publishAndEnd(UNAVAILABLE);
    assertThat(standing()).isEqualTo(new EndpointStanding(first, 0, failed(first)));
    host.sleep(HOUR);
    long second = end(UNAVAILABLE);
    assertThat(second).isGreaterThan(first);
    assertThat(standing()).isEqualTo(new EndpointStanding(first, 0, failed(second)));
    host.sleep(HOUR);
    long success = end(null);
    assertThat(standing())
        .isEqualTo(
            new EndpointStanding(
                0, success, new LastOutcome(success, OutcomeClass.SUCCESS, "200 OK")));
    long again = publishAndEnd(UNAVAILABLE);
    assertThat(standing()).isEqualTo(new EndpointStanding(again, success, failed(again)));
  }

  @Test
  void aRestartChangesNothing() {
    long success = publishAndEnd(null);
    long first = publishAndEnd(UNAVAILABLE);
    host.restart();
    host.run();
    assertThat(standing()).isEqualTo(new EndpointStanding(first, success, failed(first)));
    host.sleep(HOUR);
    long second = end(UNAVAILABLE);
    assertThat(standing()).isEqualTo(new EndpointStanding(first, success, failed(second)));
  }

  @Test
  void whatWasNotMadeDoesNotCount() {
    publishAndEnd(null);
    EndpointStanding before = standing();
    host.publish(1);
    host.run();
    host.end(host.started.get(0), AttemptOutcome.notMade("no connection is free"));
    host.run();
    assertThat(standing()).isEqualTo(before);
  }

  @Test
  void timesOfAWrongClockAreMovedBack() {
    long ahead = 10L * 365 * 24 * HOUR;
    long right = host.nowMillis;
    host.nowMillis += ahead;
    publishAndEnd(null);
    publishAndEnd(UNAVAILABLE);
    EndpointStanding wrong = standing();
    long now = host.nowMillis - ahead;
    ClockReset.run(host.store, now, host.nowMillis);
    assertThat(standing())
        .isEqualTo(
            new EndpointStanding(
                wrong.failingSinceMillis() - ahead,
                wrong.lastSuccessMillis() - ahead,
                failed(wrong.last().atMillis() - ahead)));
    assertThat(standing().failingSinceMillis()).isBetween(right, now);
  }

  @Test
  void anOlderProgramReadsTheLedgerWithoutIt() {
    publishAndEnd(UNAVAILABLE);
    byte[] stored = host.store.get(LEDGER);
    Counters counters = Counters.decode(stored);
    counters.standing = new Standing();
    byte[] without = counters.encode();
    assertThat(stored[0]).isEqualTo(without[0]).isEqualTo((byte) 4);
    assertThat(Arrays.copyOf(stored, without.length)).isEqualTo(without);
    assertThat(stored).hasSizeLessThanOrEqualTo(without.length + 21 + 23);
    assertThat(new String(stored, UTF_8)).endsWith("503 Service Unavailable");

    // An older program has owned the shard meanwhile.
    Batch batch = new Batch();
    batch.put(LEDGER, without);
    host.store.write(batch);
    host.restart();
    host.run();
    assertThat(standing()).isEqualTo(EndpointStanding.NONE);
    host.sleep(HOUR);
    long at = end(UNAVAILABLE);
    assertThat(standing()).isEqualTo(new EndpointStanding(at, 0, failed(at)));
  }

  @Test
  void whatANewerProgramHasAddedIsLeftOut() {
    publishAndEnd(UNAVAILABLE);
    byte[] stored = host.store.get(LEDGER);
    Counters counters = Counters.decode(stored);
    counters.standing = new Standing();
    int end = counters.encode().length;
    byte[] newer = stored.clone();
    newer[end] = 2;
    assertThat(Counters.decode(newer).toFigures().ledger()).isEqualTo(counters.toLedger());
    assertThat(Counters.decode(newer).standing.toStanding()).isEqualTo(EndpointStanding.NONE);
    byte[] otherClass = stored.clone();
    otherClass[end + 1 + 6 + 1 + 6] = 99;
    assertThat(Counters.decode(otherClass).toFigures().ledger()).isEqualTo(counters.toLedger());
    assertThat(Counters.decode(otherClass).standing.toStanding()).isEqualTo(EndpointStanding.NONE);
  }
}
