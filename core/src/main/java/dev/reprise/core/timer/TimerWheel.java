package dev.reprise.core.timer;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel: holds any number of timeouts, and adds, cancels and expires each in
 * constant time. It is a mechanism only. It has no thread and reads no clock: its driver passes the
 * time.
 *
 * <h2>Wheels within wheels</h2>
 *
 * Time is counted in ticks. A tick is a number of 48 bits, read as eight digits of 6 bits, the way
 * a time of day is read as hours, minutes and seconds. Each digit is a level of 64 slots, and a
 * timeout sits on the level of the highest digit in which its tick differs from the current one, in
 * the slot of that digit. What is due in this "minute" is in the slots of the "seconds"; what is
 * due in this "hour" but not in this minute waits in the slot of its minute. When that minute
 * begins, its slot is emptied into the level below. So a timeout is touched once per level at most,
 * eight times in 292 years, and the retries of the next seconds once or twice.
 *
 * <p>It follows that a level has nothing in slots that time has passed, that everything on a level
 * is due before anything on the level above, and that the next slot to visit is the lowest bit in
 * the bit set of the lowest level that has any. That is what makes an empty stretch free: the
 * driver sleeps until that slot, whether it is a tick away or a year, and there is no ticking in
 * between.
 *
 * <h2>Never early</h2>
 *
 * A deadline is rounded up to a whole tick, and the time that the driver tells is rounded down. A
 * timeout is thus late by less than a tick, and by what the driver's thread is late, but it is
 * never early: a retry that comes before the time that the other side asked for is refused again.
 *
 * <h2>Cancelled is gone</h2>
 *
 * Most timeouts of a program are cancelled: deadlines and attempt timeouts guard calls that
 * succeed. Slots are therefore doubly linked lists through the timeouts themselves, and to cancel
 * one is to unlink it, there and then. It lets go of its task and of its neighbours, so nothing is
 * retained, however far away its time was. A timeout is 40 bytes on a JVM with compressed pointers.
 *
 * <h2>The lock</h2>
 *
 * An unlinking needs both neighbours at once, so lists are guarded by a lock. It is held for the
 * few instructions that link or unlink one timeout, or a bounded number of them when a slot is
 * emptied, never for a whole slot and never while a task runs. A queue without locks in front of
 * the wheel would make adding cheaper still, but what is cancelled while it is in the queue would
 * stay until the driver comes along. {@link DaemonTimer} has several wheels instead, so that
 * threads that add seldom meet.
 */
final class TimerWheel {
  /** The value of {@link #nextVisitTick} while there is nothing to visit. */
  static final long NOTHING = Long.MAX_VALUE;

  private static final int BITS_PER_LEVEL = 6;
  private static final int SLOTS_PER_LEVEL = 1 << BITS_PER_LEVEL;
  private static final int SLOT_MASK = SLOTS_PER_LEVEL - 1;
  private static final int LEVELS = 8;

  /** The number of timeouts that are moved to the level below before others get the lock. */
  private static final int MOVED_AT_ONCE = 64;

  private final ReentrantLock lock = new ReentrantLock();

  /** The slots, made at first use. */
  private final @Nullable Slot[] slots = new Slot[LEVELS * SLOTS_PER_LEVEL];

  /** The slots that have timeouts, a bit each, by level. */
  private final long[] occupied = new long[LEVELS];

  /** The timeouts that are due, in the order in which they run. */
  private final Slot due = new Slot(Slot.NO_INDEX);

  /** The timeouts that were added too late for their tick; due at the next advance. */
  private final Slot late = new Slot(Slot.NO_INDEX);

  /** The timeouts on their way to a level below; empty but for while {@link #advanceTo} runs. */
  private final Slot moving = new Slot(Slot.NO_INDEX);

  /** Every slot up to that of this tick has been emptied. */
  private long currentTick;

  /**
   * The next tick at which there is something to do, or an earlier one: a cancellation leaves it as
   * it is. Written under the lock.
   */
  private volatile long nextVisitTick = NOTHING;

  /**
   * Adds a task.
   *
   * @param dueTick when it is due, 0 to 2⁴⁸ - 1; a tick that has passed is due at the next advance
   */
  Timeout add(long dueTick, Runnable task) {
    Node node = new Node(this, dueTick, task);
    lock.lock();
    try {
      long visitTick;
      if (dueTick <= currentTick) {
        late.append(node);
        visitTick = currentTick;
      } else {
        visitTick = place(node);
      }
      if (visitTick < nextVisitTick) {
        nextVisitTick = visitTick;
      }
    } finally {
      lock.unlock();
    }
    return node;
  }

  /**
   * Returns the next tick at which {@link #advanceTo} may find something to do, or {@link
   * #NOTHING}.
   */
  long nextVisitTick() {
    return nextVisitTick;
  }

  /**
   * Runs the tasks that are due, in the order of due ticks. Tasks that they add with a tick that
   * has passed wait for the next advance, so that a task that adds itself repeatedly does not delay
   * the others. Called by one thread at a time.
   *
   * @param nowTick what time it is; never earlier than at the call before
   * @param onThrow told what a task throws; must not throw itself
   */
  void advanceTo(long nowTick, Consumer<Throwable> onThrow) {
    lock.lock();
    try {
      due.appendAll(late);
    } finally {
      lock.unlock();
    }
    while (true) {
      Runnable task;
      lock.lock();
      try {
        task = due.takeFirst();
        if (task == null && !stepTowards(nowTick)) {
          nextVisitTick = findNextVisitTick();
          return;
        }
      } finally {
        lock.unlock();
      }
      if (task != null) {
        run(task, onThrow);
      }
    }
  }

  private static void run(Runnable task, Consumer<Throwable> onThrow) {
    try {
      task.run();
    } catch (Throwable e) {
      // One task must not end the timeouts of all others, whatever it throws.
      onThrow.accept(e);
    }
  }

  /** Empties one slot, or part of one; returns false when there is none up to the tick. */
  private boolean stepTowards(long nowTick) {
    if (!moving.isEmpty()) {
      moveDown();
      return true;
    }
    int level = lowestOccupiedLevel();
    if (level == LEVELS || startOfFirstSlot(level) > nowTick) {
      currentTick = nowTick;
      return false;
    }
    int slot = Long.numberOfTrailingZeros(occupied[level]);
    currentTick = startOfFirstSlot(level);
    occupied[level] &= ~(1L << slot);
    Slot emptied = slotAt(level * SLOTS_PER_LEVEL + slot);
    if (level == 0) {
      due.appendAll(emptied);
    } else {
      moving.appendAll(emptied);
    }
    return true;
  }

  private void moveDown() {
    for (int i = 0; i < MOVED_AT_ONCE; i++) {
      Node node = moving.firstNode();
      if (node == null) {
        return;
      }
      if (node.dueTick <= currentTick) {
        node.unlink();
        due.append(node);
      } else {
        place(node);
      }
    }
  }

  /**
   * Puts a timeout whose tick is to come into its slot, out of the list that it is in, if any;
   * returns when that slot is visited.
   */
  private long place(Node node) {
    long differing = currentTick ^ node.dueTick;
    int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros(differing)) / BITS_PER_LEVEL;
    int shift = level * BITS_PER_LEVEL;
    long slotNumber = node.dueTick >>> shift;
    int slot = (int) slotNumber & SLOT_MASK;
    // A new slot may find no memory. Until there is one the timeout stays where it is.
    Slot target = slotAt(level * SLOTS_PER_LEVEL + slot);
    if (node.isLinked()) {
      node.unlink();
    }
    target.append(node);
    occupied[level] |= 1L << slot;
    return slotNumber << shift;
  }

  private long findNextVisitTick() {
    if (!late.isEmpty()) {
      return currentTick;
    }
    int level = lowestOccupiedLevel();
    return level == LEVELS ? NOTHING : startOfFirstSlot(level);
  }

  private int lowestOccupiedLevel() {
    int level = 0;
    while (level < LEVELS && occupied[level] == 0) {
      level++;
    }
    return level;
  }

  private long startOfFirstSlot(int level) {
    int shift = level * BITS_PER_LEVEL;
    long levelStart = currentTick >>> (shift + BITS_PER_LEVEL) << BITS_PER_LEVEL;
    return (levelStart | Long.numberOfTrailingZeros(occupied[level])) << shift;
  }

  private Slot slotAt(int index) {
    Slot slot = slots[index];
    if (slot == null) {
      slot = new Slot(index);
      slots[index] = slot;
    }
    return slot;
  }

  private boolean cancel(Node node) {
    lock.lock();
    try {
      if (!node.isLinked()) {
        return false;
      }
      Link before = node.previous;
      node.unlink();
      node.task = null;
      if (before instanceof Slot slot && slot.isEmpty() && slot.index != Slot.NO_INDEX) {
        occupied[slot.index / SLOTS_PER_LEVEL] &= ~(1L << (slot.index & SLOT_MASK));
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether no timeout waits. */
  boolean isEmpty() {
    lock.lock();
    try {
      return lowestOccupiedLevel() == LEVELS && late.isEmpty() && due.isEmpty() && moving.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** A place in a circular doubly linked list. Guarded by the lock of the wheel. */
  private abstract static class Link {
    @Nullable Link previous;
    @Nullable Link next;
  }

  /** A timeout: at once the handle that its owner holds and the place in the list. */
  private static final class Node extends Link implements Timeout {
    private final TimerWheel wheel;
    private final long dueTick;

    /** Null once it was taken out. */
    private @Nullable Runnable task;

    Node(TimerWheel wheel, long dueTick, Runnable task) {
      this.wheel = wheel;
      this.dueTick = dueTick;
      this.task = task;
    }

    @Override
    public boolean cancel() {
      return wheel.cancel(this);
    }

    boolean isLinked() {
      return next != null;
    }

    void unlink() {
      Link before = requireNonNull(previous);
      Link after = requireNonNull(next);
      before.next = after;
      after.previous = before;
      // A timeout that its owner keeps must not keep others.
      previous = null;
      next = null;
    }
  }

  /** The head of a list. */
  private static final class Slot extends Link {
    /** The index of a list that is no slot of a level. */
    static final int NO_INDEX = -1;

    final int index;

    Slot(int index) {
      this.index = index;
      this.previous = this;
      this.next = this;
    }

    boolean isEmpty() {
      return next == this;
    }

    @Nullable Node firstNode() {
      return next instanceof Node node ? node : null;
    }

    @Nullable Runnable takeFirst() {
      Node node = firstNode();
      if (node == null) {
        return null;
      }
      node.unlink();
      Runnable task = node.task;
      node.task = null;
      return task;
    }

    void append(Node node) {
      Link last = requireNonNull(previous);
      node.previous = last;
      node.next = this;
      last.next = node;
      previous = node;
    }

    /** Takes over all of another list, which is empty afterwards. */
    void appendAll(Slot other) {
      if (other.isEmpty()) {
        return;
      }
      Link first = requireNonNull(other.next);
      Link last = requireNonNull(other.previous);
      Link before = requireNonNull(previous);
      before.next = first;
      first.previous = before;
      last.next = this;
      previous = last;
      other.next = other;
      other.previous = other;
    }
  }
}
