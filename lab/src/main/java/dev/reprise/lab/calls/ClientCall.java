package dev.reprise.lab.calls;

import org.jspecify.annotations.Nullable;

/** A call by a client. */
final class ClientCall extends SimulatedCall {
  final int client;

  /** Attempts to reach the service itself, by whomever, for this call. */
  int serviceAttempts;

  ClientCall(Run run, long id, Station target, int client) {
    super(run, id, target);
    this.client = client;
  }

  @Override
  ClientCall root() {
    return this;
  }

  /** A client that waits no longer gives up the attempts that are under way. */
  @Override
  boolean isAwaited() {
    return true;
  }

  @Override
  void ended(@Nullable CallFailure failure) {
    run.tally.ended(this, failure == null, run.heap.nowNanos());
    run.callers.ended(client);
    run.stopIfOver();
  }
}
