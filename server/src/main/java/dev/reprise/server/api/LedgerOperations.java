package dev.reprise.server.api;

import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.shard.ShardReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Where every delivery has gone. */
final class LedgerOperations {
  /** The figures that a count of the records confirms. */
  private static final List<String> FROM_RECORDS = List.of("pending", "deadLettered");

  /** The figures of what leaves no record behind, or not always. */
  private static final List<String> FROM_COUNTERS =
      List.of("accepted", "delivered", "discarded", "expired", "attempts");

  private final DeliveryEngine engine;

  LedgerOperations(DeliveryEngine engine) {
    this.engine = engine;
  }

  List<Route> routes() {
    return List.of(Routes.reading("GET", "/v1/ledger", this::show));
  }

  private Answer show(Call call) {
    boolean verify = Fields.bool(call.query("verify").text("verify"), "verify");
    Map<Long, Ledger> bySubscription = new TreeMap<>();
    Ledger removed = Ledger.EMPTY;
    for (ShardReader reader : engine.readers()) {
      ShardReader.Ledgers ledgers = reader.allLedgers();
      bySubscription.putAll(ledgers.open());
      removed = removed.plus(ledgers.closed());
    }
    Ledger total = removed;
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ObjectNode totals = body.putObject("total");
    ArrayNode items = body.putArray("subscriptions");
    for (Map.Entry<Long, Ledger> entry : bySubscription.entrySet()) {
      total = total.plus(entry.getValue());
      Subscription subscription = engine.catalog().findSubscription(entry.getKey());
      if (subscription == null) {
        // Being removed: its deliveries are on their way to the discarded ones.
        removed = removed.plus(entry.getValue());
      } else {
        items
            .addObject()
            .put("id", subscription.id())
            .setAll(SubscriptionDocuments.ledger(entry.getValue()));
      }
    }
    totals.setAll(SubscriptionDocuments.ledger(total));
    body.set("removed", SubscriptionDocuments.ledger(removed));
    if (verify) {
      body.set("verified", verify());
    } else {
      body.putNull("verified");
    }
    return Answer.json(200, body);
  }

  private ObjectNode verify() {
    long start = System.nanoTime();
    ObjectNode verified = JsonNodeFactory.instance.objectNode();
    List<String> disagreeing = new ArrayList<>();
    ArrayNode wrongPayloads = JsonNodeFactory.instance.arrayNode();
    boolean agrees = true;
    long unreadable = 0;
    for (ShardReader reader : engine.readers()) {
      ShardReader.Audit audit = reader.audit();
      agrees &= audit.agrees();
      for (Map.Entry<Long, ShardReader.Recount> entry : audit.subscriptions().entrySet()) {
        unreadable += entry.getValue().unreadableRecords();
        if (!entry.getValue().agrees()) {
          Subscription subscription = engine.catalog().findSubscription(entry.getKey());
          disagreeing.add(subscription == null ? "removed-" + entry.getKey() : subscription.id());
        }
      }
      for (ShardReader.WrongPayload wrong : audit.wrongPayloads()) {
        wrongPayloads
            .addObject()
            .put("messageId", wrong.message().toString())
            .put("stored", wrong.stored())
            .put("counted", wrong.counted())
            .put("needed", wrong.needed());
      }
    }
    verified.put("agrees", agrees);
    verified.put("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    disagreeing.forEach(verified.putArray("disagreeing")::add);
    verified.put("unreadable", unreadable);
    verified.set("wrongPayloads", wrongPayloads);
    FROM_RECORDS.forEach(verified.putArray("fromRecords")::add);
    FROM_COUNTERS.forEach(verified.putArray("fromCounters")::add);
    return verified;
  }
}
