package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static dev.reprise.delivery.shard.ShardHost.NO_RETRY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ReceiptCounts;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.shard.ShardHost.Kept;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports of carriers on messages that they have taken. */
class ShardReceiptsTest {
  private static final String SMSC = "carrier smsc";
  private static final ShardSettings SETTINGS =
      ShardSettings.DEFAULT.withHistory(Duration.ofHours(1));

  private final ShardHost host = new ShardHost(SETTINGS, spec(1), spec(2));

  private static SubscriptionSpec spec(long number) {
    return new SubscriptionSpec(number, HOURLY, 0, 0, false, 64, SMSC);
  }

  /** Publishes to subscription 1; its attempt succeeds, and receipts will come under these ids. */
  private MessageId delivered(String... ids) {
    MessageId message = host.publish(1);
    host.run();
    host.end(host.started.get(0), SimulatedEndpoint.success(1).withReceiptIds(List.of(ids)));
    return message;
  }

  private Kept<Boolean> receive(String group, String id, boolean delivered) {
    Kept<Boolean> known = new Kept<>();
    String summary = delivered ? "DELIVRD" : "UNDELIV, error 011";
    host.give(
        new ShardInput.Received(
            group, id, delivered, delivered ? 0 : 11, summary, host.nowMillis, known));
    return known;
  }

  private int ids() {
    int count = 0;
    byte[] kind = Keys.kind(Keys.RECEIPT);
    try (Store.Cursor cursor = host.store.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  @Test
  void aReceiptIsAnEventOfItsDeliveryAndChangesNothingElse() {
    MessageId message = delivered("4711");
    host.run();
    assertThat(ids()).isEqualTo(1);
    host.sleep(5_000);

    Kept<Boolean> known = receive(SMSC, "4711", false);
    host.run();

    assertThat(known.answer).isTrue();
    ShardReader reader = new ShardReader(host.store);
    StoredDelivery found = reader.find(1, message);
    assertThat(found.state().status()).isEqualTo(Status.DELIVERED);
    assertThat(found.state().atMillis()).isEqualTo(host.nowMillis - 5_000);
    assertThat(found.history())
        .extracting(HistoryEvent::kind)
        .containsExactly(HistoryEvent.Kind.ATTEMPT, HistoryEvent.Kind.RECEIPT);
    HistoryEvent receipt = found.history().get(1);
    assertThat(receipt.attempt()).isEqualTo(1);
    assertThat(receipt.atMillis()).isEqualTo(host.nowMillis);
    assertThat(receipt.outcome().succeeded()).isFalse();
    assertThat(receipt.outcome().status()).isEqualTo(11);
    assertThat(receipt.outcome().summary()).isEqualTo("UNDELIV, error 011");
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 0, 1, 0, 0, 0, 0, 1));
    assertThat(reader.receipts(1)).isEqualTo(new ReceiptCounts(0, 1));
    assertThat(ids()).as("it comes once").isZero();
    Kept<Boolean> again = receive(SMSC, "4711", true);
    host.run();
    assertThat(again.answer).isFalse();
  }

  @Test
  void eachPartOfAMessageHasItsReceipt() {
    MessageId message = delivered("a", "b", "c");
    host.run();
    receive(SMSC, "c", true);
    receive(SMSC, "a", true);
    receive(SMSC, "b", false);
    host.run();
    ShardReader reader = new ShardReader(host.store);
    assertThat(reader.find(1, message).history()).hasSize(4);
    assertThat(reader.receipts(1)).isEqualTo(new ReceiptCounts(2, 1));
    assertThat(reader.attempted(1, Status.DELIVERED, null, 10, 10).items())
        .extracting(StoredDelivery::message)
        .containsExactly(message);
  }

  @Test
  void aReceiptInTheTurnOfItsOutcomeIsKnown() {
    delivered("4711");
    Kept<Boolean> known = receive(SMSC, "4711", true);
    Kept<Boolean> twice = receive(SMSC, "4711", true);
    host.run();
    assertThat(known.answer).isTrue();
    assertThat(twice.answer).isFalse();
    assertThat(ids()).isZero();
  }

  @Test
  void aReceiptAfterARestartIsKnown() {
    delivered("4711");
    host.run();
    host.restart();
    Kept<Boolean> known = receive(SMSC, "4711", true);
    host.run();
    assertThat(known.answer).isTrue();
  }

  @Test
  void anIdIsOneOfItsCarrier() {
    delivered("4711");
    host.run();
    Kept<Boolean> other = receive("carrier other", "4711", true);
    Kept<Boolean> unknown = receive(SMSC, "4712", true);
    host.run();
    assertThat(List.of(other.answer, unknown.answer)).containsExactly(false, false);
    assertThat(host.lastWrites).isZero();
  }

  @Test
  void aReceiptOfARemovedSubscriptionIsKnownToNobody() {
    delivered("4711");
    delivered("4712");
    host.run();
    host.give(new ShardInput.Remove(1));
    host.run();
    Kept<Boolean> known = receive(SMSC, "4711", true);
    host.run();
    assertThat(known.answer).isFalse();
    assertThat(ids()).isEqualTo(1);

    host.sleep(2 * SETTINGS.sweepIntervalMillis());

    assertThat(ids()).as("gone before its time").isZero();
  }

  @Test
  void idsAreForgottenAfterTheTimeOfHistoryInParts() {
    for (int i = 0; i < 1_200; i++) {
      delivered("id " + i);
      host.run();
    }
    host.sleep(SETTINGS.historyMillis() - 1);
    assertThat(ids()).isEqualTo(1_200);
    int turns = host.turns;
    host.sleep(2 * SETTINGS.sweepIntervalMillis());
    assertThat(ids()).isZero();
    assertThat(host.turns - turns).isGreaterThan(3);
  }

  @Test
  void whatIsGivenUpHasNoReceipts() {
    ShardHost strict =
        new ShardHost(SETTINGS, new SubscriptionSpec(1, NO_RETRY, 0, 0, false, 64, SMSC));
    strict.publish(1);
    strict.run();
    strict.end(HttpFailure.status(404, null));
    strict.run();
    assertThat(new ShardReader(strict.store).receipts(1)).isEqualTo(ReceiptCounts.NONE);
    assertThat(new ShardReader(strict.store).receipts(7)).isEqualTo(ReceiptCounts.NONE);
  }
}
