package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.catalog.Labelling;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.server.document.DeliveryDetails;
import dev.reprise.server.document.DeliveryDetails.EventDocument;
import dev.reprise.server.document.DeliveryDetails.OutcomeDocument;
import dev.reprise.server.document.DeliveryDetails.PayloadDocument;
import dev.reprise.server.document.DeliveryDetails.StateDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.DeliveryDocument.NextAttempt;
import dev.reprise.server.document.DueDocument;
import dev.reprise.server.http.StrictJson;
import dev.reprise.server.http.Times;
import dev.reprise.server.publish.MessageReader;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Deliveries as the API shows them. */
final class DeliveryDocuments {
  private DeliveryDocuments() {}

  static String id(Subscription subscription, StoredDelivery delivery) {
    return delivery.message() + "@" + subscription.id();
  }

  /** Returns the form in listings: without payload and history. */
  static DeliveryDocument listed(
      Subscription subscription, StoredDelivery delivery, long nowMillis, boolean inFlight) {
    DeliveryState state = delivery.state();
    boolean pending = state.status() == Status.PENDING;
    DueReason due = delivery.due();
    Labelling labelling = subscription.settings().labelling();
    return new DeliveryDocument(
        id(subscription, delivery),
        delivery.message().toString(),
        subscription.id(),
        labelling.name(),
        labelling.customer(),
        subscription.topic(),
        status(state.status()),
        inFlight,
        delivery.attempts(),
        Times.text(delivery.message().publishedAtMillis()),
        pending && due != null ? nextAttempt(due, state.atMillis(), nowMillis) : null,
        pending ? null : Times.text(state.atMillis()),
        name(state.reason()),
        delivery.last().isEmpty() ? null : delivery.last());
  }

  /** The same with what it waits for; {@code health} is null where that is not known. */
  static DeliveryDocument listed(
      Subscription subscription,
      StoredDelivery delivery,
      long nowMillis,
      @Nullable EndpointHealth health) {
    boolean inFlight =
        health != null
            && delivery.state().status() == Status.PENDING
            && health.messages().contains(delivery.message());
    DeliveryDocument document = listed(subscription, delivery, nowMillis, inFlight);
    NextAttempt next = document.nextAttempt();
    return health == null || next == null
        ? document
        : document.withNextAttempt(
            next.waitingFor(waitingFor(health, inFlight, delivery.state().atMillis(), nowMillis)));
  }

  /** Returns the whole delivery. {@code health} is null where it does not matter any more. */
  static DeliveryDetails whole(
      Subscription subscription,
      StoredDelivery delivery,
      long nowMillis,
      @Nullable EndpointHealth health) {
    DeliveryDocument document = listed(subscription, delivery, nowMillis, health);
    Payload payload = delivery.payload();
    return new DeliveryDetails(
        document,
        payload == null ? null : payload(payload),
        delivery.history().stream().map(DeliveryDocuments::event).toList());
  }

  private static @Nullable String name(@Nullable StopReason reason) {
    return reason == null ? null : reason.name();
  }

  private static String status(Status status) {
    return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static NextAttempt nextAttempt(DueReason due, long atMillis, long nowMillis) {
    return new NextAttempt(
        Times.text(atMillis), Math.max(0, atMillis - nowMillis), described(due), null);
  }

  private static DueDocument described(DueReason due) {
    return new DueDocument(
        due.describe(),
        due.kind().name().toLowerCase(Locale.ROOT),
        due.retry(),
        due.stage().wireName(),
        due.backoffMillis(),
        due.hintMillis() < 0 ? null : due.hintMillis());
  }

  /**
   * Returns what keeps an attempt from starting now, the strongest first; null if only its time
   * does.
   */
  static @Nullable String waitingFor(
      EndpointHealth health, boolean inFlight, long dueMillis, long nowMillis) {
    if (inFlight) {
      return "in flight";
    }
    if (health.pausedUntilMillis() > Math.max(dueMillis, nowMillis)) {
      return "endpoint asked for silence until " + Times.text(health.pausedUntilMillis());
    }
    GroupHold hold = health.groupHold();
    if (hold != null && (dueMillis <= nowMillis || hold.untilMillis() >= dueMillis)) {
      return hold.group()
          + ": "
          + hold.reason()
          + (hold.untilMillis() == 0 ? "" : "; next try at " + Times.text(hold.untilMillis()));
    }
    if (dueMillis > nowMillis) {
      return null;
    }
    if (health.inFlight() >= health.limit()) {
      return "attempts under way: "
          + health.inFlight()
          + " of "
          + health.limit()
          + " (endpoint health: "
          + health.limitReason().describe()
          + ")";
    }
    return health.throttledMillis() > 0 ? "throttle" : "backlog";
  }

  private static PayloadDocument payload(Payload payload) {
    JsonNode attributes =
        payload.attributes().length == 0
            ? JsonNodeFactory.instance.objectNode()
            : StrictJson.read(payload.attributes());
    JsonNode body = readable(payload);
    return new PayloadDocument(
        payload.contentType(),
        attributes,
        body,
        body == null ? Base64.getEncoder().encodeToString(payload.body()) : null,
        payload.bodies().length == 0 ? null : StrictJson.MAPPER.readTree(payload.bodies()));
  }

  /** Returns a body of JSON or text, and null if it can only be shown as bytes. */
  private static @Nullable JsonNode readable(Payload payload) {
    String type = payload.contentType().toLowerCase(Locale.ROOT);
    if (type.equals(MessageReader.JSON_TYPE)) {
      try {
        return StrictJson.MAPPER.readTree(payload.body());
      } catch (JacksonException e) {
        // Stored by another version with other limits; shown as bytes.
        return null;
      }
    }
    return type.startsWith("text/") && StrictJson.isUtf8(payload.body())
        ? JsonNodeFactory.instance.stringNode(new String(payload.body(), UTF_8))
        : null;
  }

  private static EventDocument event(HistoryEvent event) {
    LoggedOutcome outcome = event.outcome();
    DueReason due = event.due();
    return new EventDocument(
        event.kind().name().toLowerCase(Locale.ROOT),
        Times.text(event.atMillis()),
        event.attempt(),
        outcome == null ? null : outcome(outcome),
        new StateDocument(
            status(event.after().status()),
            Times.text(event.after().atMillis()),
            name(event.after().reason())),
        due == null ? null : described(due),
        event.mayRepeat() == null ? null : event.mayRepeat().wireName());
  }

  private static OutcomeDocument outcome(LoggedOutcome outcome) {
    return new OutcomeDocument(
        outcome.succeeded(),
        outcome.status(),
        outcome.summary(),
        outcome.address().isEmpty() ? null : outcome.address(),
        // Whatever the endpoint has sent, cut off anywhere: shown as far as it is text.
        new String(outcome.response(), UTF_8),
        outcome.durationNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1));
  }
}
