package dev.reprise.delivery.carrier;

/** A carrier cannot be used. The message is one line for the operator, without secrets. */
public final class CarrierException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A fault, described for the operator. */
  public CarrierException(String message) {
    super(message);
  }
}
