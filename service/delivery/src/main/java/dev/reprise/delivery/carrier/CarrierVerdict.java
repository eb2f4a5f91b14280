package dev.reprise.delivery.carrier;

/**
 * The judgement of an answer that is no success, in the same terms for every protocol: what it is
 * about, and what is done. Each kind of carrier has one table from its answers to these; {@code
 * service/endpoints/OUTCOMES.md} shows them all.
 *
 * <p>What is the same for every message of a carrier must not be charged to any of them, and what
 * is about one recipient must not hold up the others. Where an answer does not tell which it is,
 * several recipients in a row do ({@link CarrierFault#isAtFault}).
 */
public enum CarrierVerdict {
  /** This message will never be taken, for any recipient. */
  MESSAGE(Concern.MESSAGE, Consequence.GIVE_UP),
  /** This recipient will never take it. */
  RECIPIENT(Concern.RECIPIENT, Consequence.GIVE_UP),
  /** This recipient does not take it now: full, greylisted, not made yet, to be repaired. */
  RECIPIENT_FOR_NOW(Concern.RECIPIENT, Consequence.RETRY),
  /** Too much was sent to this recipient. */
  RECIPIENT_THROTTLED(Concern.RECIPIENT, Consequence.RETRY_THROTTLED),
  /** About this recipient or about the account, which one answer alone does not tell. */
  SUSPECT(Concern.RECIPIENT, Consequence.RETRY_THEN_PAUSE),
  /** The account may not send: its rights, its credit, its quota, its sender address. */
  ACCOUNT(Concern.ACCOUNT, Consequence.PAUSE),
  /** The carrier cannot be used: not reached, out of service. */
  CARRIER(Concern.CARRIER, Consequence.PAUSE),
  /** The carrier asks for a pause, perhaps on account of this recipient. */
  CARRIER_BUSY(Concern.CARRIER, Consequence.RETRY_AND_PAUSE),
  /** It passes: the next attempt may succeed. */
  MOMENT(Concern.MOMENT, Consequence.RETRY);

  private final Concern concern;
  private final Consequence consequence;

  CarrierVerdict(Concern concern, Consequence consequence) {
    this.concern = concern;
    this.consequence = consequence;
  }

  /** Returns what the answer is about. */
  public Concern concern() {
    return concern;
  }

  /** Returns what is done about it. */
  public Consequence consequence() {
    return consequence;
  }

  /** Returns the facts of the attempt's failure, as long as it is charged to the delivery. */
  public CarrierFailure failure() {
    return switch (consequence) {
      case GIVE_UP ->
          concern == Concern.RECIPIENT
              ? CarrierFailure.RECIPIENT_REFUSED
              : CarrierFailure.OF_RECIPIENT;
      case RETRY_THROTTLED, RETRY_AND_PAUSE -> CarrierFailure.THROTTLED;
      case RETRY, RETRY_THEN_PAUSE, PAUSE -> CarrierFailure.TRANSIENT;
    };
  }
}
