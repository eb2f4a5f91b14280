package dev.reprise.cluster;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.engine.EngineClosedException;
import dev.reprise.delivery.engine.ShardElsewhereException;
import dev.reprise.delivery.engine.Shards;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The shards of a cluster, seen from one node: messages go to the brokers, everything else to the
 * shard, which is reached through its owner if it is not here.
 */
final class ClusterShards implements Shards {
  /** Half of the threads that answer requests: the others go on, whatever these wait for. */
  private static final int MAX_WAITING_READS = 4;

  private static final byte[] NOTHING = {};

  private final int count;
  private final RocksStore store;
  private final IntakeProducer producer;
  private final Ownership ownership;
  private final Follower follower;
  private final OpenReader openReader;
  private final Supplier<@Nullable PeerClient> client;
  private final Consumer<ClusterShards> start;
  private final Semaphore waitingReads = new Semaphore(MAX_WAITING_READS);
  private volatile boolean closed;

  /**
   * Shards of which none is here before {@link #start}.
   *
   * @param client carries requests to other nodes, once there is one
   * @param start begins to take part in the cluster
   */
  ClusterShards(
      int count,
      RocksStore store,
      IntakeProducer producer,
      Ownership ownership,
      Follower follower,
      OpenReader openReader,
      Supplier<@Nullable PeerClient> client,
      Consumer<ClusterShards> start) {
    this.count = count;
    this.store = store;
    this.producer = producer;
    this.ownership = ownership;
    this.follower = follower;
    this.openReader = openReader;
    this.client = client;
    this.start = start;
  }

  @Override
  public void start() {
    start.accept(this);
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public void submit(int shard, ShardInput input) {
    if (input instanceof ShardInput.Publish publish) {
      producer.send(shard, publish);
      return;
    }
    if (input instanceof ShardInput.Reserve reserve) {
      new Reservation(shard, reserve, ownership::running, ownership::owner, client, () -> closed)
          .ask();
      return;
    }
    OwnedShard.Running here = ownership.running(shard);
    if (here != null) {
      here.loop().submit(input);
    } else if (input instanceof ShardInput.Received received && !closed) {
      tellElsewhere(shard, received);
    } else if (input instanceof ShardInput.Asks<?> asks) {
      askElsewhere(shard, asks, System.nanoTime() + ShardWait.MAX_NANOS);
    }
    // Whoever owns the shard hears of everything else from the catalog.
  }

  /**
   * A carrier's report is told to every shard: here one by one, elsewhere to all shards of a node
   * together, when the first of them is told.
   */
  private void tellElsewhere(int shard, ShardInput.Received received) {
    ShardMap.Node owner = ownership.owner(shard);
    PeerClient peers = client.get();
    if (owner == null || peers == null) {
      received.reply().fail(elsewhere(shard));
      return;
    }
    for (int before = 0; before < shard; before++) {
      if (owner.equals(ownership.owner(before)) && ownership.running(before) == null) {
        received.reply().complete(false);
        return;
      }
    }
    byte[] request =
        PeerProtocol.encode(PeerProtocol.Request.telling(shard, PeerProtocol.Report.of(received)));
    peers
        .call(owner, request)
        .whenComplete(
            (answer, error) -> {
              if (error != null) {
                received.reply().fail(elsewhere(shard));
                return;
              }
              try {
                received.reply().complete(PeerProtocol.isKnown(shard, answer));
              } catch (RuntimeException e) {
                received.reply().fail(e);
              }
            });
  }

  /**
   * Asks the owner. As long as nothing was done, because there is none just now or it has not got
   * the question, it is asked again for a while: a take-over takes seconds. What changes nothing is
   * also asked of the next owner before the first has answered.
   */
  private void askElsewhere(int shard, ShardInput.Asks<?> asks, long endNanos) {
    OwnedShard.Running here = ownership.running(shard);
    PeerClient peers = client.get();
    if (here != null) {
      here.loop().submit(asks);
      return;
    }
    if (closed || peers == null) {
      asks.reply().fail(closed ? new EngineClosedException() : elsewhere(shard));
      return;
    }
    ShardMap.Node owner = ownership.owner(shard);
    if (owner == null) {
      askAgain(shard, asks, endNanos);
      return;
    }
    byte[] request =
        PeerProtocol.encode(
            PeerProtocol.Request.reading(PeerProtocol.ASK, shard, PeerAsks.encode(asks), NOTHING));
    boolean mayRepeat = PeerAsks.changesNothing(asks);
    var unused =
        PeerCall.send(
                peers, owner, request, () -> mayRepeat && !owner.equals(ownership.owner(shard)))
            .whenComplete(
                (answer, error) -> {
                  if (error != null && (mayRepeat || NotSentException.isCauseOf(error))) {
                    askAgain(shard, asks, endNanos);
                    return;
                  }
                  if (error != null) {
                    // It may have been done.
                    asks.reply()
                        .fail(
                            new ShardElsewhereException(
                                shard, "is owned by " + owner.name() + ", which has not answered"));
                    return;
                  }
                  try {
                    if (PeerProtocol.isElsewhere(answer)) {
                      askAgain(shard, asks, endNanos);
                    } else {
                      PeerAsks.complete(asks, shard, answer);
                    }
                  } catch (RuntimeException e) {
                    asks.reply().fail(e);
                  }
                });
  }

  private void askAgain(int shard, ShardInput.Asks<?> asks, long endNanos) {
    if (System.nanoTime() - endNanos > 0) {
      asks.reply().fail(elsewhere(shard));
    } else {
      CompletableFuture.delayedExecutor(ShardWait.LOOK_MILLIS, TimeUnit.MILLISECONDS)
          .execute(() -> askElsewhere(shard, asks, endNanos));
    }
  }

  private ShardElsewhereException elsewhere(int shard) {
    return Reservation.elsewhere(shard, ownership.owner(shard));
  }

  @Override
  public boolean tellsRepetitions() {
    return false;
  }

  @Override
  public int countHere() {
    return ownership.running().size();
  }

  @Override
  public boolean isHere(int shard) {
    return ownership.running(shard) != null;
  }

  @Override
  public DeliveryReader reader(int shard) {
    OwnedShard.Running here = ownership.running(shard);
    if (here != null) {
      return here.reader();
    }
    PeerClient peers = client.get();
    if (peers == null) {
      throw elsewhere(shard);
    }
    return new ShardReader(
        new RemoteStore(shard, ownership::owner, peers, waitingReads, ShardWait.MAX_NANOS));
  }

  @Override
  public void requireRoom(long bytes, boolean fromReserve) {
    if (!fromReserve && !store.hasSpaceFor(bytes)) {
      throw new StoreException(store.spaceLeft() + ": publishing needs more", true, null);
    }
  }

  @Override
  public List<RefusalHold> held() {
    return ownership.running().stream().flatMap(each -> each.loop().held().stream()).toList();
  }

  @Override
  public int inFlight() {
    int sum = 0;
    for (OwnedShard.Running each : ownership.running()) {
      sum += each.loop().inFlight();
    }
    return sum;
  }

  @Override
  public @Nullable Throwable fault() {
    StoreException ofBrokers = producer.fault();
    if (ofBrokers != null) {
      return ofBrokers;
    }
    for (OwnedShard.Running each : ownership.running()) {
      Throwable fault = each.loop().fault();
      if (fault != null && !(fault instanceof StoreException e && e.lost())) {
        return fault;
      }
    }
    return ownership.fault();
  }

  @Override
  public @Nullable String failure() {
    StoreException storeFailure = store.failure();
    if (storeFailure != null) {
      return "the store has failed: " + storeFailure.getMessage();
    }
    for (OwnedShard.Running each : ownership.running()) {
      Throwable failure = each.loop().failure();
      if (failure != null) {
        return "a shard has failed: " + failure.getMessage();
      }
    }
    return ownership.failure();
  }

  @Override
  public boolean isDamaged() {
    return StoreException.isDamage(store.failure())
        || ownership.running().stream()
            .anyMatch(each -> StoreException.isDamage(each.loop().failure()));
  }

  @Override
  public boolean stop(Duration grace) throws InterruptedException {
    closed = true;
    openReader.close();
    boolean all = ownership.stop(grace);
    follower.close();
    producer.close();
    return all;
  }
}
