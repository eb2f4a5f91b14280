package dev.reprise.delivery.store;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose failed reads are tried again, because one transient error must not end the reader:
 * a shard has changed its memory by the time it reads, so what is repeated is the read and not the
 * turn. Errors that last ({@link StoreException#lasting}) are thrown on, and so are those that do
 * not pass in {@link #PATIENCE_MILLIS}, unless the disk is full.
 *
 * <p><b>For the only writer of its keys.</b> A cursor that fails is opened again behind the last
 * key that it gave. That is the same range as before only if nothing was written in between, which
 * holds for a shard and for the catalog: they write after they have read. Likewise a batch may be
 * written twice ({@link #write}) only if no other writer has written its keys since.
 *
 * <p>As safe for use by many threads as the store below.
 */
public final class RepeatingStore implements Store {
  /** Longer than the store needs to be reopened, or to give that up. */
  public static final long PATIENCE_MILLIS = StoreRepair.PATIENCE_MILLIS + 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(RepeatingStore.class);
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long MAX_PAUSE_MILLIS = 500;

  private final Store store;
  private final boolean writesToo;
  private final Pauses pauses;

  private volatile @Nullable StoreException fault;

  /** Waits. The one seam to real time. */
  public interface Pauses {
    /** Waits for {@code millis}. */
    void pause(long millis) throws InterruptedException;
  }

  private RepeatingStore(Store store, boolean writesToo, Pauses pauses) {
    this.store = store;
    this.writesToo = writesToo;
    this.pauses = pauses;
  }

  /** Repeats reads; a write that fails is its caller's to repeat. */
  public static RepeatingStore ofReads(Store store) {
    return ofReads(store, TimeUnit.MILLISECONDS::sleep);
  }

  /** The same, with waits of the caller's own. */
  public static RepeatingStore ofReads(Store store, Pauses pauses) {
    return new RepeatingStore(store, false, pauses);
  }

  /** Repeats reads and writes; a write that finds the disk full fails at once. */
  public static RepeatingStore ofReadsAndWrites(Store store) {
    return new RepeatingStore(store, true, TimeUnit.MILLISECONDS::sleep);
  }

  /** Why a read is being repeated just now; null if none is. */
  public @Nullable StoreException fault() {
    return fault;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    long waitedMillis = 0;
    while (true) {
      try {
        byte[] value = store.get(key);
        passed();
        return value;
      } catch (StoreException e) {
        waitedMillis += await(e, waitedMillis);
      }
    }
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return new RepeatingCursor(from, to, false);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return new RepeatingCursor(from, to, true);
  }

  /**
   * {@inheritDoc} A write that failed may have been applied all the same, and later be found so
   * after a restart. {@link #ofReadsAndWrites} repeats it until that is certain.
   */
  @Override
  public void write(Batch batch) {
    if (!writesToo) {
      store.write(batch);
      return;
    }
    Batch next = batch;
    long waitedMillis = 0;
    while (true) {
      try {
        store.write(next);
        passed();
        return;
      } catch (StoreException e) {
        if (e.full()) {
          throw e;
        }
        next = batch.again();
        waitedMillis += await(e, waitedMillis);
      }
    }
  }

  @Override
  public void close() {
    store.close();
  }

  private void passed() {
    if (fault != null) {
      fault = null;
      LOG.info("the store answers again");
    }
  }

  /** Waits before the next try; returns for how long. */
  private long await(StoreException e, long waitedMillis) {
    // A full disk may stay so for hours, and everything goes on then.
    if (e.lasting() || (waitedMillis >= PATIENCE_MILLIS && !e.full())) {
      fault = null;
      throw e;
    }
    if (waitedMillis == 0) {
      LOG.warn("the store has failed and is asked again: {}", e.getMessage());
    }
    fault = e;
    long pause = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS + waitedMillis);
    try {
      pauses.pause(pause);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw e;
    }
    return pause;
  }

  private final class RepeatingCursor implements Cursor {
    private final byte[] from;
    private final byte[] to;
    private final boolean reverse;
    private @Nullable Cursor cursor;
    private byte @Nullable [] key;
    private boolean ended;

    RepeatingCursor(byte[] from, byte[] to, boolean reverse) {
      this.from = from;
      this.to = to;
      this.reverse = reverse;
      try {
        open();
      } catch (StoreException e) {
        // The first step tries again.
      }
    }

    @Override
    public boolean next() {
      long waitedMillis = 0;
      while (!ended) {
        try {
          Cursor at = open();
          ended = !at.next();
          key = ended ? null : at.key();
          passed();
          break;
        } catch (StoreException e) {
          // The key may have been passed without having been given.
          lose();
          ended = false;
          waitedMillis += await(e, waitedMillis);
        }
      }
      return !ended;
    }

    /** The cursor below, at the last key that was given. */
    private Cursor open() {
      Cursor at = cursor;
      if (at == null) {
        at = reverse ? openBefore(key) : openAfter(key);
        cursor = at;
      }
      return at;
    }

    private Cursor openAfter(byte @Nullable [] last) {
      // The next key that there can be: the same one and a zero.
      return store.range(last == null ? from : Arrays.copyOf(last, last.length + 1), to);
    }

    private Cursor openBefore(byte @Nullable [] last) {
      return store.reverseRange(from, last == null ? to : last);
    }

    @Override
    public byte[] key() {
      byte[] at = key;
      if (at == null) {
        throw new IllegalStateException("the cursor is at no entry");
      }
      return at;
    }

    @Override
    public byte[] value() {
      byte[] at = key();
      if (cursor != null) {
        try {
          return cursor.value();
        } catch (StoreException e) {
          lose();
        }
      }
      byte[] value = get(at);
      if (value == null) {
        throw new IllegalStateException("an entry has gone while its reader looked at it");
      }
      return value;
    }

    private void lose() {
      if (cursor != null) {
        cursor.close();
        cursor = null;
      }
    }

    @Override
    public void close() {
      lose();
      ended = true;
      key = null;
    }
  }
}
