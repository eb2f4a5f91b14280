package dev.reprise.device.queue;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of all queues: bounds, drop policy, messages in flight and expiry. The messages
 * themselves are in a {@link Backlog}.
 */
final class BoundedQueue<E extends Entry> implements MessageQueue {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedQueue.class);

  private final Backlog<E> backlog;
  private final Bounds bounds;
  private final @Nullable Duration defaultTimeToLive;
  private final Tally tally;
  private final SleepClock sleep;
  private final Map<Long, E> inFlight = new HashMap<>();

  /**
   * The entry that was taken from the backlog and has no other place yet, or null. An error in
   * between, such as a lack of memory, leaves it here, and the next call puts it back.
   */
  private @Nullable E inHand;

  /** The lost messages that were not reported yet. */
  private final NavigableSet<Long> lost = new TreeSet<>();

  /** The first time that the queue was told; all ages count from it. */
  private long originNanos;

  private boolean hasOrigin;

  /**
   * Creates the queue.
   *
   * @param tally what the backlog holds already
   */
  BoundedQueue(QueueSettings settings, Backlog<E> backlog, Tally tally, SleepClock sleep) {
    this.backlog = backlog;
    this.bounds = Bounds.of(settings);
    this.defaultTimeToLive = settings.timeToLive();
    this.tally = tally;
    this.sleep = sleep;
  }

  private long ageNanos(long nowNanos) {
    if (!hasOrigin) {
      originNanos = nowNanos;
      hasOrigin = true;
    }
    return nowNanos - originNanos + sleep.sleptNanos();
  }

  @Override
  public Admission offer(Message message, long nowNanos) {
    String refusal = bounds.refusal(message, tally);
    if (refusal != null) {
      return new Admission.Refused(refusal);
    }
    List<QueuedMessage> dropped;
    try {
      dropped = makeRoom(message);
    } catch (IOException e) {
      LOG.warn("A full queue cannot read back what would have to give way", e);
      return new Admission.Refused("what would have to give way cannot be read back: " + e);
    }
    Duration own = message.timeToLive();
    E entry = backlog.append(message, own == null ? defaultTimeToLive : own, ageNanos(nowNanos));
    tally.added(entry.priority(), entry.sizeBytes());
    return new Admission.Accepted(entry.sequence(), dropped);
  }

  /** Takes the messages that have to give way; if they cannot be read, all of them stay. */
  private List<QueuedMessage> makeRoom(Message message) throws IOException {
    if (bounds.fits(message, tally.messages(), tally.bytes())) {
      return List.of();
    }
    List<E> victims = new ArrayList<>();
    try {
      while (!fitsWithout(victims, message)) {
        E victim = takeVictim(message);
        // Others may have turned out to be lost in the search, and that made room, too.
        boolean fits = fitsWithout(victims, message);
        if (victim == null && !fits) {
          throw new IllegalStateException("the queue counts more that may give way than there are");
        }
        if (victim != null && fits) {
          leave(victim);
        } else if (victim != null) {
          victims.add(victim);
        }
      }
    } catch (IOException | Error e) {
      victims.forEach(this::leave);
      throw e;
    }
    victims.sort(Comparator.comparingLong(Entry::sequence));
    return takeOut(victims);
  }

  private boolean fitsWithout(List<E> victims, Message message) {
    long victimBytes = 0;
    for (E victim : victims) {
      victimBytes += victim.sizeBytes();
    }
    return bounds.fits(message, tally.messages() - victims.size(), tally.bytes() - victimBytes);
  }

  private @Nullable E takeVictim(Message message) throws IOException {
    E victim = null;
    if (bounds.dropPolicy() == DropPolicy.DROP_OLDEST) {
      victim = backlog.takeFirst();
    } else {
      for (Priority priority : Priority.values()) {
        if (victim == null && priority.compareTo(message.priority()) <= 0) {
          victim = backlog.takeFirst(priority);
        }
      }
    }
    return victim;
  }

  /**
   * Reads those that are taken and removes them, whether they are lost or not; when the disk cannot
   * read, all are put back.
   */
  private List<QueuedMessage> takeOut(List<E> taken) throws IOException {
    List<QueuedMessage> out = read(taken);
    removeAll(taken);
    Set<Long> readable = new HashSet<>();
    out.forEach(message -> readable.add(message.sequence()));
    taken.stream().map(Entry::sequence).filter(s -> !readable.contains(s)).forEach(lost::add);
    return out;
  }

  /** Reads those that are taken, but for those that are lost. */
  private List<QueuedMessage> read(List<E> taken) throws IOException {
    List<QueuedMessage> out = new ArrayList<>(taken.size());
    try {
      for (E entry : taken) {
        try {
          out.add(new QueuedMessage(entry.sequence(), backlog.read(entry)));
        } catch (UnreadableMessageException e) {
          LOG.debug("{}", e.getMessage());
        }
      }
    } catch (IOException | Error e) {
      taken.forEach(this::leave);
      throw e;
    }
    return out;
  }

  /** Puts back a message that was taken but not counted, unless it is lost. */
  private void leave(E taken) {
    if (!backlog.putBack(taken)) {
      tally.taken(taken);
      tally.removed(taken);
      lost.add(taken.sequence());
    }
  }

  private void tellLost() throws UnreadableMessageException {
    lost.addAll(backlog.drainLost());
    Long first = lost.pollFirst();
    if (first != null) {
      throw new UnreadableMessageException(first);
    }
  }

  private void removeAll(List<E> taken) {
    for (E entry : taken) {
      tally.taken(entry);
      discard(entry);
    }
  }

  private void discard(E taken) {
    backlog.discard(taken);
    tally.removed(taken);
  }

  @Override
  public @Nullable QueuedMessage poll(long maxBytes) throws IOException {
    leaveRest();
    tellLost();
    E first = backlog.takeFirst();
    inHand = first;
    if (first == null) {
      tellLost();
      return null;
    }
    if (first.sizeBytes() > maxBytes) {
      leaveRest();
      return null;
    }
    QueuedMessage polled;
    try {
      polled = new QueuedMessage(first.sequence(), backlog.read(first));
    } catch (IOException e) {
      leaveRest();
      tellLost();
      throw e;
    }
    lost.addAll(backlog.drainLost());
    if (!lost.isEmpty()) {
      leaveRest();
      tellLost();
    }
    inFlight.put(first.sequence(), first);
    tally.taken(first);
    inHand = null;
    return polled;
  }

  @Override
  public Message read(long sequence) throws IOException {
    E entry = inFlight.get(sequence);
    if (entry == null) {
      throw new IllegalStateException("message " + sequence + " is not in flight");
    }
    try {
      return backlog.read(entry);
    } catch (UnreadableMessageException e) {
      // Told as such when it is put back: until then it is in flight.
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Puts back the entry that is in hand, such as after an error that ended a call before. */
  private void leaveRest() {
    E rest = inHand;
    if (rest != null) {
      inFlight.remove(rest.sequence());
      leave(rest);
      inHand = null;
    }
  }

  @Override
  public void putBack(long sequence) {
    // Whatever throws, such as a lack of memory, the entry is still in flight.
    Long key = sequence;
    E entry = inFlight.get(key);
    if (entry != null) {
      if (backlog.putBack(entry)) {
        tally.putBack(entry);
      } else {
        lost.add(key);
        tally.removed(entry);
      }
      inFlight.remove(key);
    }
  }

  @Override
  public void remove(long sequence) {
    Long key = sequence;
    E entry = inFlight.get(key);
    if (entry != null) {
      discard(entry);
      inFlight.remove(key);
      return;
    }
    leaveRest();
    E waiting;
    try {
      waiting = backlog.take(sequence);
    } catch (IOException e) {
      LOG.warn("Message {} cannot be removed, and stays in the queue", sequence, e);
      return;
    }
    if (waiting != null) {
      inHand = waiting;
      backlog.discard(waiting);
      inHand = null;
      tally.taken(waiting);
      tally.removed(waiting);
      return;
    }
    // The caller that removes it need not be told that it is lost.
    lost.addAll(backlog.drainLost());
    lost.remove(sequence);
  }

  @Override
  public List<QueuedMessage> expire(long nowNanos, int most) throws IOException {
    if (most < 1) {
      throw new InvalidSettingException("most", most, "must be >= 1");
    }
    tellLost();
    List<E> expired = backlog.takeExpired(ageNanos(nowNanos), most);
    List<QueuedMessage> readable = read(expired);
    lost.addAll(backlog.drainLost());
    // Those that are lost are told one by one: the others expire with the call that follows.
    if (readable.size() < expired.size() || !lost.isEmpty()) {
      expired.forEach(this::leave);
      tellLost();
    }
    removeAll(expired);
    return readable;
  }

  @Override
  public long nextExpiryNanos(long nowNanos) {
    long ageNanos = ageNanos(nowNanos);
    lost.addAll(backlog.drainLost());
    if (!lost.isEmpty()) {
      return nowNanos;
    }
    long nextAgeNanos = backlog.nextExpiryAgeNanos();
    // An overdue time is now; if nothing expires it is never.
    return nextAgeNanos == Entry.NEVER
        ? Long.MAX_VALUE
        : nowNanos + Math.max(0, nextAgeNanos - ageNanos);
  }

  @Override
  public long remainingNanos(long sequence, long nowNanos) {
    E entry = inFlight.get(sequence);
    return entry == null || entry.expiryAgeNanos() == Entry.NEVER
        ? Long.MAX_VALUE
        : entry.expiryAgeNanos() - ageNanos(nowNanos);
  }

  @Override
  public void sync() throws IOException {
    try {
      backlog.sync();
    } catch (IOException e) {
      for (E entry : backlog.rollBack()) {
        if (inFlight.remove(entry.sequence()) == null) {
          tally.taken(entry);
        }
        tally.removed(entry);
      }
      throw e;
    }
  }

  @Override
  public boolean isDurable() {
    return backlog.isDurable();
  }

  @Override
  public int messages() {
    return tally.messages();
  }

  @Override
  public int waiting() {
    return tally.waiting();
  }

  @Override
  public long bytes() {
    return tally.bytes();
  }

  @Override
  public void close() {
    backlog.close();
  }
}
