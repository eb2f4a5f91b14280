package dev.reprise.delivery;

/** A log from which a shard takes messages that were accepted before, with its place in it. */
public enum IntakeLog {
  /** Messages that were accepted for the shard alone. */
  IN,
  /** Messages that applications have published; the shard passes them on to all that want them. */
  OPEN
}
