package dev.reprise.delivery.carrier;

import dev.reprise.delivery.AttemptOutcome;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A running carrier. Thread-safe. */
public interface Carrier extends AutoCloseable {
  /**
   * Starts one attempt. Does not block. {@code done} is called exactly once, on any thread,
   * whatever happens; it does not block either.
   *
   * <p>A failure that is the carrier's own (password, bind, not authorised, down) is no outcome of
   * the attempt: the claim is given back ({@link AttemptOutcome#givenBack}), and the fault is shown
   * by {@link #state}. {@link CarrierFault} keeps both. So is one for which there is no room: more
   * than {@link CarrierContext#maxInFlight} attempts are never under way. {@link CarrierWindow}
   * keeps that, the time of each attempt and its one outcome.
   */
  void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done);

  /** Returns how the carrier is doing. Does not block. */
  CarrierState state();

  /**
   * Connects and logs in as an attempt would, whatever faults are known, and sends nothing.
   *
   * @return completes with a line for people on what was reached, such as {@code bound as reprise
   *     to 192.0.2.1:2775}; fails with a {@link CarrierException} that says what is in the way
   */
  CompletionStage<String> test();

  /**
   * Reads a report on a message that came another way than through this carrier, such as a bounce
   * that a mail server has handed over.
   *
   * @return null if it is no report on a message that this carrier may have sent, or not the last
   *     word on it
   */
  default @Nullable Receipt read(byte[] report) {
    return null;
  }

  /**
   * Ends: gives back or ends attempts under way, closes connections and stops all threads. Takes 5
   * s at the most.
   */
  @Override
  void close();
}
