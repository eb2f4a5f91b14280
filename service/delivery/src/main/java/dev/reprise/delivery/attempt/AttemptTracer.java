package dev.reprise.delivery.attempt;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.catalog.Subscription;
import org.jspecify.annotations.Nullable;

/** Gives each attempt its place in the trace of its message. Safe for use by many threads. */
public interface AttemptTracer {
  /** Records nothing: an attempt of a message with a trace has an id in it, others have none. */
  AttemptTracer PASS_ON =
      (attempt, subscription, parent) -> {
        if (parent == null) {
          return null;
        }
        TraceContext context = parent.child();
        return new Span() {
          @Override
          public TraceContext context() {
            return context;
          }

          @Override
          public void end(AttemptOutcome outcome) {}
        };
      };

  /** An attempt under way. */
  interface Span {
    /** Returns the context that is sent to the endpoint. */
    TraceContext context();

    /** The attempt has ended, or was not made. */
    void end(AttemptOutcome outcome);
  }

  /**
   * An attempt begins.
   *
   * @param parent the trace that the message was published in; null for none
   * @return null if it is in no trace
   */
  @Nullable Span begin(Attempt attempt, Subscription subscription, @Nullable TraceContext parent);
}
