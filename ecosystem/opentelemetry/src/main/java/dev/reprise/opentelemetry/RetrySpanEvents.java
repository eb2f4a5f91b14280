package dev.reprise.opentelemetry;

import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.retry.RetryListener;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import java.util.Locale;

/**
 * Adds an event {@code retry.attempt} to the current span for every attempt of an operation that
 * needed more than one, and for every failure. So a trace tells why a call took four seconds. An
 * operation that succeeds at once adds nothing.
 *
 * <table>
 *   <caption>The attributes of the event</caption>
 *   <tr><td>{@code reprise.retry.name}<td>the name of the {@code Retry}
 *   <tr><td>{@code reprise.retry.attempt}<td>the attempt, counted from 1; the {@code
 *       http.request.resend_count} of its request is one less
 *   <tr><td>{@code reprise.retry.outcome}<td>{@code success}, {@code retry}, {@code stop}, {@code
 *       not_made} or {@code superseded}
 *   <tr><td>{@code reprise.retry.delay}<td>seconds until the next attempt; only when one follows
 *   <tr><td>{@code reprise.retry.stop_reason}<td>the {@link dev.reprise.core.StopReason} in lower
 *       case; only when none follows a failure
 *   <tr><td>{@code error.type}<td>the class of the failure; only when there is one
 * </table>
 *
 * <p>Messages of failures are not recorded: they can hold what must not leave the program. The
 * requests of the attempts have spans of their own, by the instrumentation of their client; let
 * {@link OpenTelemetryContext} make them children of the span that this writes to. Immutable and
 * thread-safe.
 */
public final class RetrySpanEvents implements RetryListener {
  private static final String EVENT = "retry.attempt";
  private static final AttributeKey<String> NAME = AttributeKey.stringKey("reprise.retry.name");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("reprise.retry.attempt");
  private static final AttributeKey<String> OUTCOME =
      AttributeKey.stringKey("reprise.retry.outcome");
  private static final AttributeKey<Double> DELAY = AttributeKey.doubleKey("reprise.retry.delay");
  private static final AttributeKey<String> STOP_REASON =
      AttributeKey.stringKey("reprise.retry.stop_reason");
  private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  private static final double NANOS_PER_SECOND = 1e9;
  private static final RetrySpanEvents INSTANCE = new RetrySpanEvents();

  private RetrySpanEvents() {}

  /** Returns the listener that writes to the span that is current when it is called. */
  public static RetryListener onCurrentSpan() {
    return INSTANCE;
  }

  @Override
  public void onAttempt(RetryEvent event) {
    if (event.kind() == Kind.SUCCESS && event.attempt() == 1) {
      return;
    }
    Span span = Span.current();
    if (span.isRecording()) {
      span.addEvent(EVENT, attributes(event));
    }
  }

  private static Attributes attributes(RetryEvent event) {
    AttributesBuilder attributes =
        Attributes.builder()
            .put(NAME, event.name())
            .put(ATTEMPT, (long) event.attempt())
            .put(OUTCOME, event.kind().name().toLowerCase(Locale.ROOT));
    if (event.kind() == Kind.RETRY) {
      attributes.put(DELAY, event.delay().toNanos() / NANOS_PER_SECOND);
    }
    if (event.stopReason() != null) {
      attributes.put(STOP_REASON, event.stopReason().name().toLowerCase(Locale.ROOT));
    }
    if (event.failure() != null) {
      attributes.put(ERROR_TYPE, event.failure().getClass().getName());
    }
    return attributes.build();
  }
}
