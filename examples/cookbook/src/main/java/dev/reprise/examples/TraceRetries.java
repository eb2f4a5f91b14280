package dev.reprise.examples;

import dev.reprise.core.retry.Retry;
import dev.reprise.opentelemetry.OpenTelemetryContext;
import dev.reprise.opentelemetry.RetrySpanEvents;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;

/** Shows in a trace why a call took so long. */
public final class TraceRetries {
  private TraceRetries() {}

  /** Runs an operation that fails once within a span, and reads the span. */
  @SuppressWarnings("try") // the scope is opened only to be closed
  public static void main(String[] args) throws ConnectException {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    try (SdkTracerProvider tracing =
        SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build()) {
      Span span = tracing.get("example").spanBuilder("checkout").startSpan();
      try (Scope ignored = span.makeCurrent()) {
        callService();
      } finally {
        span.end();
      }
      exporter
          .getFinishedSpanItems()
          .forEach(
              ended -> ended.getEvents().forEach(event -> System.out.println(event.getName())));
    }
  }

  private static void callService() throws ConnectException {
    // @start region=traces
    Retry retry =
        Retry.builder()
            .context(OpenTelemetryContext.ofCaller())
            .listener(RetrySpanEvents.onCurrentSpan())
            .build();
    // @end
    AtomicInteger attempts = new AtomicInteger();
    retry.run(
        () -> {
          if (attempts.incrementAndGet() == 1) {
            throw new ConnectException("refused");
          }
        });
  }
}
