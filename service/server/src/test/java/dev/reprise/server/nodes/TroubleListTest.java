package dev.reprise.server.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.EndpointStanding.LastOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.RepeatCounts;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.catalog.Labelling;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.server.document.TroublesDocument.Trouble;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TroubleListTest {
  @Test
  void aFailingEndpointSaysWhoseItIsSinceWhenAndWhy() {
    Subscription subscription =
        new Subscription(
            2,
            "alpha",
            "orders",
            SubscriptionSettings.of("https://example.com/")
                .withLabelling(new Labelling("Acme's hook", Map.of(), "acme")),
            0);
    Trouble trouble =
        TroubleList.failing(
            subscription,
            new SubscriptionFigures(
                new Ledger(2000, 1245, 755, 0, 0, 0, 0, 3000),
                ReceiptCounts.NONE,
                RepeatCounts.NONE,
                null,
                new EndpointStanding(
                    1_750_000_020_000L,
                    0,
                    new LastOutcome(
                        1_750_000_080_000L, OutcomeClass.SERVER_ERROR, "500 Internal\nServer"))));
    assertThat(trouble.text())
        .isEqualTo(
            "Every attempt of orders-2 of customer acme has failed, the last with: 500"
                + " Internal Server; 1,245 deliveries are pending.");
    assertThat(trouble.since()).isEqualTo("2025-06-15T15:07:00.000Z");
    assertThat(trouble.project()).isEqualTo("alpha");
    assertThat(trouble.subscription()).isEqualTo("orders-2");
    assertThat(trouble.action()).contains("./reprise subscription show orders-2");
  }

  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  @Test
  void aKeyIsToldInItsLastSevenDaysUnlessItHadNoMore() {
    assertThat(TroubleList.expiresSoon(0, 30 * DAY, 22 * DAY)).isFalse();
    assertThat(TroubleList.expiresSoon(0, 30 * DAY, 23 * DAY)).isTrue();
    assertThat(TroubleList.expiresSoon(0, 30 * DAY, 30 * DAY)).isFalse();
    assertThat(TroubleList.expiresSoon(22 * DAY, 28 * DAY, 23 * DAY)).isFalse();
    assertThat(TroubleList.expiresSoon(0, 0, 23 * DAY)).as("never").isFalse();
  }
}
