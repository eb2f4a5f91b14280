package dev.reprise.delivery.attempt;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.TraceContext;

/** An attempt with its place in a trace. */
record TracedAttempt(Attempt claim, TraceContext trace) implements Attempt {
  @Override
  public long subscription() {
    return claim.subscription();
  }

  @Override
  public MessageId message() {
    return claim.message();
  }

  @Override
  public int attempt() {
    return claim.attempt();
  }

  @Override
  public byte[] payload() {
    return claim.payload();
  }

  @Override
  public boolean mayBegin() {
    return claim.mayBegin();
  }

  @Override
  public long startedNanos() {
    return claim.startedNanos();
  }
}
