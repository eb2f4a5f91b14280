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
    List<String> disagreeing = new ArrayList<>();
    for (ShardReader reader : engine.readers()) {
      reader
          .recount()
          .forEach(
              (number, recount) -> {
                if (!recount.agrees()) {
                  Subscription subscription = engine.catalog().findSubscription(number);
                  disagreeing.add(subscription == null ? "removed-" + number : subscription.id());
                }
              });
    }
    ObjectNode verified = JsonNodeFactory.instance.objectNode();
    verified.put("agrees", disagreeing.isEmpty());
    verified.put("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    ArrayNode list = verified.putArray("disagreeing");
    disagreeing.forEach(list::add);
    return verified;
  }
}
