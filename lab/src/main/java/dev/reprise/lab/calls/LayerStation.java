package dev.reprise.lab.calls;

import dev.reprise.core.retry.Retry;

/** A layer: for each attempt that it receives it makes a call of its own. */
final class LayerStation implements Station {
  private final Retry retry;
  private final Station next;

  LayerStation(Retry retry, Station next) {
    this.retry = retry;
    this.next = next;
  }

  @Override
  public void receive(CallAttempt attempt) {
    new LayerCall(attempt, next).start(retry);
  }
}
