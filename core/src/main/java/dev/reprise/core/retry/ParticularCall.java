package dev.reprise.core.retry;

import dev.reprise.core.retry.ContextCapture.Snapshot;
import dev.reprise.core.strategy.StrategyDriver;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An {@link AsyncCall} with what few calls have: a deadline, a strategy that has replaced another,
 * a context of its caller within which its steps run.
 */
final class ParticularCall<T extends @Nullable Object> extends AsyncCall<T> {
  private final StrategyDriver strategy;
  private final long startNanos;

  /** Null if none is captured, and once the call is over. */
  private volatile @Nullable Snapshot context;

  ParticularCall(
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation,
      @Nullable Snapshot context) {
    super(engine, strategy, operation);
    this.strategy = strategy;
    this.startNanos = engine.operationStarted();
    this.context = context;
  }

  static boolean isNeededFor(
      RetryEngine engine, StrategyDriver strategy, @Nullable Snapshot context) {
    return context != null || engine.hasDeadline() || strategy != engine.firstStrategy();
  }

  @Override
  StrategyDriver strategy() {
    return strategy;
  }

  @Override
  long startNanos() {
    return startNanos;
  }

  @Override
  void inContext(Runnable step) {
    Snapshot captured = context;
    if (captured == null) {
      super.inContext(step);
    } else {
      // A step that throws ends the call; only what the context itself throws does not matter.
      engine.threads.runIn(captured, () -> super.inContext(step));
    }
  }

  @Override
  void release() {
    super.release();
    context = null;
  }
}
