package dev.reprise.opentelemetry;

import dev.reprise.core.retry.ContextCapture;
import io.opentelemetry.context.Context;

/**
 * Carries the context of the calling thread, and with it the current span and the baggage, to the
 * threads on which later attempts and listeners run.
 *
 * <pre>{@code
 * Retry retry = Retry.builder()
 *     .context(OpenTelemetryContext.ofCaller())
 *     .listener(RetrySpanEvents.onCurrentSpan())
 *     .build();
 * }</pre>
 *
 * <p>Without it the requests of attempts 2 and later begin traces of their own, or hang on whatever
 * their thread did before. Immutable and thread-safe.
 */
public final class OpenTelemetryContext implements ContextCapture {
  private static final OpenTelemetryContext INSTANCE = new OpenTelemetryContext();

  private OpenTelemetryContext() {}

  /** Returns what captures the context that is current when an operation starts. */
  public static ContextCapture ofCaller() {
    return INSTANCE;
  }

  @Override
  public Snapshot capture() {
    Context captured = Context.current();
    return task -> captured.wrap(task).run();
  }
}
