package dev.reprise.cluster.peer;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Reads the store of a shard that another node owns. A range is read in pages, each as it is when
 * it is asked for. Every method blocks until the owner has answered.
 *
 * <p>Methods throw {@link ShardElsewhereException} if there is no owner, or it is not reached, for
 * as long as it is waited for; and at once if too many threads of this node wait for shards
 * already.
 */
public final class RemoteStore implements Store {
  private static final byte[] NOTHING = {};

  private final int shard;
  private final OwnerCalls calls;
  private final PeerClient client;
  private final Semaphore waiting;

  /**
   * The store of a shard.
   *
   * @param waiting has a permit for each thread of this node that may wait for any shard: an owner
   *     that stands still must not take all threads
   */
  public RemoteStore(int shard, OwnerCalls calls, PeerClient client, Semaphore waiting) {
    this.shard = shard;
    this.calls = calls;
    this.client = client;
    this.waiting = waiting;
  }

  /**
   * A shard that is on its way to another node is waited for, and an owner that has not answered is
   * left for the next one: reading repeats nothing.
   */
  private byte[] ask(int kind, byte[] from, byte[] to) {
    byte[] request = PeerProtocol.encode(PeerProtocol.Request.reading(kind, shard, from, to));
    Wait wait = new Wait();
    try {
      return calls.await(shard, new Read(request), wait::require);
    } finally {
      wait.end();
    }
  }

  private final class Read implements OwnerCalls.Question<byte[], byte[]> {
    private final byte[] request;

    Read(byte[] request) {
      this.request = request;
    }

    @Override
    public CompletionStage<byte[]> there(ShardMap.Node owner) {
      return client.call(owner, request);
    }

    @Override
    public byte[] read(byte[] answer) {
      if (PeerProtocol.isElsewhere(answer)) {
        throw OwnerCalls.AskAgainException.onItsWay();
      }
      return answer;
    }

    @Override
    public boolean mayRepeat() {
      return true;
    }
  }

  /** The permit of a thread that waits. */
  private final class Wait {
    private boolean permitted;

    void require(String why) {
      if (!permitted && !waiting.tryAcquire()) {
        throw new ShardElsewhereException(shard, why + ", and too many wait for shards already");
      }
      permitted = true;
    }

    void end() {
      if (permitted) {
        waiting.release();
      }
    }
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
