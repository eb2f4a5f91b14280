package dev.reprise.endpoints.kafka;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.AttemptUnderWay;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierWindow;
import java.util.function.Consumer;

/** One record on its way. Thread-safe. */
final class OutgoingRecord extends AttemptUnderWay {
  /** Whether the worker has begun with it. */
  volatile boolean routed;

  /** Whether the producer has it, and so perhaps the broker. */
  volatile boolean sent;

  OutgoingRecord(CarrierWindow<?> window, CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    super(window, attempt, done);
  }
}
