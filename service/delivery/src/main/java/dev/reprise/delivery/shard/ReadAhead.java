package dev.reprise.delivery.shard;

import dev.reprise.delivery.MessageId;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The pending deliveries of one subscription that were read from the store and wait in memory, in
 * order. What all subscriptions of a shard hold so is counted together, in a {@link Budget}. Not
 * safe for use by several threads.
 */
final class ReadAhead implements Iterable<Pending> {
  /** The memory of a record beside its payload, roughly. */
  private static final long OVERHEAD_BYTES = 256;

  private final Budget budget;

  /** Null while there is nothing: most subscriptions of a shard wait for nothing. */
  private @Nullable ArrayDeque<Pending> pendings;

  /** The bytes that a shard has read ahead, and their bound. Not thread-safe. */
  static final class Budget {
    private final long maxBytes;
    private long bytes;

    Budget(long maxBytes) {
      this.maxBytes = maxBytes;
    }

    boolean isSpent() {
      return bytes >= maxBytes;
    }

    long bytes() {
      return bytes;
    }
  }

  ReadAhead(Budget budget) {
    this.budget = budget;
  }

  boolean isEmpty() {
    return pendings == null;
  }

  int size() {
    return pendings == null ? 0 : pendings.size();
  }

  @Nullable Pending peek() {
    return pendings == null ? null : pendings.peekFirst();
  }

  @Nullable Pending peekLast() {
    return pendings == null ? null : pendings.peekLast();
  }

  void add(Pending pending) {
    if (pendings == null) {
      pendings = new ArrayDeque<>(4);
    }
    pendings.addLast(pending);
    budget.bytes += bytes(pending);
  }

  @Nullable Pending poll() {
    return removed(pendings == null ? null : pendings.pollFirst());
  }

  void removeLast() {
    removed(pendings == null ? null : pendings.pollLast());
  }

  /** Takes out the record of a message, if it is there. */
  void remove(MessageId message) {
    if (pendings == null) {
      return;
    }
    for (Pending pending : pendings) {
      if (pending.message().equals(message)) {
        pendings.remove(pending);
        removed(pending);
        return;
      }
    }
  }

  void clear() {
    while (poll() != null) {
      // Each one is given back to the budget.
    }
  }

  private @Nullable Pending removed(@Nullable Pending pending) {
    if (pending != null) {
      budget.bytes -= bytes(pending);
    }
    if (pendings != null && pendings.isEmpty()) {
      pendings = null;
    }
    return pending;
  }

  private static long bytes(Pending pending) {
    byte[] payload = pending.payload();
    return OVERHEAD_BYTES + (payload == null ? 0 : payload.length);
  }

  @Override
  public Iterator<Pending> iterator() {
    return pendings == null ? Collections.emptyIterator() : pendings.iterator();
  }
}
