package dev.reprise.delivery.host;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.shard.Claim;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.Turn;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One shard's thread: takes what has gathered, lets the shard make one step, makes the step's
 * writes durable, then answers and starts attempts. One batch and one sync a turn.
 *
 * <p>If the store refuses a batch, the turn is not over: publishes in it are answered with the
 * error, unless that passes at once, and the same batch is written again until the store takes it.
 * What has been decided is never decided twice. The batch may have been applied by a write that
 * failed; as nothing else writes a shard's keys, the same puts and deletes again change nothing.
 *
 * <p>The shard's reads are repeated below it ({@link RepeatingStore}). An error that lasts ends the
 * thread: what it has not written is decided anew after a restart. So does one that says that the
 * store has another owner now; what this one has not written is then decided anew there, and
 * nothing has failed.
 */
public final class ShardLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ShardLoop.class);

  /** The shards of a store whose disk is full do not try to write at the same moment. */
  private static final Backoff WRITE_AGAIN =
      Backoff.exponential(Duration.ofMillis(100), Duration.ofMillis(400)).withEqualJitter();

  /**
   * Each turn looks at the clock: one that has jumped is to be noticed by an idle shard as well.
   */
  private static final long MAX_WAIT_MILLIS = 10_000;

  /** A store that is reopened after an error takes writes again before publishers need to know. */
  private static final long TELL_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The longest time that publishers are held back while this process cannot keep up with sending.
   */
  private static final long MAX_HOLD_MILLIS = 20;

  /**
   * The time for which outcomes that no caller waits for are kept for the next turn, so that they
   * share its sync: a publisher that sends one message after the other would find the disk at work
   * for the delivery of the previous one. A crash repeats the attempt as one that was under way.
   */
  private static final long GATHER_MILLIS = 1;

  private final int number;
  private final RepeatingStore store;
  private final Shard shard;
  private final SteadyClock clock;
  private final AttemptSender sender;
  private final DeliveryListener listener;
  private final Lease lease;
  private final TurnPace pace;
  private final BooleanSupplier spaceIsShort;
  private final Mailbox mailbox = new Mailbox();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  /** Answers that are true already and are given a little later. */
  private final List<Runnable> held = new ArrayList<>();

  private long releaseAtMillis;

  private volatile boolean draining;
  private volatile boolean stopping;
  private volatile boolean knowsOfShortage;
  private volatile @Nullable Throwable fault;
  private volatile @Nullable Throwable failure;

  ShardLoop(
      int number,
      RepeatingStore store,
      Shard shard,
      SteadyClock clock,
      AttemptSender sender,
      DeliveryListener listener,
      Lease lease,
      TurnPace pace,
      BooleanSupplier spaceIsShort) {
    this.number = number;
    this.store = store;
    this.shard = shard;
    this.clock = clock;
    this.sender = sender;
    this.listener = listener;
    this.lease = lease;
    this.pace = pace;
    this.spaceIsShort = spaceIsShort;
    this.thread = new Thread(this::run, "reprise-shard-" + number);
  }

  /** Begins. */
  public void start() {
    thread.start();
  }

  /** Hands an input to the shard. Does not block. */
  public void submit(ShardInput input) {
    mailbox.put(input);
    if (ended.getCount() == 0) {
      // The thread may have ended before it saw the input; an answer twice does no harm.
      refuse(input);
    }
  }

  /** Space is short: an idle shard looks up and removes history that may go. */
  void lookForSpace() {
    if (!knowsOfShortage) {
      mailbox.wake();
    }
  }

  /** Why nothing can be accepted just now; null if all is well. */
  public @Nullable Throwable fault() {
    Throwable now = fault;
    return now == null ? store.fault() : now;
  }

  /** Why the thread has ended although it was not stopped; null as long as it has not. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Returns what waits because all before it was refused alike. */
  public List<RefusalHold> held() {
    return shard.held();
  }

  /** Attempts under way. */
  public int inFlight() {
    return inFlight.get();
  }

  /** No further attempts are started; those under way may end. */
  public void drain() {
    draining = true;
  }

  /** The thread ends after the turn that takes what has gathered so far; does not wait for it. */
  public void stop() {
    stopping = true;
    mailbox.wake();
  }

  /** Returns whether the thread has ended, for whatever reason. */
  public boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Waits for the end of the thread; false if it has not come in time. */
  public boolean awaitEnd(long maxWaitNanos) throws InterruptedException {
    return ended.await(maxWaitNanos, TimeUnit.NANOSECONDS);
  }

  private void run() {
    List<ShardInput> inputs = List.of();
    try {
      long wakeAt = 0;
      long beginNanos = System.nanoTime();
      boolean last = false;
      while (!last) {
        // Whatever comes meanwhile is part of the next turn. Returns at once if that is over.
        TimeUnit.NANOSECONDS.sleep(beginNanos - System.nanoTime());
        last = stopping;
        long wakeAtOrRelease = held.isEmpty() ? wakeAt : Math.min(wakeAt, releaseAtMillis);
        long wait = last ? 0 : Math.min(wakeAtOrRelease - clock.epochMillis(), MAX_WAIT_MILLIS);
        inputs = mailbox.take(wait);
        if (!last && wait > 0) {
          gather(inputs);
        }
        knowsOfShortage = spaceIsShort.getAsBoolean();
        shard.spaceIsShort(knowsOfShortage);
        if (last) {
          shard.stopping();
        }
        shard.draining(draining);
        Turn turn = shard.turn(inputs, clock.tick(), clock.nanoTime());
        if (!write(turn.writes(), inputs)) {
          return;
        }
        if (!turn.writes().isEmpty()) {
          beginNanos = pace.next(System.nanoTime());
        }
        turn.givenUp().forEach(listener::gaveUp);
        turn.suspensions().forEach(listener::suspensionChanged);
        hold(turn.answers());
        if (!turn.attempts().isEmpty()) {
          lease.confirm();
          turn.attempts().forEach(this::attempt);
        }
        if (last || !turn.saturated() || clock.epochMillis() >= releaseAtMillis) {
          release();
        }
        wakeAt = turn.wakeAtMillis();
      }
    } catch (InterruptedException e) {
      failed(new IllegalStateException("its thread was interrupted", e));
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      failed(e);
    } finally {
      release();
      // A caller that was answered already does not get this.
      inputs.forEach(this::refuse);
      shard.deferred().forEach(this::refuse);
      ended.countDown();
      refuseLeftovers();
    }
  }

  /** Waits for more inputs if that delays nothing. */
  private void gather(List<ShardInput> inputs) throws InterruptedException {
    long end = 0;
    while (!stopping && !inputs.isEmpty() && shard.canWait(inputs, clock.epochMillis())) {
      long now = System.nanoTime();
      end = end == 0 ? now + TimeUnit.MILLISECONDS.toNanos(GATHER_MILLIS) : end;
      if (now >= end || !mailbox.takeMore(GATHER_MILLIS)) {
        return;
      }
    }
  }

  private void failed(Throwable cause) {
    // The fault first: a thread that sees the failure must not find that all is well.
    fault = cause;
    if (isLost(cause)) {
      LOG.info("shard {} has another owner now: {}", number, cause.getMessage());
      return;
    }
    failure = cause;
    String what =
        StoreException.isDamage(cause)
            ? "shard {} has failed, and would after a restart"
            : "shard {} has failed; restart the process to go on from what is stored";
    if (cause instanceof StoreException) {
      LOG.error(what + ": {}", number, cause.getMessage());
    } else {
      LOG.error(what, number, cause);
    }
  }

  private static boolean isLost(Throwable error) {
    return error instanceof StoreException e && e.lost();
  }

  /**
   * Keeps answers that are to be given; they are given a little later if sending cannot keep up, so
   * that publishers slow down to the pace of delivery instead of building a backlog. A slow
   * endpoint does not bring this about, for it leaves places to others.
   */
  private void hold(List<Runnable> answers) {
    if (held.isEmpty()) {
      releaseAtMillis = clock.epochMillis() + MAX_HOLD_MILLIS;
    }
    held.addAll(answers);
  }

  /** Whether the batch is durable now; false if the loop is stopping and it could not be. */
  private boolean write(Batch batch, List<ShardInput> inputs) throws InterruptedException {
    if (batch.isEmpty()) {
      return true;
    }
    Batch next = batch;
    @Nullable Pauses pauses = null;
    long refusedSinceNanos = 0;
    while (true) {
      try {
        store.write(next);
        if (refusedSinceNanos != 0) {
          LOG.info("shard {}: the store takes writes again", number);
          fault = null;
        }
        return true;
      } catch (StoreException e) {
        if (e.lost()) {
          throw e;
        }
        if (pauses == null) {
          pauses = Pauses.of(WRITE_AGAIN);
          // Odd, and so never 0.
          refusedSinceNanos = System.nanoTime() | 1;
          LOG.error("shard {}: the store refuses writes; will go on trying", number, e);
          release();
        }
        if (e.lasting() && !stopping) {
          throw e;
        }
        boolean passing = !e.full() && System.nanoTime() - refusedSinceNanos < TELL_AFTER_NANOS;
        if (!passing || stopping) {
          refuse(inputs, e);
        }
        if (stopping) {
          return false;
        }
        next = batch.again();
        pauses.next();
      }
    }
  }

  /** Gives the held answers at once: their inputs are durable, and need not wait for the store. */
  private void release() {
    held.forEach(Runnable::run);
    held.clear();
  }

  private void refuse(List<ShardInput> inputs, StoreException e) {
    fault = e;
    inputs.forEach(input -> refuse(input, e));
    mailbox.removeIf(input -> refuse(input, e));
  }

  private void attempt(Claim claim) {
    inFlight.incrementAndGet();
    // What was not begun must not look as if the end of the process had cut it off.
    if (draining || !lease.isHeld()) {
      ended(claim, AttemptOutcome.MAY_NOT_BEGIN);
      return;
    }
    try {
      // It may wait for a connection for longer than the lease lasts.
      Attempt attempt = lease == Lease.LASTING ? claim : new LeasedAttempt(claim, lease);
      long begunAtMillis = clock.epochMillis();
      sender.send(
          attempt,
          outcome -> {
            listener.attemptEnded(attempt, begunAtMillis, outcome);
            ended(claim, outcome);
          });
    } catch (RuntimeException e) {
      // One message that cannot be sent must not stop all others.
      LOG.error("attempt {} of message {} could not be made", claim.attempt(), claim.message(), e);
      ended(claim, AttemptOutcome.internalError(e));
    }
  }

  private void ended(Claim claim, AttemptOutcome outcome) {
    submit(new ShardInput.Completed(claim, outcome, clock.epochMillis()));
    inFlight.decrementAndGet();
  }

  private void refuseLeftovers() {
    try {
      mailbox.take(0).forEach(this::refuse);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void refuse(ShardInput input) {
    Throwable failed = fault;
    refuse(
        input,
        failed == null
            ? new EngineClosedException()
            : new StoreException("a shard has failed: " + failed.getMessage(), false, failed));
  }

  /** Fails the reply of an input; false if no caller waits for one. */
  private static boolean refuse(ShardInput input, Throwable error) {
    if (input instanceof ShardInput.Asks<?> asks) {
      asks.reply().fail(error);
      return true;
    }
    return false;
  }
}
