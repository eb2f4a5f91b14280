package dev.reprise.server.api;

import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.NameChange;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.SubscriptionDescriptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Suspending subscriptions and releasing them. */
final class SuspensionOperations {
  private static final int MAX_REASON_CHARS = 200;
  private static final int MAX_HELD = 1_000_000_000;
  private static final Duration MIN_AGE = Duration.ofSeconds(1);
  private static final Duration MAX_AGE = Duration.ofDays(3650);

  private final DeliveryEngine engine;
  private final Executor workers;

  SuspensionOperations(DeliveryEngine engine, Executor workers) {
    this.engine = engine;
    this.workers = workers;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(
                Use.CHANGE,
                Place.SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/suspend",
                Route.JSON,
                this::suspend)
            .described(SubscriptionDescriptions.SUSPEND),
        Routes.waiting(
                Use.CHANGE,
                Place.SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/release",
                Route.JSON,
                this::release)
            .described(SubscriptionDescriptions.RELEASE));
  }

  private CompletionStage<Answer> suspend(Call call) {
    call.query();
    JsonNode request = call.object("reason", "maxAge", "maxHeld");
    Subscription subscription = call.catalog().subscription(call.path("id"));
    String reason = RequestFields.string(request, "reason");
    if (reason != null && reason.length() > MAX_REASON_CHARS) {
      throw ApiException.invalid(
          "reason",
          RequestFields.shortened(reason),
          "must be a text of at most " + MAX_REASON_CHARS + " characters");
    }
    return engine
        .backlog(subscription)
        .suspend(reason == null ? "" : reason, maxAge(request), maxHeld(request))
        .thenApplyAsync(suspension -> shown(call, subscription), workers);
  }

  private static Duration maxAge(JsonNode request) {
    String text = RequestFields.string(request, "maxAge");
    if (text == null) {
      return Suspension.DEFAULT_MAX_AGE;
    }
    Duration age = DurationText.read(text);
    if (age == null || age.compareTo(MIN_AGE) < 0 || age.compareTo(MAX_AGE) > 0) {
      throw ApiException.invalid(
          "maxAge",
          RequestFields.shortened(text),
          "must be a duration from 1s to ten years, such as P3D");
    }
    return age;
  }

  private static long maxHeld(JsonNode request) {
    JsonNode node = request.get("maxHeld");
    if (node == null || node.isNull()) {
      return Suspension.DEFAULT_MAX_HELD;
    }
    if (node.isIntegralNumber() && node.canConvertToInt()) {
      int held = node.intValue();
      if (held >= 0 && held <= MAX_HELD) {
        return held;
      }
    }
    throw ApiException.invalid(
        "maxHeld",
        RequestFields.shortened(node.toString()),
        "must be an integer from 0 to " + MAX_HELD);
  }

  private CompletionStage<Answer> release(Call call) {
    call.query();
    call.object();
    Subscription subscription = confirmed(call.catalog().subscription(call.path("id")));
    return engine
        .backlog(subscription)
        .release()
        .thenApplyAsync(was -> shown(call, subscription), workers);
  }

  /** Confirms the host name, if the subscription is held because the name has changed. */
  private Subscription confirmed(Subscription subscription) {
    String held = NameChange.of(subscription.settings());
    if (held == null) {
      return subscription;
    }
    if (!NameChange.canBeConfirmed(subscription.settings())) {
      throw new ConflictException("subscription '" + subscription.id() + "' is held: " + held);
    }
    return engine.changeSubscription(
        subscription.id(), settings -> settings.withNamesByUts46(true));
  }

  private Answer shown(Call call, Subscription subscription) {
    Catalog.@Nullable Entry topic = call.catalog().find(subscription.topic());
    if (topic == null) {
      throw new NotFoundException("subscription", subscription.id());
    }
    return Answer.json(
        200,
        SubscriptionDocuments.write(
            topic.topic(),
            subscription,
            engine.reader(subscription).figures(subscription.number()),
            List.of(),
            List.of()));
  }
}
