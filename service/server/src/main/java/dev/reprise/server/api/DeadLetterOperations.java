package dev.reprise.server.api;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.Backlog;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.ChangeDocument;
import dev.reprise.server.document.DeadLetterSummaryDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Listing;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.StrictJson;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.DeadLetterDescriptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Dead letters: listed, redriven, purged. */
final class DeadLetterOperations {
  static final int MAX_PER_SECOND = 1_000_000;

  /** The number of dead letters that one request counts. */
  private static final int MAX_COUNTED = 100_000;

  private static final String[] FILTER = {
    "reason", "message", "diedFrom", "diedTo", "attributes", "text"
  };

  private final DeliveryEngine engine;
  private final Executor workers;

  DeadLetterOperations(DeliveryEngine engine, Executor workers) {
    this.engine = engine;
    this.workers = workers;
  }

  List<Route> routes() {
    String deadLetters = "/v1/subscriptions/{id}/dead-letters";
    return List.of(
        Routes.reading(Use.READ, Place.SUBSCRIPTION, "GET", deadLetters, this::list)
            .described(DeadLetterDescriptions.LIST_DEAD_LETTERS),
        Routes.reading(Use.READ, Place.SUBSCRIPTION, "GET", deadLetters + "/summary", this::summary)
            .described(DeadLetterDescriptions.COUNT_DEAD_LETTERS),
        Routes.waiting(Use.CHANGE, Place.SUBSCRIPTION, "DELETE", deadLetters, "", this::purge)
            .described(DeadLetterDescriptions.PURGE_DEAD_LETTERS),
        Routes.waiting(
                Use.CHANGE,
                Place.SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/redrive",
                Route.JSON,
                this::redrive)
            .described(DeadLetterDescriptions.REDRIVE));
  }

  private Answer list(Call call) {
    Query query = call.query();
    DeadLetterFilter filter = filter(query);
    int limit = query.limit();
    Subscription subscription = call.catalog().subscription(call.path("id"));
    String cursor = query.cursor();
    Position from =
        cursor == null
            ? null
            : Cursor.read(cursor, "d", (kind, c) -> c.positionOrStart()).orElse(null);
    DeliveryReader.Page<Position> page =
        engine
            .reader(subscription)
            .deadLetters(subscription.number(), filter, from, limit, DeliveryOperations.MAX_SEEN);
    List<DeliveryDocument> items = new ArrayList<>();
    for (StoredDelivery dead : page.items()) {
      items.add(DeliveryDocuments.listed(subscription, dead, engine.nowMillis(), false));
    }
    return Listing.answer(
        items,
        page.next() == null ? null : Cursor.of('d').position(page.next()).toString(),
        page.seen());
  }

  /** Counts by reason; a part in each call, so that millions do not hold it up. */
  private Answer summary(Call call) {
    Query query = call.query();
    Subscription subscription = call.catalog().subscription(call.path("id"));
    String cursor = query.cursor();
    Position from =
        cursor == null
            ? null
            : Cursor.read(cursor, "d", (kind, c) -> c.positionOrStart()).orElse(null);
    DeliveryReader.DeadLetterSummary summary =
        engine
            .reader(subscription)
            .summary(subscription.number(), filter(query), from, MAX_COUNTED);
    List<DeadLetterSummaryDocument.ReasonDocument> reasons = new ArrayList<>();
    summary
        .reasons()
        .forEach(
            (reason, count) ->
                reasons.add(
                    new DeadLetterSummaryDocument.ReasonDocument(
                        reason.name(),
                        count.count(),
                        Times.text(count.oldestMillis()),
                        Times.text(count.newestMillis()))));
    return Answer.json(
        200,
        new DeadLetterSummaryDocument(
            reasons,
            summary.seen(),
            summary.next() == null ? null : Cursor.of('d').position(summary.next()).toString()));
  }

  private CompletionStage<Answer> purge(Call call) {
    Query query = call.query();
    Subscription subscription = call.catalog().subscription(call.path("id"));
    Part part = part(query.cursor());
    SweepRequest request = part.request(filter(query), query.limit(Query.MAX_LIMIT), 0);
    return engine
        .backlog(subscription)
        .purge(request)
        .thenApplyAsync(progress -> Answer.json(200, changed(request, progress)), workers);
  }

  private CompletionStage<Answer> redrive(Call call) {
    call.query();
    JsonNode document = call.object("filter", "perSecond", "dryRun", "cursor", "limit", "to");
    Subscription subscription = call.catalog().subscription(call.path("id"));
    Subscription target = target(call, document, subscription);
    Part part = part(RequestFields.string(document, "cursor"));
    int limit = RequestFields.integer(document, "limit", Query.MAX_LIMIT, Query.MAX_LIMIT);
    SweepRequest request = part.request(filter(document.get("filter")), limit, pace(document));
    if (RequestFields.bool(document, "dryRun")) {
      return CompletableFuture.completedFuture(dryRun(subscription, request));
    }
    Backlog backlog = engine.backlog(subscription);
    return (target == null ? backlog.redrive(request) : backlog.redriveTo(target, request))
        .thenApplyAsync(progress -> Answer.json(200, changed(request, progress)), workers);
  }

  /** The subscription that gets the dead letters; null for the one whose they are. */
  private static @Nullable Subscription target(
      Call call, JsonNode document, Subscription subscription) {
    String id = RequestFields.string(document, "to");
    if (id == null || id.equals(subscription.id())) {
      return null;
    }
    JsonNode pace = document.get("perSecond");
    if (pace != null && !pace.isNull()) {
      throw ApiException.invalid(
          "perSecond", RequestFields.shortened(pace.toString()), "must be absent when to is given");
    }
    Subscription target = call.catalog().subscription(id);
    if (!target.mayTakeLettersOf(subscription)) {
      throw ApiException.invalid("to", RequestFields.shortened(id), Subscription.APART);
    }
    return target;
  }

  /** Counts what a redrive would move, by the same steps and with the same bounds. */
  private Answer dryRun(Subscription subscription, SweepRequest request) {
    SweepProgress counted = engine.backlog(subscription).count(request);
    return Answer.json(
        200, ChangeDocument.matched(counted.changed(), next(request, counted), counted.seen()));
  }

  private static double pace(JsonNode document) {
    JsonNode node = document.get("perSecond");
    if (node == null || node.isNull()) {
      return 0;
    }
    if (node.isNumber()) {
      double perSecond = node.doubleValue();
      if (perSecond >= 0.001 && perSecond <= MAX_PER_SECOND) {
        return perSecond;
      }
    }
    throw ApiException.invalid(
        "perSecond",
        RequestFields.shortened(node.toString()),
        "must be a number from 0.001 to " + MAX_PER_SECOND);
  }

  private static ChangeDocument changed(SweepRequest request, SweepProgress progress) {
    return ChangeDocument.changed(progress.changed(), next(request, progress), progress.seen());
  }

  private static @Nullable String next(SweepRequest request, SweepProgress progress) {
    Position next = progress.next();
    return next == null
        ? null
        : Cursor.of('w')
            .number(request.startedAtMillis())
            .number(request.before() + progress.changed())
            .position(next)
            .toString();
  }

  /**
   * The position at which a walk continues, which clients carry from call to call.
   *
   * @param startedAtMillis when its first part began
   * @param before how many dead letters its earlier parts have changed
   */
  private record Part(long startedAtMillis, long before, Optional<Position> from) {
    SweepRequest request(DeadLetterFilter filter, int limit, double perSecond) {
      return new SweepRequest(filter, startedAtMillis, from.orElse(null), limit, perSecond, before);
    }
  }

  private Part part(@Nullable String cursor) {
    // A dead letter of this very millisecond belongs to the walk, too.
    return cursor == null
        ? new Part(engine.nowMillis() + 1, 0, Optional.empty())
        : Cursor.read(
            cursor, "w", (kind, c) -> new Part(c.count(), c.count(), c.positionOrStart()));
  }

  private static DeadLetterFilter filter(Query query) {
    String attributes = query.text("attributes");
    return filter(
        query.text("reason"),
        query.text("message"),
        query.text("diedFrom"),
        query.text("diedTo"),
        attributes == null
            ? null
            : StrictJson.read(attributes.getBytes(StandardCharsets.UTF_8), "attributes"),
        query.text("text"));
  }

  private static DeadLetterFilter filter(@Nullable JsonNode document) {
    if (document == null || document.isNull()) {
      return DeadLetterFilter.ALL;
    }
    RequestFields.check(document, "filter", List.of(FILTER));
    return filter(
        RequestFields.string(document, "reason"),
        RequestFields.string(document, "message"),
        RequestFields.string(document, "diedFrom"),
        RequestFields.string(document, "diedTo"),
        document.get("attributes"),
        RequestFields.string(document, "text"));
  }

  private static DeadLetterFilter filter(
      @Nullable String reason,
      @Nullable String message,
      @Nullable String diedFrom,
      @Nullable String diedTo,
      @Nullable JsonNode attributes,
      @Nullable String text) {
    AttributeFilter byAttributes =
        attributes == null || attributes.isNull()
            ? null
            : RequestFields.filter(attributes, "attributes");
    long from = RequestFields.time(diedFrom, "diedFrom", 0);
    long to = RequestFields.time(diedTo, "diedTo", Long.MAX_VALUE);
    if (from >= to) {
      throw ApiException.invalid("diedFrom", diedFrom + "", "must be before diedTo, " + diedTo);
    }
    return new DeadLetterFilter(
        reason == null ? null : RequestFields.reason(reason, "reason"),
        message == null ? null : RequestFields.message(message, "message"),
        from,
        to,
        byAttributes,
        text);
  }
}
