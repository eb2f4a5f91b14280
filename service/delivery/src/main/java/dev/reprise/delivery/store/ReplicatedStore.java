package dev.reprise.delivery.store;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store whose writes are first in a log, which outlives this process and its disk, and then in a
 * copy here, which is read. A write that the log has and the copy has not yet, because the disk
 * here failed, is finished before any other.
 *
 * <p>One thread writes; reading is safe for many threads.
 */
public final class ReplicatedStore implements Store {
  private final TurnLog log;
  private final LogCopy copy;
  private final LongSupplier logMillis;

  /** In the log, and perhaps not in the copy. */
  private @Nullable Batch unfinished;

  /** Where the copy was when it was appended. */
  private long unfinishedBegin;

  private long unfinishedEnd;

  /** A time at which the copy had everything, because no other writer could append yet. */
  private long unfinishedMillis;

  /**
   * A store.
   *
   * @param copy has everything that is in the log
   * @param logMillis the time by the log's clock, as it was lately
   */
  public ReplicatedStore(TurnLog log, LogCopy copy, LongSupplier logMillis) {
    this.log = log;
    this.copy = copy;
    this.logMillis = logMillis;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return copy.store().get(key);
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return copy.store().range(from, to);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return copy.store().reverseRange(from, to);
  }

  /**
   * {@inheritDoc} After a failure that does not last the next call must bring the same writes again
   * ({@link Batch#again}), or follow a call of {@link #finish}.
   */
  @Override
  public void write(Batch batch) {
    if (unfinished == null) {
      // Before the batch is there: this thread may stand still behind it, and others go on.
      unfinishedMillis = logMillis.getAsLong();
      unfinishedBegin = copy.position();
      unfinishedEnd = log.append(batch);
      unfinished = batch;
    }
    finish();
  }

  /** Finishes the last write, if the log has it and the copy perhaps has not. */
  public void finish() {
    Batch open = unfinished;
    if (open == null) {
      return;
    }
    // If this fails, the copy may have it all the same.
    unfinished = open.again();
    copy.carryOn(open, unfinishedBegin, unfinishedEnd, unfinishedMillis);
    unfinished = null;
  }

  /** Does nothing: the copy outlives its owner. */
  @Override
  public void close() {}
}
