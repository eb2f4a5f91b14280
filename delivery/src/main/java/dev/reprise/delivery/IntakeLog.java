package dev.reprise.delivery;

/** A log from which a shard takes messages that were accepted before, with its place in it. */
public enum IntakeLog {
  /** What was accepted for the shard alone. */
  IN,
  /** What applications have published, which the shard passes on to all shards that want it. */
  OPEN
}
