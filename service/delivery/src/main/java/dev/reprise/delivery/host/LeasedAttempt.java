package dev.reprise.delivery.host;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.shard.Claim;
import org.jspecify.annotations.Nullable;

/** An attempt of a shard that this process owns for a while only. */
record LeasedAttempt(Claim claim, Lease lease) implements Attempt {
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
  public long startedNanos() {
    return claim.startedNanos();
  }

  @Override
  public boolean mayBegin() {
    return lease.isHeld();
  }

  @Override
  public @Nullable TraceContext trace() {
    return claim.trace();
  }
}
