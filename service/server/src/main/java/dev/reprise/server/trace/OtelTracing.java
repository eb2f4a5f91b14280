package dev.reprise.server.trace;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.TraceStateBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Records spans with OpenTelemetry and exports them over OTLP. Spans and attributes have the names
 * of its semantic conventions for messaging and HTTP. One attribute that these require is left out
 * on purpose, {@code url.full}: path and query of an endpoint may hold its secret. No span has a
 * header or a body either.
 */
final class OtelTracing implements Tracing {
  private static final long CLOSE_SECONDS = 5;

  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> MESSAGE =
      AttributeKey.stringKey("messaging.message.id");
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<Long> RESENT =
      AttributeKey.longKey("http.request.resend_count");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> SERVER = AttributeKey.stringKey("server.address");
  private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<String> SUBSCRIPTION =
      AttributeKey.stringKey("messaging.destination.subscription.name");
  private static final AttributeKey<String> PROTOCOL = AttributeKey.stringKey("reprise.protocol");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("reprise.attempt");
  private static final AttributeKey<Boolean> MADE = AttributeKey.booleanKey("reprise.made");

  /** The defaults of this service, below what the environment says. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.service.name", "reprise",
          "otel.traces.exporter", "otlp",
          // The other signals are at /metrics and in the log.
          "otel.metrics.exporter", "none",
          "otel.logs.exporter", "none",
          "otel.exporter.otlp.protocol", "http/protobuf");

  private final OpenTelemetrySdk sdk;
  private final Tracer tracer;

  private OtelTracing(OpenTelemetrySdk sdk) {
    this.sdk = sdk;
    this.tracer = sdk.getTracer("dev.reprise");
  }

  static OtelTracing open() {
    try {
      return new OtelTracing(
          AutoConfiguredOpenTelemetrySdk.builder()
              .addPropertiesSupplier(() -> DEFAULTS)
              .disableShutdownHook()
              .build()
              .getOpenTelemetrySdk());
    } catch (ConfigurationException | IllegalStateException e) {
      throw new IllegalArgumentException("OpenTelemetry: " + e.getMessage(), e);
    }
  }

  @Override
  public Publish publish(String topic, @Nullable TraceContext caller) {
    io.opentelemetry.api.trace.Span span =
        childOf(tracer.spanBuilder("publish " + topic), caller)
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(SYSTEM, "reprise")
            .setAttribute(OPERATION, "publish")
            .setAttribute(OPERATION_TYPE, "send")
            .setAttribute(DESTINATION, topic)
            .startSpan();
    TraceContext context = context(span);
    return new Publish() {
      @Override
      public @Nullable TraceContext context() {
        return context;
      }

      @Override
      public void accepted(MessageId message) {
        span.setAttribute(MESSAGE, message.toString());
        span.end();
      }

      @Override
      public void failed(Throwable error) {
        span.setStatus(StatusCode.ERROR);
        span.setAttribute(ERROR, error.getClass().getName());
        span.end();
      }
    };
  }

  @Override
  public Span begin(Attempt attempt, Subscription subscription, @Nullable TraceContext parent) {
    SubscriptionSettings settings = subscription.settings();
    // No type of operation fits: a message is sent (to the service) by its publisher, once, and
    // processed by its receiver. Attempts of the type "send" would count as messages of the topic.
    SpanBuilder builder =
        childOf(tracer.spanBuilder("deliver " + subscription.topic()), parent)
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute(SYSTEM, "reprise")
            .setAttribute(OPERATION, "deliver")
            .setAttribute(DESTINATION, subscription.topic())
            .setAttribute(MESSAGE, attempt.message().toString())
            .setAttribute(SUBSCRIPTION, subscription.id())
            .setAttribute(PROTOCOL, settings.protocol().wireName())
            .setAttribute(ATTEMPT, (long) attempt.attempt());
    boolean isHttp = settings.protocol() == Protocol.HTTP;
    if (isHttp) {
      builder.setAttribute(METHOD, "POST");
      if (attempt.attempt() > 1) {
        builder.setAttribute(RESENT, attempt.attempt() - 1L);
      }
    }
    if (settings.isUrl()) {
      address(builder, settings.endpoint());
    }
    io.opentelemetry.api.trace.Span span = builder.startSpan();
    TraceContext context = context(span);
    return new Span() {
      @Override
      public TraceContext context() {
        return context;
      }

      @Override
      public void end(AttemptOutcome outcome) {
        OtelTracing.end(span, outcome, isHttp);
      }
    };
  }

  private static void address(SpanBuilder builder, String endpoint) {
    // Whether the address is allowed is for the attempt to say.
    EndpointUrl url = EndpointUrl.parse(endpoint, AddressGuard.ofOperator()).url();
    if (url != null) {
      builder.setAttribute(SERVER, url.host());
      builder.setAttribute(PORT, (long) url.port());
    }
  }

  private static void end(
      io.opentelemetry.api.trace.Span span, AttemptOutcome outcome, boolean isHttp) {
    if (isHttp && outcome.status() > 0) {
      span.setAttribute(STATUS, (long) outcome.status());
    }
    if (!outcome.made()) {
      span.setAttribute(MADE, false);
    } else if (!outcome.succeeded()) {
      span.setStatus(StatusCode.ERROR);
      boolean hasStatus = isHttp && outcome.status() > 0;
      span.setAttribute(
          ERROR,
          hasStatus ? Integer.toString(outcome.status()) : OutcomeClass.of(outcome).wireName());
    }
    span.end();
  }

  private static SpanBuilder childOf(SpanBuilder builder, @Nullable TraceContext parent) {
    if (parent == null) {
      return builder.setNoParent();
    }
    TraceStateBuilder state = TraceState.builder();
    List<String> members = new ArrayList<>(List.of(parent.state().split(",", -1)));
    // Each new member goes to the front.
    for (int i = members.size() - 1; i >= 0; i--) {
      int equals = members.get(i).indexOf('=');
      if (equals > 0) {
        state.put(members.get(i).substring(0, equals), members.get(i).substring(equals + 1));
      }
    }
    SpanContext context =
        SpanContext.createFromRemoteParent(
            parent.traceId(),
            parent.spanId(),
            TraceFlags.fromByte((byte) parent.flags()),
            state.build());
    return builder.setParent(Context.root().with(io.opentelemetry.api.trace.Span.wrap(context)));
  }

  private static TraceContext context(io.opentelemetry.api.trace.Span span) {
    SpanContext context = span.getSpanContext();
    StringBuilder state = new StringBuilder();
    context
        .getTraceState()
        .forEach(
            (key, value) -> state.append(state.length() == 0 ? "" : ",").append(key + "=" + value));
    return new TraceContext(
        context.getTraceId(),
        context.getSpanId(),
        context.getTraceFlags().asByte() & 0xff,
        state.toString());
  }

  @Override
  public void close() {
    sdk.getSdkTracerProvider().shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
    sdk.close();
  }
}
