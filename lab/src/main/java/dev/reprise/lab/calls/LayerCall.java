package dev.reprise.lab.calls;

import dev.reprise.lab.kernel.CounterRandom;
import org.jspecify.annotations.Nullable;

/** A call by a layer, whose end is the answer to the attempt that caused it. */
final class LayerCall extends SimulatedCall {
  private final CallAttempt asked;

  LayerCall(CallAttempt asked, Station target) {
    super(asked.call.run, idOf(asked.call.id, asked.number), target);
    this.asked = asked;
  }

  /** Returns what tells the call for an attempt from all other calls. */
  static long idOf(long id, int attempt) {
    return CounterRandom.numberOf(id, attempt);
  }

  @Override
  ClientCall root() {
    return asked.call.root();
  }

  @Override
  boolean isAwaited() {
    return asked.isAwaited();
  }

  @Override
  void ended(@Nullable CallFailure failure) {
    asked.answer(failure);
  }
}
