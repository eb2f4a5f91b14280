package dev.reprise.cluster.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.junit.jupiter.api.Test;

/** The size of the record in which the brokers keep the group, with the encoders of both. */
class GroupRecordTest {
  private static final int SHARDS = 1_024;
  private static final String TOPIC = "reprise.in";
  private static final ShardAssignor LEADER = leader();

  private static ShardAssignor leader() {
    ShardAssignor leader = new ShardAssignor();
    leader.configure(
        Map.of(
            ShardAssignor.MEMBERSHIP,
            new Membership() {
              @Override
              public MemberInfo self() {
                throw new UnsupportedOperationException();
              }

              @Override
              public void assigned(ShardMap map, List<Integer> followed) {}
            },
            ShardAssignor.FOLLOWERS,
            1));
    return leader;
  }

  /** The group after it has settled: each member has copies of what it owns and follows. */
  private record Settled(Map<String, Subscription> said, Map<String, Assignment> given) {
    long estimate() {
      return GroupRecord.bytes(said, given, TOPIC);
    }

    /** As a broker writes it. */
    int recordBytes() {
      List<GroupMetadataValue.MemberMetadata> members = new ArrayList<>();
      said.forEach(
          (id, subscription) ->
              members.add(
                  new GroupMetadataValue.MemberMetadata()
                      .setMemberId(id)
                      .setClientId(id.substring(0, id.length() - 37))
                      .setClientHost("/255.255.255.255")
                      .setRebalanceTimeout(60_000)
                      .setSessionTimeout(6_000)
                      .setSubscription(
                          Utils.toArray(ConsumerProtocol.serializeSubscription(subscription)))
                      .setAssignment(
                          Utils.toArray(ConsumerProtocol.serializeAssignment(given.get(id))))));
      GroupMetadataValue value =
          new GroupMetadataValue()
              .setProtocolType("consumer")
              .setProtocol("reprise-shards")
              .setLeader(said.keySet().iterator().next())
              .setGeneration(1_000)
              .setCurrentStateTimestamp(1L << 40)
              .setMembers(members);
      short version = GroupMetadataValue.HIGHEST_SUPPORTED_VERSION;
      return MessageUtil.toVersionPrefixedByteBuffer(version, value).remaining();
    }
  }

  private static Settled settled(List<String> names, boolean firstReleaseIsThere) {
    Map<String, Subscription> said = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      MemberInfo info = info(names.get(i), Map.of(), i > 0 || !firstReleaseIsThere);
      said.put(id(names.get(i)), subscription(info, List.of()));
    }
    // The second time nothing changes but that all have copies.
    Map<String, Assignment> given = assign(said);
    Random random = new Random(3);
    Map<String, Subscription> next = new TreeMap<>();
    said.forEach(
        (id, subscription) -> {
          Assignment mine = given.get(id);
          Map<Integer, Long> copies = new HashMap<>();
          mine.partitions().forEach(each -> copies.put(each.partition(), offset(random)));
          ShardDuty.decode(mine.userData())
              .followed()
              .forEach(shard -> copies.put(shard, offset(random)));
          MemberInfo before = MemberInfo.decode(subscription.userData(), id);
          next.put(
              id,
              subscription(info(before.name(), copies, before.readsCompact()), mine.partitions()));
        });
    return new Settled(next, assign(next));
  }

  private static MemberInfo info(String name, Map<Integer, Long> copies, boolean readsCompact) {
    return new MemberInfo(name, "https://" + name.substring(8), copies, readsCompact);
  }

  private static long offset(Random random) {
    return 1_000_000_000_000L + random.nextInt();
  }

  private static String id(String name) {
    return "reprise-" + name + "-member-01234567-89ab-cdef-0123-456789abcdef";
  }

  private static Subscription subscription(MemberInfo info, List<TopicPartition> owned) {
    ByteBuffer data = info.encode();
    return new Subscription(List.of(TOPIC), data, owned, 1_000, Optional.empty());
  }

  private static Map<String, Assignment> assign(Map<String, Subscription> said) {
    Node[] none = {};
    List<PartitionInfo> partitions =
        IntStream.range(0, SHARDS)
            .mapToObj(shard -> new PartitionInfo(TOPIC, shard, Node.noNode(), none, none))
            .toList();
    Cluster cluster = new Cluster("c", List.of(), partitions, Set.of(), Set.of());
    return LEADER.assign(cluster, new GroupSubscription(said)).groupAssignment();
  }

  /** Names of 31 characters, as a scheduler makes them: half of each is random. */
  private static List<String> names(int count) {
    Random random = new Random(1);
    return IntStream.range(0, count).mapToObj(i -> "reprise-node-" + random(random, 18)).toList();
  }

  private static String random(Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(Character.forDigit(random.nextInt(36), 36));
    }
    return text.toString();
  }

  @Test
  void aHundredNodesTakeHalfOfTheLimitAtTheMost() {
    Settled group = settled(names(100), false);

    assertThat(group.recordBytes()).isLessThan(GroupRecord.MAX_BYTES / 2);
    assertThat(group.estimate())
        .isGreaterThanOrEqualTo(group.recordBytes())
        .isLessThan(group.recordBytes() * 11L / 10);
    assertThat(GroupRecord.warning(group.estimate(), 100)).isNull();
  }

  @Test
  void anAllowedNumberOfNodesIsBelowTheLimitAndMoreAreWarnedOf() {
    Settled many = settled(names(170), false);
    assertThat(many.recordBytes()).isLessThan(GroupRecord.MAX_BYTES);
    assertThat(GroupRecord.warning(many.estimate(), 170))
        .contains("the group of 170 nodes", "more than half of 1048588");

    Settled tooMany = settled(names(230), false);
    assertThat(tooMany.recordBytes()).isGreaterThan(GroupRecord.MAX_BYTES);
    assertThat(GroupRecord.warning(tooMany.estimate(), 230))
        .contains("the group of 230 nodes", "Raise max.message.bytes", "__consumer_offsets");
  }

  @Test
  void aMemberOfTheFirstReleaseIsToldWhatItReads() {
    Settled mixed = settled(names(3), true);

    assertThat(mixed.given().values())
        .allSatisfy(each -> assertThat(each.userData().get(0)).isEqualTo((byte) 1));
    Settled all = settled(names(3), false);
    assertThat(all.given().values())
        .allSatisfy(each -> assertThat(each.userData().get(0)).isEqualTo((byte) 0));
  }
}
