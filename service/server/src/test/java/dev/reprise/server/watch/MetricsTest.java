package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.ShardTotals;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private static final Attempt CLAIM = claim();

  private static final int SUBSCRIPTIONS = 100;

  private final Metrics metrics = new Metrics(SUBSCRIPTIONS, Duration.ZERO, () -> 0);

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void attemptsAreCountedByWhatCameOfThem() {
    attempt(AttemptOutcome.refused("host 'a.example' must have a public address, and has none"));
    attempt(failed(HttpFailure.timeout(Duration.ofSeconds(15))));
    attempt(failed(HttpFailure.connectionError("connection refused", true)));
    attempt(new AttemptOutcome(null, 204, "", "", new byte[0], 1));

    assertThat(metrics.text())
        .contains(
            "reprise_attempts_total{outcome=\"refused\"} 1.0",
            "reprise_attempts_total{outcome=\"timeout\"} 1.0",
            "reprise_attempts_total{outcome=\"connection\"} 1.0",
            "reprise_attempts_total{outcome=\"2xx\"} 1.0",
            "reprise_attempt_duration_seconds_count 4",
            "reprise_first_attempt_delay_seconds_count 4");
  }

  @Test
  void anAttemptThatWasNotMadeIsCountedAsNone() {
    attempt(AttemptOutcome.notMade("no connection was free"));

    assertThat(metrics.text())
        .contains(
            "reprise_attempts_not_made_total 1.0",
            "reprise_attempts_total{outcome=\"other\"} 0.0",
            "reprise_attempts_total{outcome=\"connection\"} 0.0",
            "reprise_attempt_duration_seconds_count 0",
            "reprise_first_attempt_delay_seconds_count 0");
  }

  @Test
  void deliveriesGivenUpAreCountedByAFewSubscriptions() {
    for (int i = 0; i < SUBSCRIPTIONS + 20; i++) {
      metrics.gaveUp("orders-" + i);
    }
    metrics.gaveUp("orders-0");
    metrics.gaveUp("orders-110");

    // A series begins with 0: an alert on its increase sees what was counted before it was read.
    assertThat(metrics.text())
        .contains("reprise_deliveries_given_up_total{subscription=\"orders-0\"} 0.0");
    assertThat(metrics.text())
        .contains(
            "reprise_deliveries_given_up_total{subscription=\"orders-0\"} 2.0",
            "reprise_deliveries_given_up_total{subscription=\"(other)\"} 21.0");
    assertThat(metrics.text().lines().filter(line -> line.contains("given_up_total{")))
        .hasSize(SUBSCRIPTIONS + 1);
  }

  @Test
  void receiptsBeginWithZero() {
    metrics.received("smsc", true, true);
    String series = "reprise_receipts_total{carrier=\"smsc\",outcome=\"delivered\"} ";
    assertThat(metrics.text()).contains(series + "0.0");
    metrics.received("smsc", true, true);
    assertThat(metrics.text()).contains(series + "2.0");
  }

  @Test
  void whatShardsDoHereIsCountedThroughMovesAndReturns() {
    metrics.look(Map.of("0", delivered(2000), "1", delivered(10)));
    metrics.look(Map.of("0", delivered(2007), "1", delivered(10)));
    // Both leave and return before the next scrape; the other node has delivered meanwhile.
    metrics.look(Map.of("0 again", delivered(3000), "1 again", delivered(4000)));
    assertThat(metrics.text())
        .contains(
            "reprise_deliveries_delivered_total 7.0", "reprise_deliveries_accepted_total 7.0");
    metrics.look(Map.of("1 again", delivered(4001)));
    assertThat(metrics.text())
        .contains(
            "reprise_deliveries_delivered_total 8.0", "reprise_deliveries_accepted_total 8.0");
  }

  @Test
  void heldSeriesOfAllKindsAreThereWhileNothingIsHeld() {
    metrics.held(List.of());
    assertThat(metrics.text())
        .contains(
            "reprise_held{code=\"(none)\",kind=\"subscription\"} 0.0",
            "reprise_held{code=\"(none)\",kind=\"host\"} 0.0",
            "reprise_held{code=\"(none)\",kind=\"carrier\"} 0.0",
            "reprise_held_refused{code=\"(none)\",kind=\"carrier\"} 0.0");
    metrics.held(List.of(new RefusalHold("carrier smsc", 0, "403", 10, 1, "reason")));
    assertThat(metrics.text())
        .contains(
            "reprise_held{code=\"403\",kind=\"carrier\"} 1.0",
            "reprise_held_refused{code=\"403\",kind=\"carrier\"} 10.0",
            "reprise_held{code=\"(none)\",kind=\"carrier\"} 0.0");
  }

  private static ShardTotals delivered(long count) {
    return new ShardTotals(new Ledger(count, 0, count, 0, 0, 0, 0, count), RepeatCounts.NONE);
  }

  private void attempt(AttemptOutcome outcome) {
    metrics.attemptEnded(CLAIM, CLAIM.message().publishedAtMillis(), outcome);
  }

  private record Claimed(
      long subscription, MessageId message, int attempt, byte[] payload, long startedNanos)
      implements Attempt {}

  private static Attempt claim() {
    MessageId message = MessageId.create(System.currentTimeMillis(), new Random(1));
    return new Claimed(1, message, 1, new byte[0], 1);
  }

  private static AttemptOutcome failed(HttpFailure failure) {
    return new AttemptOutcome(failure, 0, failure.describe(), "", new byte[0], 1);
  }
}
