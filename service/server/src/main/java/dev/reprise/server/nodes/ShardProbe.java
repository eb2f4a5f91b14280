package dev.reprise.server.nodes;

import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Asks every shard of this process for a sign of life. The question stands in line with everything
 * else that a shard does, so an answer means that its loop turns and its writes come through.
 */
public final class ShardProbe {
  public static final int MAX_WAIT_MILLIS = 2000;

  private final DeliveryEngine engine;

  /** The result of a probe. */
  public enum Sign {
    /** The shard works. */
    ANSWERED,
    /** It says nothing: its disk is slow, or refuses writes for now. */
    SILENT,
    /** Its thread has ended. */
    ENDED
  }

  public ShardProbe(DeliveryEngine engine) {
    this.engine = engine;
  }

  /** Waits for the signs of all shards, {@value #MAX_WAIT_MILLIS} ms at the most. */
  public List<Sign> ask() {
    List<CompletableFuture<Sign>> signs = new ArrayList<>();
    int shards = engine.shardCount();
    for (int shard = 0; shard < shards; shard++) {
      if (!engine.isHere(shard)) {
        // Another process answers for it.
        signs.add(CompletableFuture.completedFuture(Sign.ANSWERED));
        continue;
      }
      // Numbers are spread over shards by remainder; whether this one exists does not matter.
      Subscription any = new Subscription(shards + shard, "probe", SubscriptionSettings.of(""), 0);
      signs.add(
          engine
              .backlog(any)
              .health()
              .handle((health, error) -> error == null ? Sign.ANSWERED : sign(error))
              .toCompletableFuture()
              .completeOnTimeout(Sign.SILENT, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS));
    }
    return signs.stream().map(CompletableFuture::join).toList();
  }

  private static Sign sign(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof EngineClosedException) {
      return Sign.ENDED;
    }
    return cause instanceof StoreException ? Sign.SILENT : Sign.ANSWERED;
  }
}
