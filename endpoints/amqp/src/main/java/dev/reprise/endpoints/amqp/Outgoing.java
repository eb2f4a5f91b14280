package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierFailure;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt on its way to its one outcome. Belongs to the loop once it was handed over. */
final class Outgoing {
  private static final Logger LOG = LoggerFactory.getLogger(Outgoing.class);
  private static final byte[] NO_RESPONSE = {};

  final CarrierAttempt attempt;
  final long startNanos = System.nanoTime();

  /** Whether it finds out if a carrier with a fault works again. */
  boolean isTry;

  private final Consumer<AttemptOutcome> done;
  private final Consumer<Outgoing> onEnd;
  @Nullable Future<?> timer;
  @Nullable TargetLink link;
  @Nullable OutgoingDelivery delivery;
  int bytes;
  String address = "";
  private boolean ended;

  /**
   * Begins an attempt.
   *
   * @param onEnd told of the end just before {@code done} is told the outcome
   */
  Outgoing(
      CarrierAttempt attempt,
      boolean isTry,
      Consumer<AttemptOutcome> done,
      Consumer<Outgoing> onEnd) {
    this.attempt = attempt;
    this.isTry = isTry;
    this.done = done;
    this.onEnd = onEnd;
  }

  boolean isEnded() {
    return ended;
  }

  void taken() {
    made(null, "accepted");
  }

  void failed(CarrierFailure failure, String summary) {
    made(failure, summary);
  }

  /** Ends it without an attempt: nothing was sent. */
  void givenBack(String reason, Duration time) {
    end(AttemptOutcome.givenBack(reason, time));
  }

  /** Ends it without an attempt: this process must not make it now. */
  void mayNotBegin() {
    end(AttemptOutcome.MAY_NOT_BEGIN);
  }

  private void made(@Nullable CarrierFailure failure, String summary) {
    end(
        new AttemptOutcome(
            failure, 0, summary, address, NO_RESPONSE, System.nanoTime() - startNanos));
  }

  private void end(AttemptOutcome outcome) {
    if (ended) {
      return;
    }
    ended = true;
    Future<?> pending = timer;
    timer = null;
    if (pending != null) {
      pending.cancel(false);
    }
    onEnd.accept(this);
    try {
      done.accept(outcome);
    } catch (RuntimeException e) {
      // Let through, it would cost the connection and all that is on it.
      LOG.error("the outcome of an attempt was not taken", e);
    }
  }
}
