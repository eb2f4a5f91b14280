package dev.reprise.server.api;

import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.SigningSecrets;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.document.SigningSecretDocument;
import dev.reprise.server.document.SubscriptionDetails;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.event.OperatorEvent;
import dev.reprise.server.event.OperatorEvents;
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
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.SubscriptionDescriptions;
import dev.reprise.server.search.LabellingFilter;
import dev.reprise.server.search.SearchText;
import dev.reprise.webhook.WebhookSecret;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import tools.jackson.databind.JsonNode;

/** Subscriptions. */
final class SubscriptionOperations {
  /** The time for which the previous secret signs as well. */
  private static final Duration OVERLAP = Duration.ofDays(1);

  private static final Duration MAX_OVERLAP = Duration.ofDays(30);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final DeliveryEngine engine;
  private final EndpointCheck endpoints;
  private final EndpointState states;
  private final Executor workers;
  private final Carriers carriers;
  private final OperatorEvents events;

  /**
   * Operations on the subscriptions of an engine.
   *
   * @param workers where a change goes on that has waited for a name server
   * @param carriers has the keys under which secrets of subscriptions are encrypted
   * @param events is notified of new secrets
   */
  SubscriptionOperations(
      DeliveryEngine engine,
      EndpointCheck endpoints,
      EndpointState states,
      Executor workers,
      Carriers carriers,
      OperatorEvents events) {
    this.engine = engine;
    this.endpoints = endpoints;
    this.states = states;
    this.workers = workers;
    this.carriers = carriers;
    this.events = events;
  }

  List<Route> routes() {
    String one = "/v1/subscriptions/{id}";
    return List.of(
        Routes.waiting(
                Use.CHANGE,
                Place.CATALOG,
                "POST",
                "/v1/topics/{topic}/subscriptions",
                Route.JSON,
                this::subscribe)
            .described(SubscriptionDescriptions.SUBSCRIBE),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/subscriptions", this::list)
            .described(SubscriptionDescriptions.LIST_SUBSCRIPTIONS),
        Routes.waiting(Use.READ, Place.SUBSCRIPTION, "GET", one, "", this::show)
            .described(SubscriptionDescriptions.GET_SUBSCRIPTION),
        Routes.waiting(Use.CHANGE, Place.CATALOG, "PATCH", one, Route.JSON, this::change)
            .described(SubscriptionDescriptions.CHANGE_SUBSCRIPTION),
        // Some clients of HTTP, Java's HttpURLConnection among them, cannot send PATCH.
        Routes.waiting(Use.CHANGE, Place.CATALOG, "POST", one, Route.JSON, this::change)
            .described(SubscriptionDescriptions.CHANGE_SUBSCRIPTION_BY_POST),
        Routes.reading(Use.CHANGE, Place.CATALOG, "DELETE", one, this::delete)
            .described(SubscriptionDescriptions.UNSUBSCRIBE),
        Routes.changing(
                Use.CHANGE,
                Place.CATALOG,
                "POST",
                one + "/signing-secret",
                this::changeSigningSecret)
            .described(SubscriptionDescriptions.CHANGE_SIGNING_SECRET));
  }

  private CompletionStage<Answer> subscribe(Call call) {
    call.query();
    String topic = call.path("topic");
    call.catalog().topic(topic);
    JsonNode document = call.json();
    SubscriptionSettings settings = CatalogDocuments.readSettings(document, null, carriers.keys());
    return endpoints
        .check(call.project(), settings)
        .thenApplyAsync(
            ok -> {
              Subscription made =
                  call.project()
                      .addingSubscription(
                          () -> engine.subscribe(call.project().name(), topic, settings));
              return Answer.json(201, warned(document, made));
            },
            workers);
  }

  private CompletionStage<Answer> change(Call call) {
    call.query();
    String id = call.path("id");
    Subscription before = call.catalog().subscription(id);
    JsonNode document = call.json();
    SubscriptionSettings settings =
        CatalogDocuments.readSettings(document, before.settings(), carriers.keys());
    if (!document.has("endpoint") && !document.has("carrier") && !document.has("http")) {
      return CompletableFuture.completedFuture(changed(id, document));
    }
    return endpoints
        .check(call.project(), settings)
        .thenApplyAsync(ok -> changed(id, document), workers);
  }

  /** Applied to what holds now: while the endpoint was checked, others may have changed more. */
  private Answer changed(String id, JsonNode document) {
    return Answer.json(
        200,
        warned(
            document,
            engine.changeSubscription(
                id,
                settings -> CatalogDocuments.readSettings(document, settings, carriers.keys()))));
  }

  private Answer changeSigningSecret(Call call) {
    call.query();
    Subscription before = call.catalog().subscription(call.path("id"));
    String id = before.id();
    JsonNode request = call.object("kind", "overlap");
    String kind = RequestFields.string(request, "kind");
    boolean shared = kind == null || kind.equals("shared");
    if (kind != null && !shared && !kind.equals("ed25519")) {
      throw ApiException.invalid(
          "kind", RequestFields.shortened(kind), "must be shared or ed25519");
    }
    String overlapText = RequestFields.string(request, "overlap");
    Duration overlap = OVERLAP;
    if (overlapText != null) {
      Duration asked = DurationText.read(overlapText);
      if (asked == null || asked.isNegative() || asked.compareTo(MAX_OVERLAP) > 0) {
        throw ApiException.invalid(
            "overlap",
            RequestFields.shortened(overlapText),
            "must be a duration from 0s to 30 days");
      }
      overlap = asked;
    }
    WebhookSecret fresh =
        shared ? WebhookSecret.generateSymmetric(RANDOM) : WebhookSecret.generateAsymmetric(RANDOM);
    Instant now = Instant.ofEpochMilli(engine.nowMillis());
    Instant until = now.plus(overlap);
    Subscription changed =
        engine.changeSubscription(
            id, settings -> SigningSecrets.rotated(settings, fresh, now, until, carriers.keys()));
    if (before.settings().http().signingSecret() != null) {
      events.tell(OperatorEvent.SecretRotated.ofSigning(changed));
    }
    boolean overlaps = changed.settings().http().oldSigningSecret() != null;
    return Answer.json(
        200,
        new SigningSecretDocument(
            shared ? fresh.reveal() : null,
            fresh.publicKey(),
            overlaps ? Times.text(until.toEpochMilli()) : null));
  }

  /** The subscription, with what of its new settings has no effect. */
  private SubscriptionDocument warned(JsonNode settings, Subscription subscription) {
    Catalog.Entry topic = engine.catalog().topicOf(subscription);
    return document(
        subscription, topic == null ? List.of() : PolicyWarnings.ofSubscription(settings, topic));
  }

  private Answer list(Call call) {
    Query query = call.query(LabellingFilter.LABEL);
    SearchText search = SearchText.of(query);
    LabellingFilter labelled = LabellingFilter.of(query);
    String suspendedText = query.text("suspended");
    boolean suspended = RequestFields.bool(suspendedText, "suspended");
    String failingText = query.text("failing");
    boolean failing = RequestFields.bool(failingText, "failing");
    int limit = query.limit();
    String cursor = query.cursor();
    long after = cursor == null ? 0 : Cursor.read(cursor, "s", (kind, c) -> c.count());
    String topic = query.text("topic");
    List<Subscription> all =
        topic == null
            ? call.catalog().subscriptions()
            : call.catalog().topic(topic).subscriptions().stream()
                .sorted((a, b) -> Long.compare(a.number(), b.number()))
                .toList();
    List<SubscriptionDocument> items = new ArrayList<>();
    long last = after;
    for (Subscription subscription : all) {
      if (subscription.number() <= after
          || !labelled.holds(subscription.settings().labelling())
          || !isFound(search, subscription)) {
        continue;
      }
      SubscriptionFigures figures = figures(subscription);
      if ((suspendedText != null && suspended != (figures.held() != null))
          || (failingText != null && failing != figures.standing().isFailing())) {
        continue;
      }
      if (items.size() == limit) {
        return Listing.answer(items, Cursor.of('s').number(last).toString());
      }
      items.add(document(subscription, figures, List.of()));
      last = subscription.number();
    }
    return Listing.answer(items, null);
  }

  private static boolean isFound(SearchText search, Subscription subscription) {
    return search.isIn(subscription.id(), subscription.topic(), subscription.settings().endpoint())
        || LabellingFilter.isFound(search, subscription.settings().labelling());
  }

  private SubscriptionFigures figures(Subscription subscription) {
    return engine.reader(subscription).figures(subscription.number());
  }

  private CompletionStage<Answer> show(Call call) {
    call.query();
    Subscription subscription = call.catalog().subscription(call.path("id"));
    return states.with(
        subscription,
        health ->
            Answer.json(
                200,
                new SubscriptionDetails(
                    document(subscription, List.of()),
                    SubscriptionDocuments.health(health.orElse(null)))));
  }

  private Answer delete(Call call) {
    call.query();
    engine.unsubscribe(call.catalog().subscription(call.path("id")).id());
    return Answer.noContent();
  }

  private SubscriptionDocument document(Subscription subscription, List<String> warnings) {
    return document(subscription, figures(subscription), warnings);
  }

  private SubscriptionDocument document(
      Subscription subscription, SubscriptionFigures figures, List<String> warnings) {
    var topic = engine.catalog().topicOf(subscription);
    if (topic == null) {
      // Both were deleted since the subscription was looked up.
      throw new NotFoundException("subscription", subscription.id());
    }
    String catchAll =
        CatchAllFlag.reason(engine.catalog().of(subscription.project()), subscription);
    List<String> told = new ArrayList<>(warnings);
    if (catchAll != null) {
      told.add(catchAll);
    }
    return SubscriptionDocuments.write(
        topic.topic(),
        subscription,
        figures,
        catchAll == null ? List.of() : List.of(CatchAllFlag.NAME),
        told);
  }
}
