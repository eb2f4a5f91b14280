package dev.reprise.core.retry;

import dev.reprise.core.retry.ContextCapture.Snapshot;
import dev.reprise.core.strategy.StrategyDriver;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An {@link AsyncCall} whose steps run within the context of its caller. */
final class ContextualCall<T extends @Nullable Object> extends AsyncCall<T> {
  /** Null once the call is over. */
  private volatile @Nullable Snapshot context;

  ContextualCall(
      RetryEngine engine,
      StrategyDriver strategy,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation,
      Snapshot context) {
    super(engine, strategy, operation);
    this.context = context;
  }

  @Override
  void inContext(Runnable step) {
    Snapshot captured = context;
    // A step that throws ends the call; only what the context itself throws does not matter.
    engine.threads.runIn(captured, () -> super.inContext(step));
  }

  @Override
  void release() {
    super.release();
    context = null;
  }
}
