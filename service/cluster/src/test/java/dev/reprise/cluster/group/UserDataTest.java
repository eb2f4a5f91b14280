package dev.reprise.cluster.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
    // What the first release says ends earlier.
    int ofFirstRelease = bytes.remaining() - 1;
    MemberInfo old = new MemberInfo("näme", "https://[::1]:8080", copies, false);
    assertThat(MemberInfo.decode(bytes.slice(0, ofFirstRelease), "id")).isEqualTo(old);
    assertThat(old.encode()).isEqualTo(bytes.slice(0, ofFirstRelease));
    for (int length = 0; length < ofFirstRelease; length++) {
      assertThat(MemberInfo.decode(bytes.slice(0, length), "id"))
          .isEqualTo(new MemberInfo("id", "", Map.of(), false));
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

    ByteBuffer bytes = duty.encode(false);
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

  @Test
  void theCompactFormIsReadAsWrittenAndSmaller() {
    List<ShardMap.Node> nodes =
        IntStream.range(0, 32)
            .mapToObj(i -> new ShardMap.Node("node-" + i, "http://node-" + i + ".example:8080"))
            .toList();
    int[] owners = IntStream.range(0, 1024).map(shard -> shard * 7919 % 1021 % 33 - 1).toArray();
    ShardDuty duty = new ShardDuty(new ShardMap(nodes, owners), List.of(3, 1000));

    ByteBuffer bytes = duty.encode(true);

    assertThat(bytes.remaining()).isLessThan(duty.encode(false).remaining());
    assertThat(ShardDuty.decode(bytes)).isEqualTo(duty);
    // The first release takes it for a version below its own.
    assertThat(bytes.get(0)).isZero();
    for (int length = 0; length < bytes.remaining(); length++) {
      ByteBuffer cut = bytes.slice(0, length);
      assertThatThrownBy(() -> ShardDuty.decode(cut)).isInstanceOf(IllegalArgumentException.class);
    }
    byte[] wrong = new byte[bytes.remaining()];
    bytes.get(0, wrong);
    Random random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      byte[] other = wrong.clone();
      other[random.nextInt(other.length)] = (byte) random.nextInt();
      Throwable refused = catchThrowable(() -> ShardDuty.decode(ByteBuffer.wrap(other)));
      assertThat(refused == null || refused instanceof IllegalArgumentException)
          .as("%s", refused)
          .isTrue();
    }
  }

  /** Returns data as a later release may write it: with a higher version and more at the end. */
  private static ByteBuffer later(ByteBuffer data) {
    ByteBuffer bytes = ByteBuffer.allocate(data.remaining() + 3);
    bytes.put(data.duplicate()).put(new byte[] {1, 2, 3});
    return bytes.put(0, (byte) 2).flip();
  }
}
