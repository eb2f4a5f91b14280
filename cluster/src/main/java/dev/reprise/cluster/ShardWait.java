package dev.reprise.cluster;

import java.util.concurrent.TimeUnit;

/**
 * For how long anything that must ask a shard waits for it: publishes with a key, reads, changes
 * and what a client asks for through another node.
 */
public final class ShardWait {
  /**
   * A take-over takes a session (6 s by default) and some seconds, on a machine under load twice as
   * many. Clients commonly wait for 30 s, and are to be told why before.
   */
  public static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(25);

  /** The time between two looks at who owns a shard that is waited for. */
  public static final long LOOK_MILLIS = 100;

  private ShardWait() {}
}
