package dev.reprise.endpoints.email;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.AttemptUnderWay;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierWindow;
import java.util.function.Consumer;

/** One mail on its way. Thread-safe. */
final class SmtpRun extends AttemptUnderWay {
  private final Opening opening;
  private volatile boolean begun;

  SmtpRun(CarrierWindow<?> window, CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    super(window, attempt, done);
    opening = new Opening(attempt.timeout());
  }

  Opening opening() {
    return opening;
  }

  /** Notes that a thread has taken it up. */
  void begin() {
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Notes which connection it uses; that is broken when its time is over. */
  void use(SmtpConnection used) {
    opening.use(used);
  }

  /** Returns how far it got. */
  SmtpStep step() {
    return opening.step();
  }

  @Override
  public String address() {
    return opening.address();
  }
}
