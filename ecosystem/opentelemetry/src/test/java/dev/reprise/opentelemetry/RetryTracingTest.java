package dev.reprise.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // a scope is opened only to be closed
class RetryTracingTest {
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
  private final Tracer tracer = provider.get("test");
  private final VirtualTime time = new VirtualTime();

  @AfterEach
  void close() {
    provider.close();
  }

  private RetryBuilder retry() {
    return Retry.builder()
        .name("payments")
        .strategy(
            RetryStrategies.of(Backoff.fixed(Duration.ofMillis(1500)), Classifier.defaults(), 3))
        .time(time)
        .executor(time.executor())
        .context(OpenTelemetryContext.ofCaller())
        .listener(RetrySpanEvents.onCurrentSpan());
  }

  private static ScriptedOperation<String> refusedOnce() {
    return new ScriptedOperation<String>().fails(1, ConnectException::new).succeeds("hello");
  }

  @Test
  void everyAttemptOfARetriedOperationIsAnEventOfTheSpan() throws Exception {
    Span span = tracer.spanBuilder("checkout").startSpan();
    try (Scope ignored = span.makeCurrent()) {
      retry().build().call(refusedOnce()::call);
    } finally {
      span.end();
    }

    List<EventData> events = spans().get(0).getEvents();
    assertThat(events).extracting(EventData::getName).containsOnly("retry.attempt");
    assertThat(events)
        .extracting(EventData::getAttributes)
        .containsExactly(
            Attributes.builder()
                .put("reprise.retry.name", "payments")
                .put("reprise.retry.attempt", 1)
                .put("reprise.retry.outcome", "retry")
                .put("reprise.retry.delay", 1.5)
                .put("error.type", "java.net.ConnectException")
                .build(),
            Attributes.builder()
                .put("reprise.retry.name", "payments")
                .put("reprise.retry.attempt", 2)
                .put("reprise.retry.outcome", "success")
                .build());
  }

  @Test
  void theLastFailureTellsWhyThereWasNoFurtherAttempt() {
    Span span = tracer.spanBuilder("checkout").startSpan();
    var down = new ScriptedOperation<String>().failsAlways(ConnectException::new);
    try (Scope ignored = span.makeCurrent()) {
      assertThatThrownBy(() -> retry().build().call(down::call))
          .isInstanceOf(ConnectException.class);
    } finally {
      span.end();
    }

    assertThat(spans().get(0).getEvents())
        .extracting(
            event -> event.getAttributes().get(AttributeKey.stringKey("reprise.retry.stop_reason")))
        .containsExactly(null, null, "attempts");
  }

  @Test
  void anOperationThatSucceedsAtOnceAddsNothing() {
    Span span = tracer.spanBuilder("checkout").startSpan();
    try (Scope ignored = span.makeCurrent()) {
      retry().build().call(() -> "at once");
    } finally {
      span.end();
    }

    assertThat(spans().get(0).getEvents()).isEmpty();
  }

  @Test
  void withoutASpanNothingIsWritten() throws Exception {
    assertThat(retry().build().call(refusedOnce()::call)).isEqualTo("hello");
    assertThat(spans()).isEmpty();
  }

  @Test
  void laterAsynchronousAttemptsBelongToTheCallersSpan() {
    Span parent = tracer.spanBuilder("checkout").startSpan();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(2, ConnectException::new).succeeds("hello");
    CompletableFuture<String> future;
    try (Scope ignored = parent.makeCurrent()) {
      future =
          retry()
              .build()
              .callAsync(
                  () -> {
                    Span request = tracer.spanBuilder("request").startSpan();
                    try {
                      return CompletableFuture.completedFuture(operation.call());
                    } finally {
                      request.end();
                    }
                  });
    }
    // From here on the caller's span is no longer current: what follows is not its thread.
    assertThat(Span.current().getSpanContext().isValid()).isFalse();
    time.runUntilIdle(100);
    parent.end();

    assertThat(future).isCompletedWithValue("hello");
    List<SpanData> requests =
        spans().stream().filter(span -> span.getName().equals("request")).toList();
    assertThat(requests)
        .hasSize(3)
        .extracting(SpanData::getParentSpanId)
        .containsOnly(parent.getSpanContext().getSpanId());
    SpanData checkout =
        spans().stream()
            .filter(span -> span.getName().equals("checkout"))
            .findFirst()
            .orElseThrow();
    assertThat(checkout.getEvents())
        .extracting(
            event -> event.getAttributes().get(AttributeKey.longKey("reprise.retry.attempt")))
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void blockingAttemptsOnAnotherThreadBelongToTheCallersSpan() {
    List<String> seen = new ArrayList<>();
    ScriptedOperation<String> operation = refusedOnce();
    Span parent = tracer.spanBuilder("checkout").startSpan();
    CompletableFuture<String> future;
    try (Scope ignored = parent.makeCurrent()) {
      future =
          retry()
              .build()
              .submit(
                  () -> {
                    seen.add(Span.current().getSpanContext().getSpanId());
                    return operation.call();
                  });
    }
    time.runUntilIdle(100);
    parent.end();

    assertThat(future).isCompletedWithValue("hello");
    assertThat(seen).hasSize(2).containsOnly(parent.getSpanContext().getSpanId());
  }

  private List<SpanData> spans() {
    return exporter.getFinishedSpanItems();
  }
}
