package dev.reprise.endpoints.kafka;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierFailure;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt on its way to its one outcome. Thread-safe. */
final class Outgoing {
  private static final Logger LOG = LoggerFactory.getLogger(Outgoing.class);
  private static final byte[] NO_RESPONSE = {};

  final CarrierAttempt attempt;
  final long startNanos = System.nanoTime();
  private final Consumer<AttemptOutcome> done;
  private final Consumer<Outgoing> onEnd;
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Whether the worker has begun with it. */
  volatile boolean routed;

  /** Whether the producer has it, and so perhaps the broker. */
  volatile boolean sent;

  /**
   * Begins an attempt.
   *
   * @param onEnd told of the end just before {@code done} is told the outcome
   */
  Outgoing(CarrierAttempt attempt, Consumer<AttemptOutcome> done, Consumer<Outgoing> onEnd) {
    this.attempt = attempt;
    this.done = done;
    this.onEnd = onEnd;
  }

  boolean isEnded() {
    return ended.get();
  }

  boolean isOver(long nowNanos) {
    return nowNanos - startNanos >= attempt.timeout().toNanos();
  }

  void taken(String summary) {
    made(null, 0, summary);
  }

  void failed(CarrierFailure failure, int status, String summary) {
    made(failure, status, summary);
  }

  /** Ends it without an attempt: nothing was sent. */
  void givenBack(Block block) {
    end(AttemptOutcome.givenBack(block.reason(), block.time()));
  }

  /** Ends it without an attempt: this process must not make it now. */
  void mayNotBegin() {
    end(AttemptOutcome.MAY_NOT_BEGIN);
  }

  private void made(@Nullable CarrierFailure failure, int status, String summary) {
    end(
        new AttemptOutcome(
            failure, status, summary, "", NO_RESPONSE, System.nanoTime() - startNanos));
  }

  private void end(AttemptOutcome outcome) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    onEnd.accept(this);
    try {
      done.accept(outcome);
    } catch (RuntimeException e) {
      // Let through, it would end the thread that tells of all the others.
      LOG.error("the outcome of an attempt was not taken", e);
    }
  }
}
