package dev.reprise.delivery.attempt;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.catalog.BodyFormat;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.function.FunctionMessage;
import dev.reprise.delivery.function.Functions;
import dev.reprise.delivery.host.AttemptSender;
import dev.reprise.delivery.shard.PayloadRecord;
import java.time.Duration;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes every attempt, by the subscription's protocol: URLs over HTTP, what has a carrier through
 * it, other functions in this process.
 */
public final class ProtocolAttempts implements AttemptSender {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final Catalog catalog;
  private final HttpAttempts http;
  private final Carriers carriers;
  private final Functions functions;

  /** SQS takes ten attributes, of which up to three are of this service. */
  private static final int MAX_ATTRIBUTES_BESIDE_TRACE = 6;

  private final Duration timeout;
  private final AttemptTracer tracer;

  /**
   * Attempts by protocol.
   *
   * @param timeout the longest time of one attempt
   * @param tracer has each attempt in the trace of its message
   */
  public ProtocolAttempts(
      Catalog catalog,
      HttpAttempts http,
      Carriers carriers,
      Functions functions,
      Duration timeout,
      AttemptTracer tracer) {
    this.catalog = catalog;
    this.http = http;
    this.carriers = carriers;
    this.functions = functions;
    this.timeout = timeout;
    this.tracer = tracer;
  }

  @Override
  public void send(Attempt claim, Consumer<AttemptOutcome> done) {
    Subscription subscription = catalog.findSubscription(claim.subscription());
    if (subscription == null) {
      http.forget(claim.subscription());
      done.accept(AttemptOutcome.refused("the subscription was removed"));
      return;
    }
    AttemptTracer.Span span = tracer.begin(claim, subscription, claim.trace());
    if (span == null) {
      send(claim, subscription, done);
      return;
    }
    try {
      send(
          new TracedAttempt(claim, span.context()),
          subscription,
          outcome -> {
            span.end(outcome);
            done.accept(outcome);
          });
    } catch (RuntimeException e) {
      span.end(AttemptOutcome.internalError(e));
      throw e;
    }
  }

  private void send(Attempt claim, Subscription subscription, Consumer<AttemptOutcome> done) {
    SubscriptionSettings settings = subscription.settings();
    if (settings.isUrl()) {
      http.send(claim, subscription, done);
      return;
    }
    Payload payload = PayloadRecord.decode(claim.payload());
    String carrier = settings.carrier();
    if (carrier != null) {
      carriers.send(carrier, attempt(claim, subscription, payload), done);
    } else if (settings.protocol() == Protocol.FUNCTION) {
      call(claim, subscription, payload, done);
    } else {
      // It was checked when it was made; the rules of this process are others.
      done.accept(
          AttemptOutcome.refused(
              "endpoint '" + settings.endpoint() + "' must be a URL, or have a carrier"));
    }
  }

  @Override
  public void forget(long subscription) {
    http.forget(subscription);
  }

  private void call(
      Attempt claim, Subscription subscription, Payload payload, Consumer<AttemptOutcome> done) {
    CarrierContent content = MessageBodies.of(payload, Protocol.FUNCTION);
    functions.call(
        subscription.settings().endpoint(),
        new FunctionMessage(
            claim.message(),
            claim.attempt(),
            subscription.topic(),
            subscription.id(),
            content.contentType(),
            content.body(),
            attributes(payload)),
        timeout,
        claim::mayBegin,
        done);
  }

  private CarrierAttempt attempt(Attempt claim, Subscription subscription, Payload payload) {
    SubscriptionSettings settings = subscription.settings();
    Protocol protocol = settings.protocol();
    boolean formatted = protocol == Protocol.QUEUE || protocol == Protocol.FUNCTION;
    return new CarrierAttempt(
        claim.message(),
        claim.attempt(),
        subscription.topic(),
        subscription.id(),
        protocol,
        settings.endpoint(),
        formatted ? formatted(claim, subscription, payload) : MessageBodies.of(payload, protocol),
        protocol == Protocol.QUEUE ? traced(attributes(payload), claim) : attributes(payload),
        timeout,
        claim::mayBegin);
  }

  /** Queues have the trace as one more attribute: a property or a header, as the carrier has it. */
  private static JsonNode traced(JsonNode attributes, Attempt claim) {
    TraceContext trace = claim.trace();
    if (trace == null
        || attributes.has(TraceContext.HEADER)
        || attributes.size() > MAX_ATTRIBUTES_BESIDE_TRACE) {
      return attributes;
    }
    return ((ObjectNode) attributes).put(TraceContext.HEADER, trace.header());
  }

  private static CarrierContent formatted(
      Attempt claim, Subscription subscription, Payload payload) {
    Payload own = MessageBodies.resolve(payload, subscription.settings().protocol());
    BodyFormat format = subscription.settings().format();
    return switch (format) {
      case RAW, CLOUDEVENTS -> new CarrierContent(own.contentType(), own.body());
      case ENVELOPE ->
          new CarrierContent(
              Envelope.CONTENT_TYPE, Envelope.of(claim.message(), subscription, own));
      case CLOUDEVENTS_STRUCTURED ->
          new CarrierContent(
              CloudEvents.CONTENT_TYPE, CloudEvents.structured(claim.message(), subscription, own));
    };
  }

  private static JsonNode attributes(Payload payload) {
    return payload.attributes().length == 0
        ? JsonNodeFactory.instance.objectNode()
        : JSON.readTree(payload.attributes());
  }
}
