package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static dev.reprise.delivery.shard.ShardHost.NO_RETRY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.DeliveryReader.Audit;
import dev.reprise.delivery.DeliveryReader.WrongPayload;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.Batch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A count of the store finds what is missing, too much or unreadable, and names it. */
class ShardAuditTest {
  private ShardHost host;
  private ShardReader reader;
  private MessageId shared;
  private MessageId other;
  private MessageId small;

  @BeforeEach
  void somePendingAndOneDead() {
    host =
        new ShardHost(
            ShardSettings.DEFAULT,
            new SubscriptionSpec(1, HOURLY, 1, 0, false, 1, "one"),
            new SubscriptionSpec(2, NO_RETRY, 0, 0, false, 1, "other"));
    reader = new ShardReader(host.store);
    shared = host.publishAt(host.nowMillis, 5000, 1, 2);
    other = host.publishAt(host.nowMillis, 5000, 1);
    small = host.publishAt(host.nowMillis, 10, 1);
    host.run();
    Claim claim =
        host.started.stream().filter(c -> c.subscription() == 2).findFirst().orElseThrow();
    host.end(claim, HttpFailure.status(404, null));
    host.run();
    assertThat(reader.audit().agrees()).isTrue();
  }

  private void put(byte[] key, byte[] value) {
    Batch batch = new Batch();
    batch.put(key, value);
    host.store.write(batch);
  }

  private void delete(byte[] key) {
    Batch batch = new Batch();
    batch.delete(key);
    host.store.write(batch);
  }

  private Audit disagreeing() {
    Audit audit = reader.audit();
    assertThat(audit.agrees()).isFalse();
    return audit;
  }

  @Test
  void aLostPayloadIsNamed() {
    delete(Keys.ofMessage(Keys.PAYLOAD, shared));
    assertThat(disagreeing().wrongPayloads())
        .containsExactly(new WrongPayload(shared, false, 2, 2));
  }

  @Test
  void aLostCountIsNamed() {
    delete(Keys.ofMessage(Keys.SHARE_COUNT, shared));
    assertThat(disagreeing().wrongPayloads()).containsExactly(new WrongPayload(shared, true, 0, 2));
  }

  @Test
  void aWrongCountIsNamed() {
    put(Keys.ofMessage(Keys.SHARE_COUNT, other), new RecordCodec.Writer(5).number(7).toBytes());
    assertThat(disagreeing().wrongPayloads()).containsExactly(new WrongPayload(other, true, 7, 1));
  }

  @Test
  void aPayloadThatNobodyNeedsIsNamed() {
    put(Keys.ofMessage(Keys.PAYLOAD, small), new byte[5000]);
    assertThat(disagreeing().wrongPayloads()).containsExactly(new WrongPayload(small, true, 0, 0));
  }

  @Test
  void whatCannotBeReadIsCountedAndTheCountGoesOn() {
    byte[] pending = Keys.timed(Keys.PENDING, 1, small.publishedAtMillis(), small);
    assertThat(host.store.get(pending)).isNotNull();
    host.store.damage(pending);
    Audit audit = disagreeing();
    assertThat(audit.wrongPayloads()).isEmpty();
    assertThat(audit.subscriptions().get(1L).unreadableRecords()).isEqualTo(1);
    assertThat(audit.subscriptions().get(1L).pendingRecords()).isEqualTo(3);
    assertThat(audit.subscriptions().get(2L).agrees()).isTrue();

    put(Keys.ofSubscription(Keys.LEDGER, 2), new byte[] {99});
    assertThat(disagreeing().subscriptions().get(2L).unreadableRecords()).isEqualTo(1);
  }
}
