package dev.reprise.server.trace;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.attempt.AttemptTracer;
import dev.reprise.delivery.catalog.Subscription;
import org.jspecify.annotations.Nullable;

/** Records nothing. */
final class PassingOn implements Tracing {
  private static final Publish NO_TRACE = new Passed(null);

  private record Passed(@Nullable TraceContext context) implements Publish {
    @Override
    public void accepted(MessageId message) {}

    @Override
    public void failed(Throwable error) {}
  }

  @Override
  public Publish publish(String topic, @Nullable TraceContext caller) {
    return caller == null ? NO_TRACE : new Passed(caller);
  }

  @Override
  public @Nullable Span begin(
      Attempt attempt, Subscription subscription, @Nullable TraceContext parent) {
    return AttemptTracer.PASS_ON.begin(attempt, subscription, parent);
  }

  @Override
  public void close() {}
}
