package dev.reprise.core.retry;

import dev.reprise.core.timer.Timeout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * An attempt and the hedges that run beside it, as one stage. The first accepted result wins, and
 * the others are superseded: they are cancelled, and their results are discarded. When all that are
 * under way have failed, the round fails with the last failure; it does not wait for hedges that
 * were not started yet.
 *
 * <p>Every attempt of a round has one event. That of the attempt which decides is told by the call;
 * of a round that is cut off, the oldest attempt that is under way stands for it.
 */
final class HedgedRound<T extends @Nullable Object> extends CompletableFuture<T> {
  private final AsyncCall<T> owner;
  private final RetryEngine engine;
  private final Hedging hedging;
  private final CheckedSupplier<? extends CompletionStage<T>, ?> operation;

  /**
   * Guards what follows, and the owner's call state while the round is open. No code of the user
   * runs under it, except for a budget of the user's own.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private final List<Runner> underWay = new ArrayList<>();
  private int hedges;
  private int decidingAttempt;
  private @Nullable Throwable judgement;
  private boolean closed;
  private @Nullable Timeout nextHedge;

  HedgedRound(
      AsyncCall<T> owner,
      Hedging hedging,
      CheckedSupplier<? extends CompletionStage<T>, ?> operation) {
    this.owner = owner;
    this.engine = owner.engine;
    this.hedging = hedging;
    this.operation = operation;
    this.decidingAttempt = owner.call.attempt();
  }

  void startFirst() {
    Runner first = new Runner(decidingAttempt);
    lock.lock();
    try {
      // Ended before it began, and told of already.
      if (closed) {
        return;
      }
      underWay.add(first);
    } finally {
      lock.unlock();
    }
    scheduleHedge();
    first.start();
  }

  private void scheduleHedge() {
    if (!mayHedge()) {
      return;
    }
    Timeout timeout;
    try {
      timeout = engine.time.schedule(hedging.delay().toNanos(), this::dispatchHedge);
    } catch (RuntimeException noMoreHedges) {
      // The attempts under way go on; only further ones cannot be started.
      return;
    }
    lock.lock();
    try {
      if (!closed && hedges < hedging.maxHedges()) {
        nextHedge = timeout;
        return;
      }
    } finally {
      lock.unlock();
    }
    timeout.cancel();
  }

  private boolean mayHedge() {
    lock.lock();
    try {
      return !closed && hedges < hedging.maxHedges();
    } finally {
      lock.unlock();
    }
  }

  /** Leaves the timer's thread: starting an attempt is the user's code. */
  private void dispatchHedge() {
    try {
      engine.threads.asyncExecutor().execute(() -> owner.inContext(this::hedge));
    } catch (Throwable noMoreHedges) {
      // The attempts under way go on; only further ones cannot be started.
      return;
    }
  }

  private void hedge() {
    Runner hedge;
    lock.lock();
    try {
      // A throttle may have ended the hedging after the timer had fired.
      if (closed || hedges >= hedging.maxHedges() || !owner.strategy().payForHedge(owner.call)) {
        return;
      }
      hedges++;
      hedge = new Runner(owner.call.attempt());
      underWay.add(hedge);
    } finally {
      lock.unlock();
    }
    scheduleHedge();
    hedge.start();
  }

  /** Returns the attempt whose outcome is that of the round, counted from 1. */
  int decidingAttempt() {
    lock.lock();
    try {
      return decidingAttempt;
    } finally {
      lock.unlock();
    }
  }

  /** Returns why the result of the round is not accepted, or null when it is. */
  @Nullable Throwable judgement() {
    lock.lock();
    try {
      return judgement;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    List<Runner> losers;
    lock.lock();
    try {
      if (!closed && !underWay.isEmpty()) {
        decidingAttempt = underWay.get(0).attempt;
      }
      losers = close();
    } finally {
      lock.unlock();
    }
    boolean cancelled = super.cancel(mayInterrupt);
    for (Runner loser : losers) {
      if (loser.attempt == decidingAttempt()) {
        loser.cancel();
      } else {
        loser.supersede();
      }
    }
    return cancelled;
  }

  /** Lets no further hedge start; returns the attempts under way. Called under the lock. */
  private List<Runner> close() {
    closed = true;
    stopHedging();
    List<Runner> losers = List.copyOf(underWay);
    underWay.clear();
    return losers;
  }

  /** Called under the lock. */
  private void stopHedging() {
    hedges = hedging.maxHedges();
    if (nextHedge != null) {
      nextHedge.cancel();
      nextHedge = null;
    }
  }

  /** One attempt of the round. */
  private final class Runner implements BiFunction<T, @Nullable Throwable, @Nullable Void> {
    private final int attempt;
    private final long startNanos = engine.events.attemptStarted();
    private volatile @Nullable CompletionStage<T> stage;
    private volatile boolean cancelled;

    Runner(int attempt) {
      this.attempt = attempt;
    }

    void start() {
      CompletionStage<T> started;
      try {
        started = Objects.requireNonNull(operation.get(), "the operation returned no stage");
      } catch (Throwable failure) {
        started = CompletableFuture.failedFuture(failure);
      }
      stage = started;
      // It had no stage yet when it was to be cancelled.
      if (cancelled) {
        engine.threads.cancel(started);
      }
      try {
        var unused = started.handle(this);
      } catch (Throwable broken) {
        end(null, broken);
      }
    }

    void supersede() {
      engine.events.superseded(attempt, null, startNanos);
      cancel();
    }

    void cancel() {
      cancelled = true;
      CompletionStage<T> started = stage;
      if (started != null) {
        engine.threads.cancel(started);
      }
    }

    @Override
    public @Nullable Void apply(T value, @Nullable Throwable thrown) {
      end(value, thrown == null ? null : AsyncCall.unwrapped(thrown));
      return null;
    }

    private void end(@Nullable T value, @Nullable Throwable thrown) {
      Throwable failure = thrown == null && !isDone() ? engine.judge.failureOf(value) : thrown;
      boolean wasUnderWay;
      List<Runner> losers = null;
      lock.lock();
      try {
        wasUnderWay = underWay.remove(this);
        if (wasUnderWay && (failure == null || underWay.isEmpty())) {
          decidingAttempt = attempt;
          judgement = thrown == null ? failure : null;
          losers = close();
        }
      } finally {
        lock.unlock();
      }
      if (losers != null) {
        decide(value, thrown, losers);
      } else {
        engine.discard(value);
        // A loser was told of when it lost.
        if (wasUnderWay && failure != null) {
          superseded(failure);
        }
      }
    }

    private void decide(@Nullable T value, @Nullable Throwable thrown, List<Runner> losers) {
      if (!losers.isEmpty()) {
        owner.inContext(() -> losers.forEach(Runner::supersede));
      }
      if (thrown != null) {
        completeExceptionally(thrown);
      } else if (!complete(value)) {
        engine.discard(value);
      }
    }

    private void superseded(Throwable failure) {
      owner.inContext(() -> engine.events.superseded(attempt, failure, startNanos));
      // The other side says that it has too much to do: more of the same would not help it.
      if (owner.strategy().isThrottle(owner.call, failure)) {
        lock.lock();
        try {
          stopHedging();
        } finally {
          lock.unlock();
        }
      }
    }
  }
}
