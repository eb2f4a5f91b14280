package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.DeadLetters;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.Backlog;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.ChangeDocument;
import dev.reprise.server.document.CountsDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.ReceiptDocument;
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
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.DeliveryDescriptions;
import dev.reprise.server.openapi.SubscriptionDescriptions;
import dev.reprise.server.publish.MessageReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Looking at deliveries. */
final class DeliveryOperations {
  /** The number of records that one request may look at for its answer. */
  static final int MAX_SEEN = 10_000;

  /** The number of pending deliveries that one request counts. */
  private static final int MAX_COUNTED = 100_000;

  private static final String TEST_ATTRIBUTES = "{\"reprise-test\":\"true\"}";

  private static final List<String> STATUSES =
      List.of("pending", "delivered", "dead-lettered", "discarded", "expired", "moved");

  private final DeliveryEngine engine;
  private final EndpointState states;

  DeliveryOperations(DeliveryEngine engine, EndpointState states) {
    this.engine = engine;
    this.states = states;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(
                Use.READ, Place.SUBSCRIPTION_PARAMETER, "GET", "/v1/deliveries", "", this::list)
            .described(DeliveryDescriptions.LIST_DELIVERIES),
        Routes.waiting(Use.READ, Place.DELIVERY, "GET", "/v1/deliveries/{id}", "", this::show)
            .described(DeliveryDescriptions.GET_DELIVERY),
        Routes.waiting(
                Use.CHANGE,
                Place.SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/attempt-now",
                Route.JSON,
                call -> walk(call, Backlog::attemptNow))
            .described(DeliveryDescriptions.ATTEMPT_NOW),
        Routes.waiting(
                Use.CHANGE,
                Place.SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/cancel",
                Route.JSON,
                call -> walk(call, Backlog::cancel))
            .described(DeliveryDescriptions.CANCEL),
        Routes.waiting(
                Use.CHANGE,
                Place.SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/test",
                Route.JSON,
                this::sendTestMessage)
            .described(SubscriptionDescriptions.SEND_TEST_MESSAGE),
        Routes.reading(
                Use.READ, Place.SUBSCRIPTION, "GET", "/v1/subscriptions/{id}/counts", this::counts)
            .described(DeliveryDescriptions.COUNT_DELIVERIES));
  }

  private CompletionStage<Answer> show(Call call) {
    call.query();
    String id = call.path("id");
    int at = id.indexOf('@');
    if (at < 0) {
      throw ApiException.invalid(
          "id", RequestFields.shortened(id), "must be a message id, @ and a subscription id");
    }
    MessageId message = RequestFields.message(id.substring(0, at), "id");
    Subscription subscription = call.catalog().subscription(id.substring(at + 1));
    StoredDelivery delivery = engine.reader(subscription).find(subscription.number(), message);
    if (delivery == null) {
      throw new NotFoundException("delivery", id);
    }
    if (delivery.state().status() != Status.PENDING) {
      return CompletableFuture.completedFuture(
          Answer.json(
              200, DeliveryDocuments.whole(subscription, delivery, engine.nowMillis(), null)));
    }
    return states.with(
        subscription,
        message,
        health ->
            Answer.json(
                200,
                DeliveryDocuments.whole(
                    subscription, delivery, engine.nowMillis(), health.orElse(null))));
  }

  /** Changes a part of what is pending. */
  private interface PendingWalk {
    CompletionStage<SweepProgress> run(
        Backlog backlog, @Nullable MessageId message, @Nullable Position from, int limit);
  }

  private CompletionStage<Answer> walk(Call call, PendingWalk walk) {
    call.query();
    JsonNode document = call.object("message", "cursor", "limit");
    String text = RequestFields.string(document, "message");
    MessageId message = text == null ? null : RequestFields.message(text, "message");
    int limit = RequestFields.integer(document, "limit", Query.MAX_LIMIT, Query.MAX_LIMIT);
    String cursor = RequestFields.string(document, "cursor");
    Position from =
        cursor == null
            ? null
            : Cursor.read(cursor, "p", (kind, c) -> c.positionOrStart()).orElse(null);
    Subscription subscription = call.catalog().subscription(call.path("id"));
    return walk.run(engine.backlog(subscription), message, from, limit)
        .thenApply(
            progress -> {
              Position next = progress.next();
              return Answer.json(
                  200,
                  ChangeDocument.changed(
                      progress.changed(),
                      next == null ? null : Cursor.of('p').position(next).toString(),
                      progress.seen()));
            });
  }

  /** A message that says that it is a test, to this subscription alone. */
  private CompletionStage<Answer> sendTestMessage(Call call) {
    call.query();
    call.object();
    Subscription subscription = call.catalog().subscription(call.path("id"));
    if (engine.reader(subscription).held(subscription.number()) != null) {
      throw new ConflictException(
          "subscription '" + subscription.id() + "' is suspended: release it first");
    }
    Payload payload =
        new Payload(
            MessageReader.JSON_TYPE,
            TEST_ATTRIBUTES.getBytes(UTF_8),
            ("{\"test\":true,\"subscription\":\"" + subscription.id() + "\"}").getBytes(UTF_8));
    return engine
        .backlog(subscription)
        .publish(payload)
        .thenApply(
            receipt -> {
              if (receipt.deliveries() == 0) {
                throw new NotFoundException("subscription", subscription.id());
              }
              return Answer.json(
                  202,
                  new ReceiptDocument(receipt.message().toString(), receipt.deliveries(), false));
            });
  }

  /** Counts those pending ones that are due, a part in each call; the rest is in the ledger. */
  private Answer counts(Call call) {
    String cursor = call.query().cursor();
    Position from =
        cursor == null
            ? null
            : Cursor.read(cursor, "p", (kind, c) -> c.positionOrStart()).orElse(null);
    Subscription subscription = call.catalog().subscription(call.path("id"));
    DeliveryReader reader = engine.reader(subscription);
    Ledger ledger = reader.ledger(subscription.number());
    DeliveryReader.PendingCount pending =
        reader.countPending(subscription.number(), engine.nowMillis(), from, MAX_COUNTED);
    Position next = pending.next();
    return Answer.json(
        200,
        new CountsDocument(
            ledger.pending(),
            pending.due(),
            pending.later(),
            pending.seen(),
            next == null,
            next == null ? null : Cursor.of('p').position(next).toString(),
            ledger.delivered(),
            ledger.deadLettered(),
            ledger.discarded(),
            ledger.expired(),
            ledger.moved()));
  }

  private CompletionStage<Answer> list(Call call) {
    Query query = call.query();
    int limit = query.limit();
    String id = query.text("subscription");
    String message = query.text("message");
    if ((id == null) == (message == null)) {
      throw ApiException.invalid(
          "subscription",
          id == null ? "absent" : id,
          "must be given, or else message, and not both");
    }
    if (message != null) {
      if (query.text("status") != null) {
        throw ApiException.invalid("status", "present", "must be absent when message is given");
      }
      return ofMessage(call, RequestFields.message(message, "message"), limit, query.cursor());
    }
    Subscription subscription = call.catalog().subscription(String.valueOf(id));
    String status = query.text("status");
    if (status != null && !STATUSES.contains(status)) {
      throw ApiException.invalid(
          "status",
          RequestFields.shortened(status),
          "must be one of " + String.join(", ", STATUSES));
    }
    String cursor = query.cursor();
    return states.with(
        subscription,
        health -> new Walk(subscription, status, limit, health.orElse(null)).answer(cursor));
  }

  /** A message's deliveries, by subscription. Those of removed subscriptions are not found. */
  private CompletionStage<Answer> ofMessage(
      Call call, MessageId message, int limit, @Nullable String cursor) {
    long after = cursor == null ? 0 : Cursor.read(cursor, "m", (kind, c) -> c.count());
    Map<Subscription, StoredDelivery> found = new LinkedHashMap<>();
    String next = null;
    long last = after;
    int seen = 0;
    for (Subscription subscription : call.catalog().subscriptions()) {
      if (subscription.number() <= after) {
        continue;
      }
      if (found.size() == limit || seen++ == MAX_SEEN) {
        next = Cursor.of('m').number(last).toString();
        break;
      }
      last = subscription.number();
      StoredDelivery delivery = engine.reader(subscription).find(last, message);
      if (delivery != null) {
        found.put(subscription, delivery);
      }
    }
    return listed(message, found, next, seen);
  }

  private CompletionStage<Answer> listed(
      MessageId message, Map<Subscription, StoredDelivery> found, @Nullable String next, int seen) {
    List<Subscription> pending =
        found.entrySet().stream()
            .filter(each -> each.getValue().state().status() == Status.PENDING)
            .map(Map.Entry::getKey)
            .toList();
    return states.withEach(
        pending,
        message,
        known -> {
          long nowMillis = engine.nowMillis();
          List<DeliveryDocument> items = new ArrayList<>();
          found.forEach(
              (subscription, delivery) ->
                  items.add(
                      DeliveryDocuments.listed(
                          subscription, delivery, nowMillis, known.get(subscription.number()))));
          return Listing.answer(items, next, seen);
        });
  }

  /**
   * A listing of one subscription: first what is pending, by due time; then dead letters, oldest
   * first; then what has ended and is only remembered, newest first. A status chooses among them.
   */
  private final class Walk {
    private final Subscription subscription;
    private final DeliveryReader reader;
    private final @Nullable String status;
    private final int limit;
    private final @Nullable EndpointHealth health;
    private final List<DeliveryDocument> items = new ArrayList<>();
    private int seen;

    Walk(
        Subscription subscription,
        @Nullable String status,
        int limit,
        @Nullable EndpointHealth health) {
      this.subscription = subscription;
      this.reader = engine.reader(subscription);
      this.status = status;
      this.limit = limit;
      this.health = health;
    }

    Answer answer(@Nullable String cursor) {
      String kinds = kinds();
      char kind = cursor == null ? kinds.charAt(0) : Cursor.parse(cursor, kinds).kind();
      String from = cursor;
      while (true) {
        String next =
            switch (kind) {
              case 'p' -> pending(from);
              case 'd' -> deadLetters(from);
              default -> remembered(from);
            };
        if (next != null) {
          return Listing.answer(items, next, seen);
        }
        int place = kinds.indexOf(kind) + 1;
        if (place == kinds.length()) {
          return Listing.answer(items, null, seen);
        }
        kind = kinds.charAt(place);
        from = null;
        if (items.size() == limit) {
          return Listing.answer(items, Cursor.of(kind).toString(), seen);
        }
      }
    }

    private String kinds() {
      if (status == null) {
        return "pdh";
      }
      return switch (status) {
        case "pending" -> "p";
        case "dead-lettered" -> "d";
        case "expired" -> keeps() ? "d" : "h";
        default -> "h";
      };
    }

    private boolean keeps() {
      return subscription.settings().deadLetters() == DeadLetters.KEEP;
    }

    private @Nullable String pending(@Nullable String from) {
      DeliveryReader.Page<Position> page =
          reader.pending(subscription.number(), position(from), limit - items.size());
      return add(page, 'p');
    }

    private @Nullable String deadLetters(@Nullable String from) {
      StopReason reason = "expired".equals(status) ? StopReason.DEADLINE : null;
      DeadLetterFilter filter = new DeadLetterFilter(reason, null, 0, Long.MAX_VALUE, null);
      return add(
          reader.deadLetters(
              subscription.number(), filter, position(from), limit - items.size(), MAX_SEEN),
          'd');
    }

    private @Nullable String add(DeliveryReader.Page<Position> page, char kind) {
      seen += page.seen();
      page.items().stream().filter(this::isWanted).forEach(this::add);
      return page.next() == null ? null : Cursor.of(kind).position(page.next()).toString();
    }

    private @Nullable String remembered(@Nullable String from) {
      MessageId before =
          from == null ? null : Cursor.read(from, "h", (k, c) -> c.messageOrStart()).orElse(null);
      Status only = status == null ? null : Status.valueOf(status.toUpperCase(Locale.ROOT));
      DeliveryReader.Page<MessageId> page =
          reader.attempted(subscription.number(), only, before, limit - items.size(), MAX_SEEN);
      seen += page.seen();
      // Pending and kept deliveries are in another part of the listing.
      page.items().stream()
          .filter(d -> only != null || d.state().status() == Status.DELIVERED || isForgotten(d))
          .forEach(this::add);
      return page.next() == null ? null : Cursor.of('h').message(page.next()).toString();
    }

    private boolean isForgotten(StoredDelivery delivery) {
      Status of = delivery.state().status();
      return of == Status.DISCARDED || of == Status.MOVED || (of == Status.EXPIRED && !keeps());
    }

    private boolean isWanted(StoredDelivery delivery) {
      return status == null
          || !status.equals("dead-lettered")
          || delivery.state().status() == Status.DEAD_LETTERED;
    }

    private void add(StoredDelivery delivery) {
      items.add(DeliveryDocuments.listed(subscription, delivery, engine.nowMillis(), health));
    }

    private @Nullable Position position(@Nullable String from) {
      return from == null
          ? null
          : Cursor.read(from, "pd", (kind, c) -> c.positionOrStart()).orElse(null);
    }
  }
}
