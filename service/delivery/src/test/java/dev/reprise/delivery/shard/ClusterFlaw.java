package dev.reprise.delivery.shard;

/** A rule of the cluster that a simulated life breaks, to show that breaking it is noticed. */
enum ClusterFlaw {
  /** All rules are kept. */
  NONE,
  /** Attempts start although the lease has run out. */
  LEASE_IS_IGNORED,
  /** A new owner does not wait until the lease of the last one has run out. */
  LEASE_IS_NOT_AWAITED,
  /** A new owner begins before the brokers have what it says of itself. */
  BEGINS_WITHOUT_PROOF,
  /** The log takes what a fenced owner appends. */
  NOBODY_IS_FENCED,
  /** An owner that was fenced goes on. */
  GOES_ON_WHEN_LOST,
  /** A turn of which the brokers do not say whether they have it is appended again. */
  LOST_ANSWER_MEANS_REFUSED,
  /** A turn is in the copy before it is in the log. */
  COPY_BEFORE_LOG,
  /** Attempts start before the turn is durable. */
  EFFECTS_BEFORE_WRITE,
  /** A new owner does not read the log to its end. */
  DOES_NOT_CATCH_UP,
  /** A new owner takes in everything that there is in the log of intake. */
  INTAKE_FROM_THE_BEGINNING,
  /** A new owner takes in what comes from now on. */
  INTAKE_FROM_THE_END,
  /** A copy is followed however old it is. */
  OLD_COPY_IS_FOLLOWED
}
