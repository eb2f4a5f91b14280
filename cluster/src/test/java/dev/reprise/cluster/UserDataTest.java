package dev.reprise.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UserDataTest {
  @Test
  void theInfoOfAMemberIsReadAsWritten() {
    Map<Integer, Long> copies = new HashMap<>();
    IntStream.range(0, 1024).forEach(shard -> copies.put(shard, shard * 1_000_003L));
    copies.put(7, -1L);
    copies.put(8, Long.MAX_VALUE);
    MemberInfo info = new MemberInfo("näme", "https://[::1]:8080", copies);

    ByteBuffer bytes = info.encode();
    assertThat(bytes.remaining()).isLessThan(8 * 1024);
    assertThat(MemberInfo.decode(bytes, "id")).isEqualTo(info);
    assertThat(MemberInfo.decode(later(bytes), "id")).isEqualTo(info);
    for (int length = 0; length < bytes.remaining(); length++) {
      assertThat(MemberInfo.decode(bytes.slice(0, length), "id"))
          .isEqualTo(new MemberInfo("id", "", Map.of()));
    }
  }

  @Test
  void theMapIsReadAsWrittenAndCompact() {
    List<ShardMap.Node> nodes =
        IntStream.range(0, 32)
            .mapToObj(i -> new ShardMap.Node("node-" + i, "http://node-" + i + ".example:8080"))
            .toList();
    int[] owners = IntStream.range(0, 1024).map(shard -> shard % 33 - 1).toArray();
    List<Integer> followed = IntStream.range(500, 564).boxed().toList();
    ShardDuty duty = new ShardDuty(new ShardMap(nodes, owners), followed);

    ByteBuffer bytes = duty.encode();
    assertThat(bytes.remaining()).isLessThan(3 * 1024);
    assertThat(ShardDuty.decode(bytes)).isEqualTo(duty);
    assertThat(ShardDuty.decode(later(bytes))).isEqualTo(duty);
    assertThat(duty.map().owner(0)).isNull();
    assertThat(duty.map().owner(32)).isEqualTo(nodes.get(31));
    for (int length = 0; length < bytes.remaining(); length++) {
      ByteBuffer cut = bytes.slice(0, length);
      assertThatThrownBy(() -> ShardDuty.decode(cut)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Returns data as a later release may write it: with a higher version and more at the end. */
  private static ByteBuffer later(ByteBuffer data) {
    ByteBuffer bytes = ByteBuffer.allocate(data.remaining() + 3);
    bytes.put(data.duplicate()).put(new byte[] {1, 2, 3});
    return bytes.put(0, (byte) 2).flip();
  }
}
