package dev.reprise.delivery.attempt;

/** The signature that a request to a receiver has, if its subscription signs. */
enum Signing {
  /** By the subscription's secrets, at this time. */
  RIGHT,
  /** By a random secret that no receiver has. */
  FORGED,
  /** By the subscription's secrets, an hour ago. */
  OLD
}
