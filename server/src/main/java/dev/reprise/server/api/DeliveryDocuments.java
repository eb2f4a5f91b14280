package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.shard.ShardInput.EndpointHealth;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Deliveries as the API shows them. */
final class DeliveryDocuments {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private DeliveryDocuments() {}

  static String id(Subscription subscription, StoredDelivery delivery) {
    return delivery.message() + "@" + subscription.id();
  }

  /** The form in listings: without payload and history. */
  static ObjectNode listed(
      Subscription subscription, StoredDelivery delivery, long nowMillis, boolean inFlight) {
    DeliveryState state = delivery.state();
    boolean pending = state.status() == Status.PENDING;
    ObjectNode document = NODES.objectNode();
    document.put("id", id(subscription, delivery));
    document.put("message", delivery.message().toString());
    document.put("subscription", subscription.id());
    document.put("topic", subscription.topic());
    document.put("status", status(state.status()));
    document.put("inFlight", inFlight);
    document.put("attempts", delivery.attempts());
    document.put("publishedAt", Times.text(delivery.message().publishedAtMillis()));
    DueReason due = delivery.due();
    if (pending && due != null) {
      document.set("nextAttempt", nextAttempt(due, state.atMillis(), nowMillis));
    } else {
      document.putNull("nextAttempt");
    }
    document.put("endedAt", pending ? null : Times.text(state.atMillis()));
    StopReason reason = state.reason();
    document.put("stopReason", reason == null ? null : reason.name());
    document.put("lastOutcome", delivery.last().isEmpty() ? null : delivery.last());
    return document;
  }

  /** The whole delivery. {@code health} is null where it does not matter any more. */
  static ObjectNode whole(
      Subscription subscription,
      StoredDelivery delivery,
      long nowMillis,
      @Nullable EndpointHealth health) {
    boolean inFlight = health != null && health.messages().contains(delivery.message());
    ObjectNode document = listed(subscription, delivery, nowMillis, inFlight);
    if (health != null && document.get("nextAttempt") instanceof ObjectNode next) {
      next.put("waitingFor", waitingFor(health, inFlight, delivery.state().atMillis(), nowMillis));
    }
    Payload payload = delivery.payload();
    document.set("payload", payload == null ? NODES.nullNode() : payload(payload));
    ArrayNode history = document.putArray("history");
    delivery.history().forEach(event -> history.add(event(event)));
    return document;
  }

  private static String status(Status status) {
    return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static ObjectNode nextAttempt(DueReason due, long atMillis, long nowMillis) {
    ObjectNode next = NODES.objectNode();
    next.put("at", Times.text(atMillis));
    next.put("inMillis", Math.max(0, atMillis - nowMillis));
    describe(next, due);
    next.putNull("waitingFor");
    return next;
  }

  private static void describe(ObjectNode document, DueReason due) {
    document.put("reason", due.describe());
    document.put("kind", due.kind().name().toLowerCase(Locale.ROOT));
    document.put("retry", due.retry());
    document.put("stage", due.stage().wireName());
    document.put("backoffMillis", due.backoffMillis());
    if (due.hintMillis() < 0) {
      document.putNull("hintMillis");
    } else {
      document.put("hintMillis", due.hintMillis());
    }
  }

  /** What keeps an attempt from starting now, the strongest first; null if only its time does. */
  static @Nullable String waitingFor(
      EndpointHealth health, boolean inFlight, long dueMillis, long nowMillis) {
    if (inFlight) {
      return "in flight";
    }
    if (health.pausedUntilMillis() > Math.max(dueMillis, nowMillis)) {
      return "endpoint asked for silence until " + Times.text(health.pausedUntilMillis());
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

  private static ObjectNode payload(Payload payload) {
    ObjectNode document = NODES.objectNode();
    document.put("contentType", payload.contentType());
    document.set(
        "attributes",
        payload.attributes().length == 0
            ? NODES.objectNode()
            : StrictJson.read(payload.attributes()));
    String type = payload.contentType().toLowerCase(Locale.ROOT);
    if (type.equals(MessageReader.JSON_TYPE)) {
      try {
        document.set("body", StrictJson.MAPPER.readTree(payload.body()));
        return document;
      } catch (JacksonException e) {
        // Stored by another version with other limits; shown as bytes.
      }
    } else if (type.startsWith("text/") && StrictJson.isUtf8(payload.body())) {
      document.put("body", new String(payload.body(), UTF_8));
      return document;
    }
    document.put("bodyBase64", Base64.getEncoder().encodeToString(payload.body()));
    return document;
  }

  private static ObjectNode event(HistoryEvent event) {
    ObjectNode document = NODES.objectNode();
    document.put("kind", event.kind().name().toLowerCase(Locale.ROOT));
    document.put("at", Times.text(event.atMillis()));
    document.put("attempt", event.attempt());
    LoggedOutcome outcome = event.outcome();
    document.set("outcome", outcome == null ? NODES.nullNode() : outcome(outcome));
    ObjectNode after = document.putObject("after");
    after.put("status", status(event.after().status()));
    after.put("at", Times.text(event.after().atMillis()));
    StopReason reason = event.after().reason();
    after.put("stopReason", reason == null ? null : reason.name());
    DueReason due = event.due();
    if (due == null) {
      document.putNull("due");
    } else {
      describe(document.putObject("due"), due);
    }
    return document;
  }

  private static ObjectNode outcome(LoggedOutcome outcome) {
    return NODES
        .objectNode()
        .put("succeeded", outcome.succeeded())
        .put("status", outcome.status())
        .put("summary", outcome.summary())
        .put("address", outcome.address().isEmpty() ? null : outcome.address())
        // Whatever the endpoint has sent, cut off anywhere: shown as far as it is text.
        .put("response", new String(outcome.response(), UTF_8))
        .put("durationMillis", outcome.durationNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1));
  }
}
