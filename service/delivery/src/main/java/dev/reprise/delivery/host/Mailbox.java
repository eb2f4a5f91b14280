package dev.reprise.delivery.host;

import dev.reprise.delivery.shard.ShardInput;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where a shard's inputs gather while the shard is at work. Whatever has gathered is taken as one
 * turn, so that the store's slowness makes batches larger instead of queues longer.
 *
 * <p>Many threads put, one takes.
 */
final class Mailbox {
  private List<ShardInput> inputs = new ArrayList<>();
  private List<ShardInput> spare = new ArrayList<>();
  private boolean waiting;
  private boolean woken;

  synchronized void put(ShardInput input) {
    inputs.add(input);
    if (waiting) {
      notify();
    }
  }

  /** Takes out the inputs that {@code chosen} accepts. */
  synchronized void removeIf(Predicate<ShardInput> chosen) {
    inputs.removeIf(chosen);
  }

  /** Makes the next or present {@link #take} return at once. */
  synchronized void wake() {
    woken = true;
    if (waiting) {
      notify();
    }
  }

  /**
   * Everything that has gathered, after waiting for at most {@code maxWaitMillis} for something.
   * The list is valid until the next call.
   */
  synchronized List<ShardInput> take(long maxWaitMillis) throws InterruptedException {
    await(maxWaitMillis);
    List<ShardInput> taken = inputs;
    spare.clear();
    inputs = spare;
    spare = taken;
    return taken;
  }

  /**
   * Adds to what the last {@link #take} returned whatever comes next, after waiting for at most
   * {@code maxWaitMillis} for it; false if nothing has come.
   */
  synchronized boolean takeMore(long maxWaitMillis) throws InterruptedException {
    await(maxWaitMillis);
    boolean more = spare.addAll(inputs);
    inputs.clear();
    return more;
  }

  private void await(long maxWaitMillis) throws InterruptedException {
    long end = System.nanoTime() + maxWaitMillis * 1_000_000;
    waiting = true;
    while (inputs.isEmpty() && !woken) {
      long leftMillis = (end - System.nanoTime() + 999_999) / 1_000_000;
      if (leftMillis <= 0) {
        break;
      }
      wait(leftMillis);
    }
    waiting = false;
    woken = false;
  }
}
