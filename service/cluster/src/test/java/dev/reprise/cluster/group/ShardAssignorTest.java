package dev.reprise.cluster.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShardAssignorTest {
  private static final String TOPIC = "turns";

  @SuppressWarnings("removal") // There is no other way to have one.
  private static final ConsumerGroupMetadata GROUP = new ConsumerGroupMetadata("nodes");

  @Test
  void aSingleNodeOwnsAllShardsAndFollowsNone() {
    Group group = new Group(8, 2);
    Member a = group.join("a");

    assertThat(group.settle()).isEqualTo(1);
    assertThat(a.owned).hasSize(8);
    assertThat(a.followed).isEmpty();
    assertThat(a.map.nodes()).containsExactly(new ShardMap.Node("a", "http://a"));
    assertThat(a.map.shards()).isEqualTo(8);
  }

  @Test
  void twoNodesShareTheShardsAndFollowEachOther() {
    Group group = new Group(8, 1);
    Member a = group.join("a");
    Member b = group.join("b");

    assertThat(group.settle()).isEqualTo(1);
    assertThat(a.owned).hasSize(4);
    assertThat(a.followed).containsExactlyElementsOf(b.owned);
    assertThat(b.followed).containsExactlyElementsOf(a.owned);
  }

  @Test
  void theShardsOfADeadNodeGoToTheFreshestCopies() {
    List<Assignment> assigned =
        assign(
            6,
            said("a", Map.of(4, 10L, 5, 9L), 3, 0, 1),
            said("b", Map.of(4, 9L, 5, 10L), 3, 2, 3));

    assertThat(shards(assigned.get(0))).containsExactly(0, 1, 4);
    assertThat(shards(assigned.get(1))).containsExactly(2, 3, 5);
  }

  @Test
  void aShardWithOneCopyIsNotCrowdedOutByOneWithTwo() {
    List<Assignment> assigned =
        assign(2, said("a", Map.of(0, 10L, 1, 10L), 3), said("b", Map.of(0, 9L), 3));

    assertThat(shards(assigned.get(0))).containsExactly(1);
    assertThat(shards(assigned.get(1))).containsExactly(0);
  }

  @Test
  void whenANodeDiesNothingElseMoves() {
    Group group = new Group(13, 1);
    List<Member> members = List.of(group.join("a"), group.join("b"), group.join("c"));
    group.settle();
    List<Set<Integer>> before = members.stream().map(member -> Set.copyOf(member.owned)).toList();
    List<List<Integer>> followed = members.stream().map(member -> member.followed).toList();
    group.leave("a");

    assertThat(group.settle()).isEqualTo(1);
    for (int i = 1; i < 3; i++) {
      assertThat(members.get(i).owned).containsAll(before.get(i));
      Set<Integer> taken = new TreeSet<>(members.get(i).owned);
      taken.removeAll(before.get(i));
      assertThat(followed.get(i)).containsAll(taken);
    }
  }

  @Test
  void aNodeThatJoinsTakesItsShareInTwoRounds() {
    Group group = new Group(10, 1);
    Member a = group.join("a");
    Member b = group.join("b");
    group.settle();
    Set<Integer> ofA = Set.copyOf(a.owned);
    Set<Integer> ofB = Set.copyOf(b.owned);
    Member c = group.join("c");

    assertThat(group.round()).isTrue();
    assertThat(c.owned).isEmpty();
    assertThat(a.owned).hasSize(4);
    assertThat(b.owned).hasSize(3);
    Set<Integer> moving = group.all();
    moving.removeAll(a.owned);
    moving.removeAll(b.owned);
    assertThat(moving).allSatisfy(shard -> assertThat(c.map.owner(shard)).isNull());

    assertThat(group.round()).isFalse();
    assertThat(c.owned).isEqualTo(moving).doesNotContain(0);
    assertThat(ofA).containsAll(a.owned);
    assertThat(ofB).containsAll(b.owned);
    assertThat(moving)
        .allSatisfy(
            shard -> assertThat(a.map.owner(shard)).isEqualTo(new ShardMap.Node("c", "http://c")));
  }

  @Test
  void aNodeGivesFirstWhatTheNewNodeHasACopyOf() {
    List<Assignment> assigned =
        assign(6, said("a", Map.of(), 3, 0, 1, 2, 3, 4, 5), said("b", Map.of(1, 5L, 5, 5L), -1));

    assertThat(shards(assigned.get(0))).containsExactly(0, 2, 3);
    assertThat(shards(assigned.get(1))).isEmpty();
    assertThat(duty(assigned.get(0)).followed()).containsExactly(1, 4, 5);
    assertThat(duty(assigned.get(1)).followed()).containsExactly(0, 2, 3);
  }

  @Test
  void ofTwoClaimsThatOfTheLaterGenerationHolds() {
    List<Assignment> assigned =
        assign(4, said("a", Map.of(0, 9L), 3, 0, 1), said("b", Map.of(), 4, 0, 2));

    assertThat(shards(assigned.get(0))).containsExactly(1, 3);
    assertThat(shards(assigned.get(1))).containsExactly(0, 2);
  }

  @Test
  void aShardClaimedTwiceInOneGenerationWaitsForARound() {
    List<Assignment> assigned =
        assign(4, said("a", Map.of(), 3, 0, 1), said("b", Map.of(), 3, 0, 2));

    assertThat(shards(assigned.get(0))).doesNotContain(0).contains(1);
    assertThat(shards(assigned.get(1))).doesNotContain(0).contains(2);
    assertThat(duty(assigned.get(0)).map().owner(0)).isNull();
  }

  @Test
  void aMemberWithoutReadableDataHasNoCopies() {
    for (ByteBuffer data : Arrays.asList(null, bytes(), bytes(0, 1), bytes(1, 100, 97))) {
      List<Assignment> assigned = assign(4, said(data, 3, Set.of()), said("a", Map.of(0, 1L), 3));

      ShardMap map = duty(assigned.get(0)).map();
      assertThat(map.nodes())
          .containsExactly(new ShardMap.Node("0", ""), new ShardMap.Node("a", "http://a"));
      assertThat(shards(assigned.get(0))).hasSize(2).doesNotContain(0);
    }
  }

  @Test
  void twoMembersOfOneNodeDoNotFollowEachOther() {
    List<Assignment> assigned =
        assign(6, said("a", Map.of(0, 1L), 3, 0, 1, 2, 3, 4, 5), said("a", Map.of(0, 1L), -1));

    assertThat(assigned).allSatisfy(one -> assertThat(duty(one).followed()).isEmpty());
    assertThat(duty(assigned.get(1)).map().nodes()).hasSize(1);
  }

  @Test
  void aFollowerIsTheOneWithTheFreshestCopy() {
    List<Assignment> assigned =
        assign(
            3,
            said("a", Map.of(2, 7L), 3, 0),
            said("b", Map.of(0, 5L, 2, 6L), 3, 1),
            said("c", Map.of(0, 6L, 1, 4L), 3, 2));

    assertThat(duty(assigned.get(0)).followed()).containsExactly(2);
    assertThat(duty(assigned.get(1)).followed()).isEmpty();
    assertThat(duty(assigned.get(2)).followed()).containsExactly(0, 1);
  }

  @Test
  void aNodeWithoutCopiesRelievesThoseThatFollowMost() {
    Map<Integer, Long> all = new HashMap<>();
    IntStream.range(0, 12).forEach(shard -> all.put(shard, 1L));
    List<Assignment> assigned =
        assign(
            12,
            said("a", all, 3, 0, 1, 2, 3),
            said("b", all, 3, 4, 5, 6, 7),
            said("c", Map.of(), 3, 8, 9, 10, 11));

    assertThat(assigned)
        .extracting(assignment -> duty(assignment).followed().size())
        .containsExactly(5, 5, 2);
  }

  @Test
  void anUnreadableAssignmentLeavesTheNodeWithoutAMap() {
    Member a = new Group(4, 1).join("a");
    a.followed = List.of(1);
    a.assignor.onAssignment(new Assignment(List.of(), bytes(1, 1)), GROUP);

    assertThat(a.map).isEqualTo(ShardMap.EMPTY);
    assertThat(a.followed).isEmpty();
  }

  @Test
  void kafkaCreatesTheAssignorFromTheSettings() {
    Member a = new Group(4, 1).join("a");
    List<String> name = List.of(ShardAssignor.class.getName());
    List<ConsumerPartitionAssignor> created =
        ConsumerPartitionAssignor.getAssignorInstances(name, Map.of(ShardAssignor.MEMBERSHIP, a));

    assertThat(created)
        .singleElement()
        .satisfies(
            assignor -> {
              assertThat(assignor.name()).isEqualTo("reprise-shards");
              assertThat(assignor.supportedProtocols())
                  .containsExactly(RebalanceProtocol.COOPERATIVE);
              assertThat(assignor.subscriptionUserData(Set.of(TOPIC))).isEqualTo(a.self().encode());
            });
    assertThatThrownBy(() -> new ShardAssignor().configure(Map.of()))
        .isInstanceOf(ConfigException.class);
    Map<String, Object> negative = Map.of(ShardAssignor.MEMBERSHIP, a, ShardAssignor.FOLLOWERS, -1);
    assertThatThrownBy(() -> new ShardAssignor().configure(negative))
        .isInstanceOf(ConfigException.class);
  }

  @Test
  void aGroupOnTwoTopicsIsRefused() {
    GroupSubscription both =
        new GroupSubscription(Map.of("1", new Subscription(List.of("x", "y"))));

    assertThatThrownBy(() -> new ShardAssignor().assign(cluster(1), both))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[x, y]");
  }

  @Test
  void thirtyTwoNodesShareAThousandShards() {
    Group group = new Group(1024, 2);
    IntStream.range(0, 31).forEach(i -> group.join("n" + i));
    group.settle();
    group.join("n31");
    group.leave("n7");

    assertThat(group.settle()).isLessThanOrEqualTo(2);
    group.checkSettled();
  }

  /**
   * Nodes come and go, with and without the time to settle. The checks of each round are in {@link
   * Group#round}.
   */
  @Property(tries = 100)
  void whateverHappensTheShardsSettleBalanced(
      @ForAll @IntRange(min = 0, max = 40) int shards,
      @ForAll @IntRange(min = 0, max = 3) int followers,
      @ForAll @Size(max = 30) List<@IntRange(min = 0, max = 23) Integer> events) {
    Group group = new Group(shards, followers);
    group.join("n0");
    for (int event : events) {
      String name = "n" + event % 6;
      boolean gone = group.leave(name);
      if (!gone || event >= 18) {
        group.join(name);
      }
      if (event < 6) {
        assertThat(group.settle()).isLessThanOrEqualTo(3);
      } else if (event < 12) {
        group.round();
      }
    }
    assertThat(group.settle()).isLessThanOrEqualTo(3);
    group.checkSettled();
  }

  /** Plays the part of Kafka: members join, are assigned shards, and join again to revoke some. */
  private static final class Group {
    private final int shards;
    private final int followers;
    private final Map<String, Member> members = new TreeMap<>();
    private int generation;
    private int ids;

    Group(int shards, int followers) {
      this.shards = shards;
      this.followers = followers;
    }

    Member join(String name) {
      Member member = new Member("id-" + ids++, name, followers);
      members.put(name, member);
      return member;
    }

    boolean leave(String name) {
      return members.remove(name) != null;
    }

    Set<Integer> all() {
      return new TreeSet<>(IntStream.range(0, shards).boxed().toList());
    }

    int settle() {
      int rounds = 1;
      while (round() && rounds < 10) {
        rounds++;
      }
      return rounds;
    }

    /** Returns whether a member revoked shards, upon which all join again. */
    boolean round() {
      if (members.isEmpty()) {
        return false;
      }
      generation++;
      Map<String, Subscription> said = new HashMap<>();
      members.values().forEach(member -> said.put(member.id, member.subscription()));
      ShardAssignor leader = members.values().iterator().next().assignor;
      Map<String, Assignment> assigned = assign(leader, shards, said);
      check(assigned);
      boolean again = false;
      for (Member member : members.values()) {
        Assignment assignment = assigned.get(member.id);
        Set<Integer> now = new TreeSet<>(ShardAssignorTest.shards(assignment));
        again |= !now.containsAll(member.owned);
        member.assignor.onAssignment(assignment, GROUP);
        member.owned = now;
        member.generation = generation;
        now.forEach(shard -> member.copies.put(shard, (long) generation));
        member.followed.forEach(shard -> member.copies.put(shard, generation - 1L));
      }
      return again;
    }

    private void check(Map<String, Assignment> assigned) {
      Map<Integer, String> claims = new HashMap<>();
      Map<Integer, String> owners = new HashMap<>();
      List<Integer> followed = new ArrayList<>();
      members.forEach((name, member) -> member.owned.forEach(shard -> claims.put(shard, name)));
      for (Member member : members.values()) {
        List<Integer> own = ShardAssignorTest.shards(assigned.get(member.id));
        for (int shard : own) {
          assertThat(owners.put(shard, member.name)).isNull();
          assertThat(claims.getOrDefault(shard, member.name)).isEqualTo(member.name);
        }
        List<Integer> follows = duty(assigned.get(member.id)).followed();
        assertThat(Collections.disjoint(own, follows)).isTrue();
        followed.addAll(follows);
      }
      for (Assignment assignment : assigned.values()) {
        ShardMap map = duty(assignment).map();
        assertThat(all())
            .filteredOn(shard -> map.owner(shard) != null)
            .containsExactlyInAnyOrderElementsOf(owners.keySet())
            .allMatch(shard -> map.owner(shard).name().equals(owners.get(shard)));
      }
      int wanted = Math.min(followers, members.size() - 1);
      assertThat(all()).allMatch(shard -> Collections.frequency(followed, shard) == wanted);
    }

    void checkSettled() {
      Set<Integer> owned = new TreeSet<>();
      for (Member member : members.values()) {
        owned.addAll(member.owned);
        int share = shards / members.size();
        assertThat(member.owned).hasSizeBetween(share, share + 1);
        if (followers == 1) {
          assertThat(member.followed).hasSizeLessThanOrEqualTo(share + 2);
        }
      }
      assertThat(owned).isEqualTo(members.isEmpty() ? Set.of() : all());
      String before = members.toString();
      assertThat(round()).isFalse();
      assertThat(members).hasToString(before);
    }
  }

  private static final class Member implements Membership {
    private final ShardAssignor assignor = new ShardAssignor();
    private final String id;
    private final String name;
    private final Map<Integer, Long> copies = new HashMap<>();
    private Set<Integer> owned = new TreeSet<>();
    private int generation = -1;
    private ShardMap map = ShardMap.EMPTY;
    private List<Integer> followed = new ArrayList<>();

    Member(String id, String name, int followers) {
      this.id = id;
      this.name = name;
      assignor.configure(
          Map.of(ShardAssignor.MEMBERSHIP, this, ShardAssignor.FOLLOWERS, followers));
    }

    Subscription subscription() {
      return said(assignor.subscriptionUserData(Set.of(TOPIC)), generation, owned);
    }

    @Override
    public MemberInfo self() {
      return info(name, copies);
    }

    @Override
    public void assigned(ShardMap map, List<Integer> followed) {
      this.map = map;
      this.followed = followed;
    }

    @Override
    public String toString() {
      return owned + " and followed " + followed;
    }
  }

  /** Returns the assignments of members with the ids 0, 1 and so on, one follower to a shard. */
  private static List<Assignment> assign(int shards, Subscription... said) {
    Map<String, Subscription> group = new TreeMap<>();
    IntStream.range(0, said.length).forEach(id -> group.put("" + id, said[id]));
    return List.copyOf(new TreeMap<>(assign(new ShardAssignor(), shards, group)).values());
  }

  private static Map<String, Assignment> assign(
      ShardAssignor leader, int shards, Map<String, Subscription> said) {
    return leader.assign(cluster(shards), new GroupSubscription(said)).groupAssignment();
  }

  private static MemberInfo info(String name, Map<Integer, Long> copies) {
    return new MemberInfo(name, "http://" + name, copies);
  }

  private static Subscription said(
      String name, Map<Integer, Long> copies, int generation, Integer... owned) {
    return said(info(name, copies).encode(), generation, Set.of(owned));
  }

  private static Subscription said(@Nullable ByteBuffer data, int generation, Set<Integer> owned) {
    List<TopicPartition> partitions = owned.stream().map(ShardAssignorTest::partition).toList();
    return new Subscription(List.of(TOPIC), data, partitions, generation, Optional.empty());
  }

  private static TopicPartition partition(int shard) {
    return new TopicPartition(TOPIC, shard);
  }

  private static List<Integer> shards(Assignment assignment) {
    return assignment.partitions().stream().map(TopicPartition::partition).toList();
  }

  private static ShardDuty duty(Assignment assignment) {
    return ShardDuty.decode(assignment.userData());
  }

  private static Cluster cluster(int shards) {
    Node[] none = new Node[0];
    List<PartitionInfo> partitions =
        IntStream.range(0, shards)
            .mapToObj(shard -> new PartitionInfo(TOPIC, shard, Node.noNode(), none, none))
            .toList();
    return new Cluster("cluster", List.of(), partitions, Set.of(), Set.of());
  }

  private static ByteBuffer bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length);
    IntStream.of(values).forEach(value -> bytes.put((byte) value));
    return bytes.flip();
  }
}
