package dev.reprise.cluster;

import dev.reprise.delivery.shard.Reply;

/** A reply that nobody waits for. */
public final class IgnoredReply<T> implements Reply<T> {
  @Override
  public void complete(T value) {}

  @Override
  public void fail(Throwable error) {}
}
