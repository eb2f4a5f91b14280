package dev.reprise.cluster.group;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The data that a member sends to the group when it joins.
 *
 * @param name the name of its node
 * @param url where its API is reached; empty if unknown
 * @param copies for each shard of which it has a copy, the offset up to which it has copied
 * @param readsCompact whether it reads what the leader sends in the compact form, which the first
 *     release does not
 */
public record MemberInfo(String name, String url, Map<Integer, Long> copies, boolean readsCompact) {
  public MemberInfo {
    copies = Map.copyOf(copies);
  }

  /** The word of a member of this release. */
  public MemberInfo(String name, String url, Map<Integer, Long> copies) {
    this(name, url, copies, true);
  }

  ByteBuffer encode() {
    ByteArrayOutputStream out = UserData.begin();
    UserData.putText(out, name);
    UserData.putText(out, url);
    TreeMap<Integer, Long> sorted = new TreeMap<>(copies);
    UserData.putShards(out, sorted.keySet());
    sorted.values().forEach(offset -> UserData.putNumber(out, offset));
    if (readsCompact) {
      UserData.putNumber(out, 1);
    }
    return ByteBuffer.wrap(out.toByteArray());
  }

  /** Reads what a member sent; one that sent nothing readable takes part without copies. */
  static MemberInfo decode(@Nullable ByteBuffer data, String memberId) {
    try {
      ByteBuffer in = UserData.open(data);
      String name = UserData.text(in);
      String url = UserData.text(in);
      Map<Integer, Long> copies = new HashMap<>();
      for (int shard : UserData.shards(in)) {
        copies.put(shard, UserData.number(in));
      }
      boolean readsCompact = in.hasRemaining() && UserData.number(in) >= 1;
      return new MemberInfo(name, url, copies, readsCompact);
    } catch (IllegalArgumentException e) {
      return new MemberInfo(memberId, "", Map.of(), false);
    }
  }
}
