package dev.reprise.device;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.Admission;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.QueuedMessage;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages into the queue, and tells how each of them ended, once. Used in the loop only.
 *
 * <p>What a turn of the loop takes in is accepted when the queue was synced at its end, all of it
 * together. So is what ends: the end of a message is told when the queue has written that it is
 * gone, so that a process that is killed does not send it and tell its end again.
 */
final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  /** A message in the queue that is not durable yet. */
  private record Offered(
      long sequence,
      Message message,
      @Nullable CompletableFuture<MessageOutcome> stage,
      @Nullable CompletableFuture<@Nullable Void> acceptance) {}

  /** The stages that wait for the end of a message. */
  private record Waiter(String messageId, CompletableFuture<MessageOutcome> stage) {}

  private final MessageQueue queue;
  private final CallbackDispatcher callbacks;
  private Deque<Offered> offered = new ArrayDeque<>(0);

  /** Those of the latest sync that are not answered yet: an error may leave some. */
  private Deque<Offered> synced = new ArrayDeque<>(0);

  /** Why that sync has refused them, or null. */
  private @Nullable IOException refusal;

  /** Messages that had to give way, from the next one to be told on: an error may leave some. */
  private List<QueuedMessage> dropped = List.of();

  private int droppedTold;

  /** Ends that the queue has not written yet, or that an error has kept from being told. */
  private final Deque<Runnable> untold = new ArrayDeque<>(0);

  private final Map<Long, Waiter> waiters = new HashMap<>();

  /** The number of ends of each kind. */
  private final Map<Kind, AtomicLong> ended = new EnumMap<>(Kind.class);

  private final int recovered;
  private long accepted;
  private long stored;

  /** Why nothing is sent until the client is opened again, or null. */
  private @Nullable Throwable stopped;

  private boolean closed;

  Intake(MessageQueue queue, CallbackDispatcher callbacks) {
    this.queue = queue;
    this.callbacks = callbacks;
    this.recovered = queue.messages();
    for (Kind kind : Kind.values()) {
      ended.put(kind, new AtomicLong());
    }
  }

  /**
   * Offers a message to the queue.
   *
   * @param stage completed when the message ends, or null
   * @param acceptance completed when the message is accepted, or null
   * @param forget takes the place of a message that had to give way, and returns its attempts
   */
  void offer(
      Message message,
      @Nullable CompletableFuture<MessageOutcome> stage,
      @Nullable CompletableFuture<@Nullable Void> acceptance,
      long nowNanos,
      LongToIntFunction forget) {
    if (closed) {
      refuse(message, stage, acceptance, new IllegalStateException("the client is closed"));
      return;
    }
    tellDropped(forget);
    boolean isDurable = queue.isDurable();
    Admission admission = queue.offer(message, nowNanos);
    if (admission instanceof Admission.Refused refused) {
      refuse(message, stage, acceptance, new RejectedExecutionException(refused.reason()));
      return;
    }
    Admission.Accepted place = (Admission.Accepted) admission;
    // First of all: they are in the queue no more.
    dropped = place.dropped();
    if (stage != null) {
      await(place.sequence(), new Waiter(message.id(), stage));
    }
    if (isDurable) {
      offered.add(new Offered(place.sequence(), message, stage, acceptance));
    } else {
      accept(acceptance);
    }
    tellDropped(forget);
  }

  private void tellDropped(LongToIntFunction forget) {
    while (droppedTold < dropped.size()) {
      QueuedMessage message = dropped.get(droppedTold);
      acceptDropped(message.sequence());
      int attempts = forget.applyAsInt(message.sequence());
      ended(message.sequence(), message.message().id(), Kind.DROPPED, attempts, null);
      droppedTold++;
    }
    dropped = List.of();
    droppedTold = 0;
  }

  private void await(long sequence, Waiter waiter) {
    Throwable why = stopped;
    if (why == null) {
      waiters.put(sequence, waiter);
    } else {
      callbacks.fail(waiter.stage(), why);
    }
  }

  /**
   * Fails the stages of waiting messages, now and from now on, with the reason. The messages stay
   * in the queue.
   */
  void stop(Throwable why) {
    stopped = why;
    waiters.values().forEach(waiter -> callbacks.fail(waiter.stage(), why));
    waiters.clear();
  }

  /** Makes callers wait for their messages again. */
  void resume() {
    stopped = null;
  }

  private void accept(@Nullable CompletableFuture<@Nullable Void> acceptance) {
    if (acceptance != null) {
      callbacks.complete(acceptance);
    }
    accepted++;
  }

  /** A message of this very turn that had to give way was accepted all the same. */
  private void acceptDropped(long sequence) {
    for (Iterator<Offered> others = offered.iterator(); others.hasNext(); ) {
      Offered other = others.next();
      if (other.sequence() == sequence) {
        accept(other.acceptance());
        others.remove();
      }
    }
  }

  private void refuse(
      Message message,
      @Nullable CompletableFuture<MessageOutcome> stage,
      @Nullable CompletableFuture<@Nullable Void> acceptance,
      Exception why) {
    if (acceptance != null) {
      callbacks.fail(acceptance, why);
    }
    tell(stage, new MessageOutcome(message.id(), Kind.REJECTED, 0, why));
  }

  /**
   * Makes what this turn has offered and ended durable, and says so. An error may end this at any
   * place, and the next call goes on there.
   *
   * @param forget as for {@link #offer}
   */
  void sync(LongToIntFunction forget) {
    tellDropped(forget);
    answerSynced();
    if (offered.isEmpty() && untold.isEmpty()) {
      return;
    }
    IOException why = null;
    try {
      queue.sync();
    } catch (IOException e) {
      why = e;
    }
    refusal = why;
    Deque<Offered> none = synced;
    synced = offered;
    offered = none;
    if (why != null) {
      LOG.warn("the queue cannot be written, and refuses {} messages", synced.size(), why);
    }
    answerSynced();
    // Even if that is not written: after a restart, what has ended is sent again, but who waits for
    // it now must not wait for the disk.
    Runnable end;
    while ((end = untold.peek()) != null) {
      end.run();
      untold.remove();
    }
  }

  /** Answers those that the latest sync was for. */
  private void answerSynced() {
    Offered message;
    while ((message = synced.peek()) != null) {
      if (refusal == null) {
        accept(message.acceptance());
      } else {
        refuse(message.message(), message.stage(), message.acceptance(), refusal);
        waiters.remove(message.sequence());
      }
      synced.remove();
    }
  }

  /** Returns whether something has ended since the last {@link #sync}, which is to be told. */
  boolean mustSync() {
    return !untold.isEmpty();
  }

  /**
   * Notes how a message has ended, and tells it as soon as it is certain. An error, such as a lack
   * of memory, means that neither was done, and the caller has to call again.
   */
  void ended(long sequence, String messageId, Kind kind, int attempts, @Nullable Throwable cause) {
    Waiter waiter = waiters.get(sequence);
    CompletableFuture<MessageOutcome> stage = waiter == null ? null : waiter.stage();
    MessageOutcome outcome = new MessageOutcome(messageId, kind, attempts, cause);
    if (queue.isDurable()) {
      untold.add(() -> callbacks.outcome(stage, outcome));
      count(kind);
    } else {
      tell(stage, outcome);
    }
    if (waiter != null) {
      waiters.remove(sequence, waiter);
    }
  }

  /**
   * Reports the end of a message that cannot be read any more; its sender may still wait for it.
   */
  void endedUnread(long sequence, int attempts, IOException cause) {
    Waiter waiter = waiters.get(sequence);
    tell(
        waiter == null ? null : waiter.stage(),
        new MessageOutcome(
            waiter == null ? "unreadable-" + sequence : waiter.messageId(),
            Kind.REJECTED,
            attempts,
            cause));
    waiters.remove(sequence);
  }

  private void tell(@Nullable CompletableFuture<MessageOutcome> stage, MessageOutcome outcome) {
    callbacks.outcome(stage, outcome);
    count(outcome.kind());
  }

  private void count(Kind kind) {
    // Takes no memory, as whoever noted an end must not fail any more.
    counter(kind).incrementAndGet();
  }

  /**
   * Cancels the messages of the queue, or leaves them on disk. Nothing is in flight any more.
   *
   * @param forget as for {@link #offer}
   */
  void close(LongToIntFunction forget) {
    sync(forget);
    closed = true;
    if (queue.isDurable()) {
      stored = queue.messages();
      waiters.forEach(
          (sequence, waiter) ->
              callbacks.complete(
                  waiter.stage(),
                  new MessageOutcome(
                      waiter.messageId(), Kind.STORED, forget.applyAsInt(sequence), null)));
      waiters.clear();
    } else {
      cancelAll(forget);
    }
    queue.close();
  }

  private void cancelAll(LongToIntFunction forget) {
    try {
      QueuedMessage message;
      while ((message = queue.poll()) != null) {
        int attempts = forget.applyAsInt(message.sequence());
        ended(message.sequence(), message.message().id(), Kind.CANCELLED, attempts, null);
        queue.remove(message.sequence());
      }
    } catch (IOException e) {
      throw new IllegalStateException("a queue in memory failed to read", e);
    }
  }

  long accepted() {
    return accepted;
  }

  /** Returns how many messages were left on disk when the client was closed. */
  long stored() {
    return stored;
  }

  int recovered() {
    return recovered;
  }

  long acknowledged() {
    return ended(Kind.ACKNOWLEDGED);
  }

  long ended(Kind kind) {
    return counter(kind).get();
  }

  private AtomicLong counter(Kind kind) {
    return Objects.requireNonNull(ended.get(kind));
  }
}
