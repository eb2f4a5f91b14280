package dev.reprise.server.document;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster, as it reports itself to the others.
 *
 * @param problem what is wrong with it; null if nothing is
 * @param figures what operators see
 * @param owned the shards that are given to it
 * @param followed those of which it keeps a copy
 * @param unowned those without an owner, as it sees them
 * @param publishesPerSecond what it has accepted, by project
 * @param carriers how its carriers are, by name
 * @param clock how its clock differs from its system's; null if it does not
 * @param faults what is wrong with it but for its clock; empty also from a node of an older version
 * @param disk its space, if publishes are refused for want of it; null if not
 */
public record NodeDocument(
    @Nullable String problem,
    ClusterDocument.@Nullable Figures figures,
    List<Owned> owned,
    List<Followed> followed,
    List<Unowned> unowned,
    Map<String, Double> publishesPerSecond,
    Map<String, Carrier> carriers,
    @Nullable Clock clock,
    List<String> faults,
    @Nullable Disk disk) {
  /** A shard that is given to it, as in {@link ClusterDocument.Shard}. */
  public record Owned(int shard, String state, boolean leaseHeld, @Nullable Backlog backlog) {}

  /** A shard without an owner. What it has to take is at most the backlog given here. */
  public record Unowned(int shard, @Nullable Backlog backlog) {}

  /**
   * The records that a shard has not taken, and what is wrong with it.
   *
   * @param turnSince since when a turn is not committed; absent if none is under way
   * @param standing the sentence for people, if the shard stands; absent otherwise
   * @param problem why it is not at work, or takes nothing; absent if nothing is wrong
   * @param since when that was first seen; absent if nothing is wrong
   */
  public record Backlog(
      NotTakenDocument notTaken,
      @Nullable String turnSince,
      @Nullable String standing,
      @Nullable String problem,
      @Nullable String since) {
    /** A backlog of which nothing is known. */
    public static final Backlog UNKNOWN =
        new Backlog(NotTakenDocument.UNKNOWN, null, null, null, null);

    /** Replaces what is absent by what is not known, and empty texts by none. */
    @SuppressWarnings("NullAway") // JSON may lack anything
    public Backlog {
      notTaken = notTaken == null ? NotTakenDocument.UNKNOWN : notTaken;
      turnSince = given(turnSince);
      standing = given(standing);
      problem = given(problem);
      since = given(since);
    }

    private static @Nullable String given(@Nullable String text) {
      return text == null || text.isEmpty() ? null : text;
    }
  }

  /**
   * A shard of which it keeps a copy.
   *
   * @param lag how many records the copy lacks; -1 if that is not known
   */
  public record Followed(int shard, long lag) {}

  /**
   * A clock that differs from the system's.
   *
   * @param aheadMillis the lead; less than 0 if it is behind
   * @param forMillis how long they have differed
   * @param text the same in a sentence, and what becomes of it
   */
  public record Clock(long aheadMillis, long forMillis, String text) {}

  /**
   * Space for what is stored that is used up.
   *
   * @param text what is left and what is missing, for people
   * @param action what makes room, for people
   * @param sinceMillis since when, wall time; 0 if that is not known
   */
  public record Disk(String text, String action, long sinceMillis) {}

  /**
   * A carrier.
   *
   * @param fault null if it is not at fault
   * @param faultSinceMillis when that was first seen, wall time
   */
  public record Carrier(
      @Nullable String fault, long faultSinceMillis, int connections, int inFlight) {}
}
