package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.AttemptUnderWay;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierWindow;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.jspecify.annotations.Nullable;

/** One message on its way. Belongs to the loop once it was handed over. */
final class Outgoing extends AttemptUnderWay {
  private final Runnable onTried;

  /** Whether it finds out if a carrier with a fault works again. */
  boolean isTry;

  @Nullable TargetLink link;

  /** Null as long as nothing was sent. The thread that closes the carrier reads it, too. */
  volatile @Nullable OutgoingDelivery delivery;

  int bytes;
  String address = "";

  /**
   * Begins an attempt.
   *
   * @param onTried is called at the end of a try, just before {@code done} gets the outcome
   */
  Outgoing(
      CarrierWindow<?> window,
      CarrierAttempt attempt,
      Consumer<AttemptOutcome> done,
      Runnable onTried) {
    super(window, attempt, done);
    this.onTried = onTried;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  protected void beforeOutcome() {
    if (isTry) {
      onTried.run();
    }
  }
}
