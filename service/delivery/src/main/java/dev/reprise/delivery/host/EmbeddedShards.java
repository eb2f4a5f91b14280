package dev.reprise.delivery.host;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shards that all run in this process, over one store. */
final class EmbeddedShards implements Shards {
  private static final Duration DRAINED_LOOK = Duration.ofMillis(10);
  private static final long MIN_STOP_NANOS = Duration.ofSeconds(5).toNanos();
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedShards.class);

  private final RocksStore store;
  private final List<ShardLoop> loops = new ArrayList<>();
  private final List<DeliveryReader> readers = new ArrayList<>();

  /**
   * Opens all shards.
   *
   * @param stores the store of each
   */
  EmbeddedShards(RocksStore store, List<RepeatingStore> stores, ShardOpener opener) {
    this.store = store;
    for (int i = 0; i < stores.size(); i++) {
      loops.add(opener.open(i, stores.get(i), Lease.LASTING, TurnPace.AT_ONCE));
      // Not repeated: a question reads beside the shard, and can be asked again.
      readers.add(new ShardReader(store.view(viewOf(i))));
    }
  }

  /** The view of a shard in the store of its process. */
  static int viewOf(int shard) {
    return 1 + shard;
  }

  @Override
  public void start() {
    loops.forEach(ShardLoop::start);
  }

  @Override
  public int count() {
    return loops.size();
  }

  @Override
  public void submit(int shard, ShardInput input) {
    loops.get(shard).submit(input);
  }

  @Override
  public int countHere() {
    return count();
  }

  @Override
  public boolean isHere(int shard) {
    return true;
  }

  @Override
  public DeliveryReader reader(int shard) {
    return readers.get(shard);
  }

  @Override
  public DeliveryReader readerHere(int shard) {
    return reader(shard);
  }

  @Override
  public void requireRoom(long bytes, boolean fromReserve) {
    Throwable fault = fault();
    if (fault instanceof StoreException e) {
      throw new StoreException(String.valueOf(e.getMessage()), e.full(), e);
    }
    if (fault != null) {
      throw new StoreException("a shard has failed: " + fault.getMessage(), false, fault);
    }
    if (!fromReserve && !store.hasSpaceFor(bytes)) {
      loops.forEach(ShardLoop::lookForSpace);
      throw store.refusal(bytes);
    }
  }

  @Override
  public List<RefusalHold> held() {
    return loops.stream().flatMap(loop -> loop.held().stream()).toList();
  }

  @Override
  public int inFlight() {
    int sum = 0;
    for (ShardLoop loop : loops) {
      sum += loop.inFlight();
    }
    return sum;
  }

  @Override
  public @Nullable Throwable fault() {
    for (ShardLoop loop : loops) {
      Throwable fault = loop.fault();
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  @Override
  public @Nullable String failure() {
    StoreException storeFailure = store.failure();
    if (storeFailure != null) {
      return "the store has failed: " + storeFailure.getMessage();
    }
    for (int i = 0; i < loops.size(); i++) {
      Throwable failure = loops.get(i).failure();
      if (failure != null) {
        return "shard " + i + " has failed: " + failure.getMessage();
      }
    }
    return null;
  }

  @Override
  public boolean isDamaged() {
    return StoreException.isDamage(store.failure())
        || loops.stream().anyMatch(loop -> StoreException.isDamage(loop.failure()));
  }

  /**
   * {@inheritDoc} What of the grace is left when no attempt is under way any more, but at least 5
   * s, is for all shards together to store what has ended.
   */
  @Override
  public boolean stop(Duration grace) throws InterruptedException {
    boolean all = true;
    try {
      loops.forEach(ShardLoop::drain);
      // What a failed store cannot take need not be waited for.
      Duration wait = store.failure() == null ? grace : Duration.ZERO;
      long end = System.nanoTime() + wait.toNanos();
      Pauses pauses = Pauses.every(DRAINED_LOOK).within(wait);
      while (inFlight() > 0 && pauses.next()) {
        // Attempts are under way.
      }
      // All at once: while one writes its last, the others do so as well.
      loops.forEach(ShardLoop::stop);
      long stopped = System.nanoTime();
      long giveUp = stopped + Math.max(MIN_STOP_NANOS, end - stopped);
      for (ShardLoop loop : loops) {
        if (!loop.awaitEnd(giveUp - System.nanoTime())) {
          LOG.warn("a shard did not stop in time; what it holds is attempted again later");
          all = false;
        }
      }
      return all;
    } catch (InterruptedException e) {
      loops.forEach(ShardLoop::stop);
      throw e;
    }
  }
}
