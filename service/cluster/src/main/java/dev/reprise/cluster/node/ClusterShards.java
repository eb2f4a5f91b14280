package dev.reprise.cluster.node;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.intake.IntakeProducer;
import dev.reprise.cluster.log.Follower;
import dev.reprise.cluster.ownership.OpenReader;
import dev.reprise.cluster.ownership.OwnedShard;
import dev.reprise.cluster.ownership.Ownership;
import dev.reprise.cluster.peer.NotSentException;
import dev.reprise.cluster.peer.OwnerCalls;
import dev.reprise.cluster.peer.PeerAsks;
import dev.reprise.cluster.peer.PeerClient;
import dev.reprise.cluster.peer.PeerProtocol;
import dev.reprise.cluster.peer.RemoteStore;
import dev.reprise.cluster.peer.Reservation;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.host.Shards;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
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
  private final PeerClient peers;
  private final OwnerCalls calls;
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
    this.peers = once(client);
    this.calls = new OwnerCalls(ownership::owner, OwnerCalls.MAX_WAIT);
    this.start = start;
  }

  /** Returns the client that there will be: until then, nothing is sent. */
  private static PeerClient once(Supplier<@Nullable PeerClient> client) {
    return (node, request) -> {
      PeerClient now = client.get();
      return now == null
          ? CompletableFuture.failedFuture(
              new NotSentException("this node has no connections to others yet"))
          : now.call(node, request);
    };
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
      reserve(shard, reserve);
      return;
    }
    OwnedShard.Running here = ownership.running(shard);
    if (here != null) {
      here.loop().submit(input);
    } else if (input instanceof ShardInput.Received received && !closed) {
      tellElsewhere(shard, received);
    } else if (input instanceof ShardInput.Asks<?> asks) {
      askElsewhere(shard, asks);
    }
    // The owner of the shard learns of everything else from the catalog.
  }

  /**
   * A carrier's report goes to every shard: here one by one, elsewhere to all shards of a node
   * together, when it is the turn of the first of them.
   */
  private void tellElsewhere(int shard, ShardInput.Received received) {
    ShardMap.Node owner = ownership.owner(shard);
    if (owner == null) {
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

  private void reserve(int shard, ShardInput.Reserve reserve) {
    var unused =
        calls
            .ask(shard, new Reservation(shard, reserve, ownership::running, peers, () -> closed))
            .whenComplete(
                (reserved, error) -> {
                  if (error == null) {
                    reserve.reply().complete(reserved);
                  } else {
                    reserve.reply().fail(error);
                  }
                });
  }

  private void askElsewhere(int shard, ShardInput.Asks<?> asks) {
    var unused =
        calls
            .ask(shard, new Elsewhere(shard, asks))
            .whenComplete(
                (answer, error) -> {
                  if (error != null) {
                    asks.reply().fail(error);
                  }
                });
  }

  /** A question to a shard that is not here, and may be before it is answered. */
  private final class Elsewhere implements OwnerCalls.Question<byte[], Boolean> {
    private final int shard;
    private final ShardInput.Asks<?> asks;
    private final byte[] request;

    Elsewhere(int shard, ShardInput.Asks<?> asks) {
      this.shard = shard;
      this.asks = asks;
      this.request =
          PeerProtocol.encode(
              PeerProtocol.Request.reading(
                  PeerProtocol.ASK, shard, PeerAsks.encode(asks), NOTHING));
    }

    @Override
    public @Nullable CompletionStage<Boolean> here() {
      OwnedShard.Running here = ownership.running(shard);
      if (here != null) {
        here.loop().submit(asks);
        return CompletableFuture.completedFuture(true);
      }
      if (closed) {
        throw new EngineClosedException();
      }
      return null;
    }

    @Override
    public CompletionStage<byte[]> there(ShardMap.Node owner) {
      return peers.call(owner, request);
    }

    @Override
    public Boolean read(byte[] answer) {
      if (PeerProtocol.isElsewhere(answer)) {
        throw OwnerCalls.AskAgainException.onItsWay();
      }
      PeerAsks.complete(asks, shard, answer);
      return false;
    }

    @Override
    public boolean mayRepeat() {
      return PeerAsks.changesNothing(asks);
    }
  }

  private ShardElsewhereException elsewhere(int shard) {
    ShardMap.Node owner = ownership.owner(shard);
    return new ShardElsewhereException(
        shard, owner == null ? "has no owner just now" : "is owned by " + owner.name());
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
  public @Nullable DeliveryReader readerHere(int shard) {
    OwnedShard.Running here = ownership.running(shard);
    return here == null ? null : here.reader();
  }

  @Override
  public DeliveryReader reader(int shard) {
    DeliveryReader here = readerHere(shard);
    if (here != null) {
      return here;
    }
    if (client.get() == null) {
      throw elsewhere(shard);
    }
    return new ShardReader(new RemoteStore(shard, calls, peers, waitingReads));
  }

  @Override
  public void requireRoom(long bytes, boolean fromReserve) {
    if (!fromReserve && !store.hasSpaceFor(bytes)) {
      throw store.refusal(bytes);
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
