package dev.reprise.cluster.log;

import dev.reprise.delivery.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops copies of shards that this node has neither owned nor followed for an hour: what moved away
 * may come back soon, as in a rolling restart, and would take as much disk for ever.
 *
 * <p>The hour is counted from the start of the node at the earliest, and only while it takes part
 * in the group: between two looks that are far apart it may have stood still, and what others have
 * agreed on meanwhile is not known.
 *
 * <p>For the thread of the group's member alone. A shard is given to this node on the same thread,
 * so that none is dropped that was just given to it.
 */
public final class UnusedCopies {
  /** The time for which a copy is kept that is not used. */
  static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

  static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The most that counts between two looks. */
  public static final long MAX_COUNTED_NANOS = 3 * LOOK_NANOS;

  private static final Logger LOG = LoggerFactory.getLogger(UnusedCopies.class);

  private final ShardCopies copies;
  private final LongSupplier nanoTime;

  /** For how long each copy that is there has not been used. */
  private final Map<Integer, Long> unusedNanos = new HashMap<>();

  private long lookedNanos;

  public UnusedCopies(ShardCopies copies, LongSupplier nanoTime) {
    this.copies = copies;
    this.nanoTime = nanoTime;
    this.lookedNanos = nanoTime.getAsLong();
  }

  /**
   * Looks at the copies now and then; nearly always it returns at once.
   *
   * @param isElsewhere whether the group has given a shard to another node, and this one is to have
   *     no copy of it
   * @return how many copies were dropped
   */
  public int look(IntPredicate isElsewhere) {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos < LOOK_NANOS) {
      return 0;
    }
    long passed = Math.min(now - lookedNanos, MAX_COUNTED_NANOS);
    lookedNanos = now;
    List<Integer> dropped = new ArrayList<>();
    for (int shard = 0; shard < copies.shards(); shard++) {
      if (!isElsewhere.test(shard) || !copies.holds(shard)) {
        unusedNanos.remove(shard);
      } else if (unusedNanos.merge(shard, passed, Long::sum) >= KEPT_NANOS && drop(shard)) {
        unusedNanos.remove(shard);
        dropped.add(shard);
      }
    }
    if (!dropped.isEmpty()) {
      LOG.info(
          "the copies of shards {} are dropped: they were neither owned nor followed for an hour",
          dropped);
      copies.reclaim(dropped);
    }
    return dropped.size();
  }

  private boolean drop(int shard) {
    try {
      copies.drop(shard);
      return true;
    } catch (StoreException e) {
      LOG.warn("the copy of shard {} cannot be dropped yet: {}", shard, e.getMessage());
      return false;
    }
  }
}
