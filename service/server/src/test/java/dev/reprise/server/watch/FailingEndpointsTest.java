package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.EndpointStanding.LastOutcome;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.Suspension;
import org.junit.jupiter.api.Test;

class FailingEndpointsTest {
  private static final long NOW = 1_750_000_020_000L;
  private static final LastOutcome LAST =
      new LastOutcome(NOW - 1000, OutcomeClass.SERVER_ERROR, "503 Service Unavailable");

  private static boolean isFailing(long pending, EndpointStanding standing) {
    return isFailing(pending, null, standing);
  }

  private static boolean isFailing(long pending, HeldDeliveries held, EndpointStanding standing) {
    return FailingEndpoints.isFailing(
        new SubscriptionFigures(
            new Ledger(9, pending, 0, 9 - pending, 0, 0, 0, 20),
            ReceiptCounts.NONE,
            RepeatCounts.NONE,
            held,
            standing),
        NOW);
  }

  @Test
  void aRowOfFailuresIsATroubleAfterAWhile() {
    long least = FailingEndpoints.MIN_MILLIS;
    assertThat(isFailing(1, new EndpointStanding(NOW - least + 1, 0, LAST))).isFalse();
    assertThat(isFailing(1, new EndpointStanding(NOW - least, 0, LAST))).isTrue();
    assertThat(isFailing(1, new EndpointStanding(0, NOW - 1000, LAST))).isFalse();
    assertThat(isFailing(1, EndpointStanding.NONE)).isFalse();
  }

  @Test
  void oneThatIsSuspendedIsNoTrouble() {
    Suspension suspension =
        new Suspension(Suspension.Cause.OPERATOR, NOW - 60_000, "their night", 3_600_000, 10);
    assertThat(
            isFailing(
                1,
                new HeldDeliveries(suspension, 1, NOW),
                new EndpointStanding(NOW - 3_600_000, 0, LAST)))
        .isFalse();
  }

  @Test
  void oneThatNothingIsSentToIsNoTroubleAfterADay() {
    LastOutcome old =
        new LastOutcome(NOW - FailingEndpoints.STILL_MILLIS, OutcomeClass.TIMEOUT, "no answer");
    EndpointStanding standing =
        new EndpointStanding(NOW - 2 * FailingEndpoints.STILL_MILLIS, 0, old);
    assertThat(isFailing(0, standing)).isFalse();
    assertThat(isFailing(1, standing)).as("it is tried again").isTrue();
    assertThat(isFailing(0, new EndpointStanding(standing.failingSinceMillis(), 0, LAST))).isTrue();
  }
}
