package dev.reprise.server.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.delivery.catalog.Labelling;
import dev.reprise.server.document.Documents;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An event as a message that waits to be published.
 *
 * @param event the event
 * @param attributes those of the message, by which subscriptions filter
 * @param payload what is delivered: JSON, and for people's phones and mailboxes a text
 * @param key the idempotency key: a publish that has perhaps succeeded is repeated with it
 */
record EventMessage(OperatorEvent event, ObjectNode attributes, Payload payload, String key) {
  private static final String JSON_TYPE = "application/json";

  /**
   * Returns the message.
   *
   * @param labelling of the subscription that the event is about; none for other events
   */
  static EventMessage of(OperatorEvent event, Labelling labelling, long nowMillis) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("type", event.type().wireName());
    body.put("at", Documents.time(nowMillis));
    body.put("text", event.text());
    body.setAll(Documents.tree(event));
    if (labelling.name() != null) {
      body.put("subscriptionName", labelling.name());
    }
    if (labelling.customer() != null) {
      body.put("customer", labelling.customer());
    }
    ObjectNode attributes = JsonNodeFactory.instance.objectNode();
    attributes.put("type", event.type().wireName());
    for (String name : OperatorEvent.ATTRIBUTES) {
      JsonNode value = body.path(name);
      if (value.isString()) {
        attributes.put(name, value.stringValue());
      }
    }
    if (event instanceof OperatorEvent.DeliveryExhausted exhausted) {
      attributes.put("reason", exhausted.reason().name());
    }
    return new EventMessage(
        event,
        attributes,
        new Payload(JSON_TYPE, bytes(attributes), bytes(body), bytes(bodies(event))),
        "operator-event-" + UUID.randomUUID());
  }

  /** The texts for protocols that reach people. */
  private static ObjectNode bodies(OperatorEvent event) {
    ObjectNode bodies = JsonNodeFactory.instance.objectNode();
    bodies.put("sms", event.text());
    ObjectNode email = bodies.putObject("email");
    String subject = ("Reprise: " + event.type().wireName() + " " + event.about()).strip();
    email.put(
        "subject",
        subject.substring(0, Math.min(subject.length(), MessageBodies.MAX_SUBJECT_CHARS)));
    email.put("text", event.text());
    return bodies;
  }

  private static byte[] bytes(ObjectNode json) {
    return json.toString().getBytes(UTF_8);
  }
}
