package dev.reprise.cluster;

import dev.reprise.delivery.engine.ShardElsewhereException;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the store of a shard that another node owns. A range is read in pages, each as it is when
 * it is asked for. Every method blocks until the owner has answered.
 *
 * <p>Methods throw {@link ShardElsewhereException} if there is no owner, or it is not reached.
 */
final class RemoteStore implements Store {
  /** As long as a take-over takes with the usual session, and some. */
  static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(12);

  private static final long MAX_CALL_SECONDS = 10;
  private static final long AGAIN_MILLIS = 100;
  private static final byte[] NOTHING = {};

  private final int shard;
  private final IntFunction<ShardMap.@Nullable Node> owners;
  private final PeerClient client;
  private final long maxWaitNanos;

  /**
   * The store of a shard.
   *
   * @param owners knows the owner of each shard; null if there is none
   * @param maxWaitNanos how long an owner is waited for
   */
  RemoteStore(
      int shard,
      IntFunction<ShardMap.@Nullable Node> owners,
      PeerClient client,
      long maxWaitNanos) {
    this.maxWaitNanos = maxWaitNanos;
    this.shard = shard;
    this.owners = owners;
    this.client = client;
  }

  /** A shard that is on its way to another node is waited for: reading repeats nothing. */
  private byte[] ask(int kind, byte[] from, byte[] to) {
    byte[] request = PeerProtocol.encode(PeerProtocol.Request.reading(kind, shard, from, to));
    long end = System.nanoTime() + maxWaitNanos;
    while (true) {
      String why = "has no owner just now";
      ShardMap.Node owner = owners.apply(shard);
      if (owner != null) {
        try {
          byte[] answer =
              client
                  .call(owner, request)
                  .toCompletableFuture()
                  .get(MAX_CALL_SECONDS, TimeUnit.SECONDS);
          if (!PeerProtocol.isElsewhere(answer)) {
            return answer;
          }
          why = "is on its way to another node";
        } catch (InterruptedException e) {
          throw interrupted();
        } catch (ExecutionException | CompletionException | TimeoutException e) {
          why = "is owned by " + owner.name() + ", which does not answer: " + e.getMessage();
        }
      }
      if (System.nanoTime() - end > 0) {
        throw new ShardElsewhereException(shard, why);
      }
      try {
        Thread.sleep(AGAIN_MILLIS);
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }
  }

  private ShardElsewhereException interrupted() {
    Thread.currentThread().interrupt();
    return new ShardElsewhereException(shard, "was not waited for");
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return PeerProtocol.value(shard, ask(PeerProtocol.GET, key, NOTHING));
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return new Pages(from, to, false);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return new Pages(from, to, true);
  }

  @Override
  public void write(Batch batch) {
    throw new UnsupportedOperationException("only its owner writes a shard");
  }

  @Override
  public void close() {}

  private final class Pages implements Cursor {
    private final boolean reverse;
    private byte[] from;
    private byte[] to;
    private boolean more = true;
    private Iterator<PeerProtocol.Entry> page = List.<PeerProtocol.Entry>of().iterator();
    private PeerProtocol.@Nullable Entry at;

    Pages(byte[] from, byte[] to, boolean reverse) {
      this.from = from;
      this.to = to;
      this.reverse = reverse;
    }

    @Override
    public boolean next() {
      while (!page.hasNext() && more) {
        int kind = reverse ? PeerProtocol.REVERSE_RANGE : PeerProtocol.RANGE;
        PeerProtocol.Page read = PeerProtocol.page(shard, ask(kind, from, to));
        page = read.entries().iterator();
        more = read.more() && !read.entries().isEmpty();
      }
      if (!page.hasNext()) {
        at = null;
        return false;
      }
      PeerProtocol.Entry entry = page.next();
      at = entry;
      if (reverse) {
        to = entry.key();
      } else {
        // The next key that there can be: the same one and a zero.
        from = Arrays.copyOf(entry.key(), entry.key().length + 1);
      }
      return true;
    }

    private PeerProtocol.Entry entry() {
      PeerProtocol.Entry entry = at;
      if (entry == null) {
        throw new IllegalStateException("the cursor is at no entry");
      }
      return entry;
    }

    @Override
    public byte[] key() {
      return entry().key();
    }

    @Override
    public byte[] value() {
      return entry().value();
    }

    @Override
    public void close() {}
  }
}
