package dev.reprise.cluster.group;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster and, for each shard, the node that owns it. */
public final class ShardMap {
  /** A map without nodes and shards, as before the group first agreed on one. */
  public static final ShardMap EMPTY = new ShardMap(List.of(), new int[0]);

  static final int NOBODY = -1;

  private final List<Node> nodes;
  private final int[] owners;

  /**
   * A node of the cluster.
   *
   * @param name its name
   * @param url where its API is reached; empty if unknown
   */
  public record Node(String name, String url) {
    /** Creates a node. */
    public Node {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(url, "url");
    }
  }

  /** Creates a map from the index of each shard's owner in the nodes, or {@link #NOBODY}. */
  ShardMap(List<Node> nodes, int[] owners) {
    this.nodes = List.copyOf(nodes);
    this.owners = owners.clone();
    for (int owner : owners) {
      if (owner < NOBODY || owner >= nodes.size()) {
        throw new IllegalArgumentException("owner is " + owner + ": must be an index of a node");
      }
    }
  }

  /** Returns the number of shards. */
  public int shards() {
    return owners.length;
  }

  /**
   * Returns the node that owns a shard.
   *
   * @return {@code null} if none does, such as while the shard moves from one node to another
   */
  public @Nullable Node owner(int shard) {
    int owner = ownerIndex(shard);
    return owner == NOBODY ? null : nodes.get(owner);
  }

  /** Returns all nodes, whether or not they own shards. */
  public List<Node> nodes() {
    return nodes;
  }

  /** Returns the index of a shard's owner in the nodes, or {@link #NOBODY}. */
  int ownerIndex(int shard) {
    return owners[Objects.checkIndex(shard, owners.length)];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ShardMap that
        && nodes.equals(that.nodes)
        && Arrays.equals(owners, that.owners);
  }

  @Override
  public int hashCode() {
    return 31 * nodes.hashCode() + Arrays.hashCode(owners);
  }

  @Override
  public String toString() {
    return "ShardMap" + nodes + Arrays.toString(owners);
  }
}
