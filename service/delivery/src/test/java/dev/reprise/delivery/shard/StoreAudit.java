package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.delivery.DeliveryReader.Audit;
import dev.reprise.delivery.DeliveryReader.Recount;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Counts the whole store again: each entry is there for a reason, and what must be there is. */
final class StoreAudit {
  private final ShardModel model;
  private final SimulatedStore store;

  private final ShardReader reader;

  private final Map<Byte, Integer> entries = new HashMap<>();
  private final Set<ByteBuffer> history = new HashSet<>();
  private final Map<Long, Long> historyBytes = new HashMap<>();
  private final Map<Long, Long> deadLetterBytes = new HashMap<>();
  private long minuteBytes;

  private StoreAudit(ShardModel model, SimulatedStore store) {
    this.model = model;
    this.store = store;
    this.reader = new ShardReader(store);
  }

  static void run(ShardModel model, SimulatedStore store) {
    new StoreAudit(model, store).run();
  }

  /** After everything has ended and is forgotten, only the sums are left. */
  static void nothingLeft(SimulatedStore store) {
    try (Store.Cursor cursor = store.range(new byte[] {0}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        byte kind = cursor.key()[0];
        require(kind == Keys.LEDGER || kind == Keys.STATE, "%s is left", cursor.key());
      }
    }
  }

  private void run() {
    try (Store.Cursor cursor = store.range(new byte[] {0}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        entry(cursor.key(), cursor.value());
      }
    }
    int pending = 0;
    int dead = 0;
    for (ModelSubscription state : model.subscriptions.values()) {
      for (ModelDelivery delivery : state.open.values()) {
        TurnCheck.record(store, delivery);
        pending += delivery.status == Status.PENDING ? 1 : 0;
        dead += delivery.kept ? 1 : 0;
        attempts(delivery);
        shown(delivery);
      }
    }
    byte[] counted = store.get(Keys.MINUTE_BYTES);
    require(
        minuteBytes == (counted == null ? 0 : new RecordCodec.Reader(counted).number()),
        "%s bytes of figures are counted wrongly",
        minuteBytes);
    count(Keys.PENDING, pending);
    count(Keys.DEAD_LETTER, dead);
    int shared = 0;
    for (ModelDelivery.Message message : model.messages.values()) {
      TurnCheck.payload(store, message);
      shared += message.shared() && message.references > 0 ? 1 : 0;
    }
    count(Keys.RECEIPT, model.awaited.size());
    count(Keys.PAYLOAD, shared);
    count(Keys.SHARE_COUNT, shared);
    Audit audit = reader.audit();
    require(audit.wrongPayloads().isEmpty(), "%s", audit);
    audit.subscriptions().forEach((number, recount) -> agrees(number, recount, audit));
  }

  private void agrees(long number, Recount recount, Audit audit) {
    ModelSubscription state = model.subscriptions.get(number);
    long unreadable =
        state == null
            ? 0
            : state.open.values().stream()
                .filter(d -> d.unreadable && d.status == Status.PENDING)
                .count();
    require(recount.unreadableRecords() == unreadable, "%s unreadable: %s", unreadable, audit);
    Recount readable =
        new Recount(
            recount.ledger(),
            recount.pendingRecords(),
            recount.deadRecords(),
            recount.expiredRecords(),
            0);
    require(readable.agrees(), "%s", audit);
  }

  private void count(byte kind, int expected) {
    int found = entries.getOrDefault(kind, 0);
    require(found == expected, "%s entries of kind %c, expected %s", found, kind, expected);
  }

  private void entry(byte[] key, byte[] value) {
    entries.merge(key[0], 1, Integer::sum);
    switch (key[0]) {
      case Keys.HISTORY -> {
        history.add(ByteBuffer.wrap(key));
        long bytes = (long) key.length + value.length;
        historyBytes.merge(Keys.subscription(key), bytes, Long::sum);
      }
      case Keys.IDEMPOTENCY -> {
        ByteBuffer digest = ByteBuffer.wrap(Arrays.copyOfRange(key, 1, key.length));
        IdempotencyKeys.Entry stored = IdempotencyKeys.Entry.decode(value);
        ShardModel.ReservedKey expected = model.reserved.get(digest);
        require(
            expected != null
                && expected.message().equals(stored.message())
                && expected.keyed().shards().equals(stored.shards())
                && expected.fingerprint() == stored.fingerprint(),
            "key stands for %s, expected %s",
            stored,
            expected);
      }
      case Keys.ACCEPTED -> {
        MessageId message = Keys.messageOnly(key);
        Integer accepted = model.acceptedKeyed.get(message);
        require(accepted != null, "%s was never accepted", message);
        require(
            new RecordCodec.Reader(value).count() == accepted,
            "%s counts deliveries wrongly",
            message);
      }
      case Keys.LEDGER -> {
        long number = Keys.subscription(key);
        require(model.subscriptions.containsKey(number), "ledger of nobody: %s", key);
        long counted = Counters.decode(value).historyBytes;
        long held = historyBytes.getOrDefault(number, 0L);
        require(counted == held, "%s holds %s bytes of history, not %s", number, held, counted);
        long countedDead = Counters.decode(value).deadLetterBytes;
        long dead = deadLetterBytes.getOrDefault(number, 0L);
        require(
            countedDead == dead,
            "%s holds %s bytes of dead letters, not %s",
            number,
            dead,
            countedDead);
      }
      case Keys.MINUTE -> minuteBytes += key.length + value.length;
      case Keys.RECEIPT -> {
        AwaitedReceipt expected = model.awaited.get(ByteBuffer.wrap(key));
        AwaitedReceipt stored = AwaitedReceipt.decode(value);
        require(stored.equals(expected), "receipt for %s, expected for %s", stored, expected);
      }
      case Keys.DEAD_LETTER ->
          deadLetterBytes.merge(
              Keys.subscription(key), (long) key.length + value.length, Long::sum);
      case Keys.PENDING, Keys.PAYLOAD, Keys.SHARE_COUNT, Keys.STATE -> {}
      default -> throw new AssertionError("unknown entry " + TurnCheck.hex(key));
    }
  }

  /** People are shown where it stands. */
  private void shown(ModelDelivery delivery) {
    StoredDelivery shown = reader.find(delivery.subscription, delivery.message.id);
    require(shown != null, "is not shown: %s", delivery);
    require(
        shown.state().status() == delivery.status && shown.attempts() == delivery.attempts,
        "is shown as %s: %s",
        shown,
        delivery);
  }

  /** The history of what has not ended holds its attempts without a gap. */
  private void attempts(ModelDelivery delivery) {
    for (int attempt = 1; attempt <= delivery.attempts; attempt++) {
      byte[] key =
          Keys.history(
              delivery.subscription,
              delivery.message.id,
              attempt,
              Code.EVENT.of(HistoryEvent.Kind.ATTEMPT));
      boolean trimmed = attempt > 10 && attempt <= delivery.attempts - 100;
      require(
          model.historyMayGo || history.contains(ByteBuffer.wrap(key)) != trimmed,
          "attempt %s is%s in the history: %s",
          attempt,
          trimmed ? " still" : " not",
          delivery);
    }
  }
}
