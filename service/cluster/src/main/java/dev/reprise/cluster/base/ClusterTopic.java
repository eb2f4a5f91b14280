package dev.reprise.cluster.base;

import dev.reprise.delivery.IntakeLog;
import java.util.EnumSet;
import java.util.Set;

/** The topics of a cluster. One that is new is a constant here, and its rows in the rules. */
public enum ClusterTopic {
  /** Every request to a shard goes through it, a partition each. */
  IN(0, "in"),
  /** The state of the shards, a partition each. Its number of partitions is the cluster's. */
  SHARDS(1, "shards"),
  /** Holds, in one partition, all that the shards share. */
  CATALOG(2, "catalog"),
  /** The events of all that has happened, for any consumer. */
  EVENTS(3, "events"),
  /** The messages of applications on their way to {@link #IN}, a partition a shard. */
  OPEN(4, "open");

  /** Those without which a cluster that has records is not whole; older ones have no other. */
  public static final Set<ClusterTopic> OF_EVERY_CLUSTER = EnumSet.of(IN, SHARDS, CATALOG, EVENTS);

  private static final int MAX_EVENT_PARTITIONS = 16;

  private final byte number;
  private final String suffix;

  ClusterTopic(int number, String suffix) {
    this.number = (byte) number;
    this.suffix = suffix;
  }

  /** Returns the topic that is one of the logs from which shards take messages. */
  public static ClusterTopic of(IntakeLog log) {
    return switch (log) {
      case IN -> IN;
      case OPEN -> OPEN;
    };
  }

  /** Returns the number under which records have it, which never changes. */
  byte number() {
    return number;
  }

  /** Returns the last part of its name. */
  public String suffix() {
    return suffix;
  }

  /** Returns its name in a cluster. */
  public String name(String prefix) {
    return prefix + "." + suffix;
  }

  /** Returns how many partitions it is made with. */
  public int partitions(int shards) {
    return switch (this) {
      case CATALOG -> 1;
      case EVENTS -> Math.min(shards, MAX_EVENT_PARTITIONS);
      default -> shards;
    };
  }
}
