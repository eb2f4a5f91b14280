package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Keeps messages on the heap; they are gone with the process. */
final class MemoryBacklog implements Backlog<MemoryBacklog.Held> {
  /** A message with its place. */
  record Held(long sequence, Message message, long expiryAgeNanos) implements Entry {
    @Override
    public Priority priority() {
      return message.priority();
    }

    @Override
    public int sizeBytes() {
      return message.sizeBytes();
    }
  }

  private final Waiting<Held> waiting = new Waiting<>();

  /** The waiting messages that expire. */
  private final TreeSet<Held> expiring =
      new TreeSet<>(
          Comparator.comparingLong(Held::expiryAgeNanos).thenComparingLong(Held::sequence));

  private long nextSequence = 1;

  @Override
  public Held append(Message message, @Nullable Duration timeToLive, long ageNanos) {
    Held held = new Held(nextSequence++, message, Lifetimes.expiryAge(ageNanos, timeToLive));
    putBack(held);
    return held;
  }

  @Override
  public @Nullable Held takeFirst() {
    return take(waiting.first());
  }

  @Override
  public @Nullable Held takeFirst(Priority priority) {
    return take(waiting.first(priority));
  }

  @Override
  public @Nullable Held take(long sequence) {
    return take(waiting.get(sequence));
  }

  private @Nullable Held take(@Nullable Held held) {
    if (held != null) {
      waiting.take(held.sequence());
      expiring.remove(held);
    }
    return held;
  }

  @Override
  public List<Held> takeExpired(long ageNanos, int most) {
    ArrayList<Held> expired = new ArrayList<>();
    try {
      while (expired.size() < most
          && !expiring.isEmpty()
          && expiring.first().expiryAgeNanos() <= ageNanos) {
        expired.ensureCapacity(expired.size() + 1);
        Held held = expiring.first();
        waiting.take(held.sequence());
        expiring.remove(held);
        expired.add(held);
      }
    } catch (Throwable e) {
      // Such as a lack of memory.
      expired.forEach(this::putBack);
      throw e;
    }
    expired.sort(Comparator.comparingLong(Held::sequence));
    return expired;
  }

  @Override
  public long nextExpiryAgeNanos() {
    return expiring.isEmpty() ? Entry.NEVER : expiring.first().expiryAgeNanos();
  }

  @Override
  public Message read(Held taken) {
    return taken.message();
  }

  @Override
  public boolean putBack(Held taken) {
    // One that expires and does not wait is harmless; the other way round it never expires.
    if (taken.expiryAgeNanos() != Entry.NEVER) {
      expiring.add(taken);
    }
    waiting.add(taken);
    return true;
  }

  @Override
  public List<Long> drainLost() {
    return List.of();
  }

  @Override
  public void discard(Held taken) {
    // Taken entries are no longer kept here.
  }

  @Override
  public void sync() {
    // Nothing here outlives the process.
  }

  @Override
  public List<Held> rollBack() {
    return List.of();
  }

  @Override
  public boolean isDurable() {
    return false;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
