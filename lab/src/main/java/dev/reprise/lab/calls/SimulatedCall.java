package dev.reprise.lab.calls;

import dev.reprise.core.retry.AttemptTimeoutException;
import dev.reprise.core.retry.CheckedSupplier;
import dev.reprise.core.retry.Retry;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** One call by a client or a layer: what its {@code Retry} runs, and what it tells when it ends. */
abstract class SimulatedCall
    implements CheckedSupplier<CompletionStage<Boolean>, RuntimeException>,
        BiFunction<Boolean, @Nullable Throwable, @Nullable Void> {
  /** The value if no attempt has ended yet. */
  private static final long NONE = -1;

  final Run run;

  /** Tells the randomness of this call from that of others. */
  final long id;

  /** The next station of its attempts. */
  final Station target;

  final long startNanos;
  int attempts;

  /** The moment that the service has set aside for it, or -1. */
  long slotNanos = NONE;

  /** True from the first answer that was a success. */
  boolean succeeded;

  private long failedNanos = NONE;

  SimulatedCall(Run run, long id, Station target) {
    this.run = run;
    this.id = id;
    this.target = target;
    this.startNanos = run.heap.nowNanos();
  }

  /** Returns the call of a client that this is, or that it is made for. */
  abstract ClientCall root();

  /** Returns true as long as its caller waits for the result. */
  abstract boolean isAwaited();

  /** Ends the call, with the last failure or without any. */
  abstract void ended(@Nullable CallFailure failure);

  final void start(Retry retry) {
    var unused = retry.callAsync(this).handle(this);
  }

  /** Makes one attempt; called by the {@code Retry}. */
  @Override
  public final CompletionStage<Boolean> get() {
    attempts++;
    // Not of hedges: they do not wait for a failure.
    if (failedNanos != NONE) {
      run.tally.retried(this, run.heap.nowNanos() - failedNanos);
      failedNanos = NONE;
    }
    CallAttempt attempt = new CallAttempt(this, attempts);
    attempt.send();
    return attempt;
  }

  /** Notes that an attempt has failed, so that the next one is a retry. */
  final void attemptFailed() {
    failedNanos = run.heap.nowNanos();
  }

  /** Called by the {@code Retry} when it is done. Whatever is thrown here would be lost. */
  @Override
  public final @Nullable Void apply(Boolean value, @Nullable Throwable thrown) {
    try {
      ended(thrown == null ? null : failureOf(thrown));
    } catch (RuntimeException | Error broken) {
      run.broken(broken);
    }
    return null;
  }

  private static CallFailure failureOf(Throwable thrown) {
    if (thrown instanceof CallFailure failure) {
      return failure;
    }
    if (thrown instanceof AttemptTimeoutException) {
      return CallFailure.TIMED_OUT;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    throw new IllegalStateException("a call ended with what no attempt fails with", thrown);
  }
}
