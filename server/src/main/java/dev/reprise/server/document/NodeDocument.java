package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster, as it tells the others.
 *
 * @param problem what is wrong with it; null if nothing is
 * @param figures what operators see
 * @param owned the shards that are given to it
 * @param followed those of which it keeps a copy
 * @param publishesPerSecond what it has accepted, by project
 * @param carriers how its carriers are, by name
 */
public record NodeDocument(
    @Nullable String problem,
    ClusterDocument.@Nullable Figures figures,
    List<Owned> owned,
    List<Followed> followed,
    Map<String, Double> publishesPerSecond,
    Map<String, Carrier> carriers) {
  /** A shard that is given to it, as in {@link ClusterDocument.Shard}. */
  public record Owned(
      int shard,
      String state,
      boolean leaseHeld,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String problem) {}

  /**
   * A shard of which it keeps a copy.
   *
   * @param lag how many records the copy lacks; -1 if that is not known
   */
  public record Followed(int shard, long lag) {}

  /**
   * A carrier.
   *
   * @param fault null if it is not at fault
   * @param faultSinceMillis when that was first seen, wall time
   */
  public record Carrier(
      @Nullable String fault, long faultSinceMillis, int connections, int inFlight) {}
}
