package dev.reprise.server.api;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.document.LedgerDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.openapi.LedgerDescriptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Operations on the ledger, which says where every delivery has gone. */
final class LedgerOperations {
  /** The figures that a count of the records confirms. */
  private static final List<String> FROM_RECORDS = List.of("pending", "deadLettered");

  /** The figures of what leaves no record behind, or not always. */
  private static final List<String> FROM_COUNTERS =
      List.of("accepted", "delivered", "discarded", "expired", "moved", "attempts");

  private final DeliveryEngine engine;
  private final ClusterView cluster;
  private final Executor executor;

  LedgerOperations(DeliveryEngine engine, ClusterView cluster, Executor executor) {
    this.engine = engine;
    this.cluster = cluster;
    this.executor = executor;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(Use.READ, Place.ANYWHERE, "GET", "/v1/ledger", "", this::show)
            .described(LedgerDescriptions.GET_LEDGER));
  }

  private CompletionStage<Answer> show(Call call) {
    boolean verify = RequestFields.bool(call.query().text("verify"), "verify");
    if (!call.everything()) {
      return CompletableFuture.completedFuture(Answer.json(200, ofProject(call, verify)));
    }
    // First what is not taken: what a shard takes meanwhile is twice there for a moment, not
    // nowhere.
    return cluster.notTaken().thenApplyAsync(notTaken -> show(notTaken, verify), executor);
  }

  private Answer show(LedgerDocument.NotTaken notTaken, boolean verify) {
    Map<Long, Ledger> bySubscription = new TreeMap<>();
    Ledger removed = Ledger.EMPTY;
    List<String> lost = new ArrayList<>();
    int shard = 0;
    for (DeliveryReader reader : engine.readers()) {
      for (IntakeLog log : IntakeLog.values()) {
        LostIntake gone = reader.lostIntake(log);
        if (!gone.acknowledged()) {
          lost.add(gone.message(cluster.partition(log, shard)));
        }
      }
      shard++;
      DeliveryReader.Ledgers ledgers = reader.allLedgers();
      // One that is spread is in several shards.
      ledgers.open().forEach((number, each) -> bySubscription.merge(number, each, Ledger::plus));
      removed = removed.plus(ledgers.closed());
    }
    Ledger total = removed;
    List<LedgerDocument.Line> lines = new ArrayList<>();
    for (Map.Entry<Long, Ledger> entry : bySubscription.entrySet()) {
      total = total.plus(entry.getValue());
      Subscription subscription = engine.catalog().findSubscription(entry.getKey());
      if (subscription == null) {
        // Being removed: its deliveries are on their way to the discarded ones.
        removed = removed.plus(entry.getValue());
      } else {
        lines.add(
            new LedgerDocument.Line(
                subscription.id(), SubscriptionDocuments.ledger(entry.getValue())));
      }
    }
    return Answer.json(
        200,
        new LedgerDocument(
            SubscriptionDocuments.ledger(total),
            lines,
            SubscriptionDocuments.ledger(removed),
            notTaken,
            lost,
            verify ? verify() : null));
  }

  /** One project's part. Removed subscriptions are counted together, for all projects. */
  private LedgerDocument ofProject(Call call, boolean verify) {
    if (verify) {
      throw ApiException.invalid(
          "verify",
          "true",
          "must be absent for one project: it counts the whole store, which an operator may ask"
              + " for without "
              + AccessControl.PROJECT_HEADER);
    }
    Ledger total = Ledger.EMPTY;
    List<LedgerDocument.Line> lines = new ArrayList<>();
    for (Subscription subscription : call.catalog().subscriptions()) {
      Ledger ledger = engine.reader(subscription).ledger(subscription.number());
      total = total.plus(ledger);
      lines.add(new LedgerDocument.Line(subscription.id(), SubscriptionDocuments.ledger(ledger)));
    }
    return new LedgerDocument(
        SubscriptionDocuments.ledger(total),
        lines,
        SubscriptionDocuments.ledger(Ledger.EMPTY),
        null,
        List.of(),
        null);
  }

  private LedgerDocument.Verified verify() {
    long start = System.nanoTime();
    List<String> disagreeing = new ArrayList<>();
    List<LedgerDocument.WrongPayload> wrongPayloads = new ArrayList<>();
    boolean agrees = true;
    long unreadable = 0;
    long seen = 0;
    for (DeliveryReader reader : engine.readers()) {
      DeliveryReader.Audit audit = reader.audit();
      agrees &= audit.agrees();
      for (Map.Entry<Long, DeliveryReader.Recount> entry : audit.subscriptions().entrySet()) {
        unreadable += entry.getValue().unreadableRecords();
        seen += entry.getValue().records();
        if (!entry.getValue().agrees()) {
          Subscription subscription = engine.catalog().findSubscription(entry.getKey());
          disagreeing.add(subscription == null ? "removed-" + entry.getKey() : subscription.id());
        }
      }
      for (DeliveryReader.WrongPayload wrong : audit.wrongPayloads()) {
        wrongPayloads.add(
            new LedgerDocument.WrongPayload(
                wrong.message().toString(), wrong.stored(), wrong.counted(), wrong.needed()));
      }
    }
    return new LedgerDocument.Verified(
        agrees,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
        seen,
        disagreeing,
        unreadable,
        wrongPayloads,
        FROM_RECORDS,
        FROM_COUNTERS);
  }
}
