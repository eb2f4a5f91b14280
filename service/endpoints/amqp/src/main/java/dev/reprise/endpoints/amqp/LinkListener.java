package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.carrier.CarrierVerdict;

/** Receives the events of links that concern more than one attempt, on their loop. */
interface LinkListener {
  /** The broker has taken a message: the account works. */
  void accepted(Outgoing outgoing);

  /**
   * An attempt has failed for a reason that a condition gave. Its outcome is to be given.
   *
   * @param sent whether the broker may have taken the message
   */
  void failed(Outgoing outgoing, CarrierVerdict verdict, String summary, boolean sent);

  /** A link was ended by the broker, and is not to be used any more. */
  void ended(TargetLink link);
}
