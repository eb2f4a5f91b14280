package dev.reprise.delivery.carrier;

/** The five things that an answer of a carrier may be about. */
public enum Concern {
  /** The message: its size, its form, its content. */
  MESSAGE,
  /** The recipient: one mailbox, one phone number, one queue, one function. */
  RECIPIENT,
  /** The sender's account: its rights, its credit, its quota, its sender address. */
  ACCOUNT,
  /** The carrier itself: the relay, the SMS centre, the broker, and the way to it. */
  CARRIER,
  /** The moment: the same may be taken in a while. */
  MOMENT
}
