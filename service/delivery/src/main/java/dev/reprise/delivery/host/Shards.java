package dev.reprise.delivery.host;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shards of an engine: how many there are, and how each is reached, wherever it runs. Safe for
 * use by many threads.
 */
public interface Shards {
  /** Starts them, or begins to take part in sharing them out; called once. */
  void start();

  /** The number of shards, which never changes. */
  int count();

  /**
   * Hands an input to a shard. Does not block. A caller that waits for an answer gets one, or the
   * error: {@link EngineClosedException} where the shard has ended, {@link ShardElsewhereException}
   * where it runs in another process.
   *
   * @param shard from 0
   */
  void submit(int shard, ShardInput input);

  /** Returns whether a shard runs in this process now. */
  boolean isHere(int shard);

  /** Returns the number of shards that run in this process now. */
  int countHere();

  /**
   * Returns whether the answer to a publish says that the shard had accepted it before. Otherwise
   * it is answered before a shard sees it, and only the caller that reserved its idempotency key
   * knows.
   */
  default boolean tellsRepetitions() {
    return true;
  }

  /**
   * Returns the reader of a shard, which answers questions without disturbing it.
   *
   * @throws ShardElsewhereException if it cannot be reached just now; the reader's methods may
   *     throw it as well
   */
  DeliveryReader reader(int shard);

  /**
   * Returns the reader of a shard that runs in this process now; null if it does not. It is the
   * same object for as long as the shard runs here without a break.
   */
  @Nullable DeliveryReader readerHere(int shard);

  /**
   * Refuses early what could not be made durable: nothing has happened then.
   *
   * @param bytes what is about to be published, in memory
   * @param fromReserve whether the disk's reserve may be used
   * @throws StoreException if a shard cannot write, or space is short
   */
  void requireRoom(long bytes, boolean fromReserve);

  /** Returns what waits, in the shards of this process, because all before it was refused alike. */
  List<RefusalHold> held();

  /** Attempts under way. */
  int inFlight();

  /** Why nothing can be accepted just now; null if all is well. */
  @Nullable Throwable fault();

  /** Why a part has ended for good, for the operator; null as long as none has. */
  @Nullable String failure();

  /** Whether the reason is that files of the store are damaged, which no restart repairs. */
  boolean isDamaged();

  /**
   * Stops all: attempts under way may end within the grace, and what has ended is stored.
   *
   * @return whether all have stopped in time
   */
  boolean stop(Duration grace) throws InterruptedException;
}
