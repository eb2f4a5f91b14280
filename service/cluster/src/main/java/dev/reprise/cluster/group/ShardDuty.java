package dev.reprise.cluster.group;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The word of the group's leader to a member, beside the shards that the member owns.
 *
 * @param map all nodes and the owners of the shards
 * @param followed the shards that the member copies without owning them, in ascending order
 */
record ShardDuty(ShardMap map, List<Integer> followed) {
  ShardDuty {
    followed = List.copyOf(followed);
  }

  /**
   * Writes this.
   *
   * @param compact whether in the compact form, which the first release does not read: names and
   *     URLs repeat, and every member is given all
   */
  ByteBuffer encode(boolean compact) {
    ByteArrayOutputStream out = UserData.begin();
    UserData.putNumber(out, map.nodes().size());
    for (ShardMap.Node node : map.nodes()) {
      UserData.putText(out, node.name());
      UserData.putText(out, node.url());
    }
    UserData.putNumber(out, map.shards());
    for (int shard = 0; shard < map.shards(); shard++) {
      UserData.putNumber(out, map.ownerIndex(shard) - ShardMap.NOBODY);
    }
    UserData.putShards(out, followed);
    byte[] plain = out.toByteArray();
    return compact ? UserData.compact(plain) : ByteBuffer.wrap(plain);
  }

  /**
   * Reads what the leader sent.
   *
   * @throws IllegalArgumentException if it is not of the form that {@link #encode} writes
   */
  static ShardDuty decode(@Nullable ByteBuffer data) {
    ByteBuffer in = UserData.open(data);
    List<ShardMap.Node> nodes = new ArrayList<>();
    for (int left = UserData.count(in); left > 0; left--) {
      nodes.add(new ShardMap.Node(UserData.text(in), UserData.text(in)));
    }
    int[] owners = new int[UserData.count(in)];
    for (int shard = 0; shard < owners.length; shard++) {
      owners[shard] = UserData.numberUpTo(nodes.size(), in) + ShardMap.NOBODY;
    }
    return new ShardDuty(new ShardMap(nodes, owners), UserData.shards(in));
  }
}
