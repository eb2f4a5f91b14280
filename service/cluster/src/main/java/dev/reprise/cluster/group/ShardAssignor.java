package dev.reprise.cluster.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each shard, which is a partition of the topic that all members subscribe to, an owner and
 * followers. A shard changes its owner in two rounds, so that it never has two. Created by Kafka.
 */
public final class ShardAssignor implements ConsumerPartitionAssignor, Configurable {
  /** The setting of the consumer with the {@link Membership} of its node. */
  static final String MEMBERSHIP = "reprise.membership";

  /** The setting of the consumer with the number of nodes that copy a shard beside its owner. */
  static final String FOLLOWERS = "reprise.followers";

  private static final Logger LOG = LoggerFactory.getLogger(ShardAssignor.class);

  private @Nullable Membership membership;
  private int followers = 1;

  /** Creates an assignor that is yet to be configured. */
  public ShardAssignor() {}

  @Override
  public void configure(Map<String, ?> configs) {
    Object node = configs.get(MEMBERSHIP);
    if (!(node instanceof Membership found)) {
      throw new ConfigException(MEMBERSHIP, node, "must be a Membership");
    }
    membership = found;
    Object count = configs.get(FOLLOWERS);
    if (count != null) {
      if (!(count instanceof Integer number) || number < 0) {
        throw new ConfigException(FOLLOWERS, count, "must be an Integer >= 0");
      }
      followers = number;
    }
  }

  @Override
  public String name() {
    return "reprise-shards";
  }

  @Override
  public short version() {
    return 1;
  }

  @Override
  public List<RebalanceProtocol> supportedProtocols() {
    return List.of(RebalanceProtocol.COOPERATIVE);
  }

  @Override
  public ByteBuffer subscriptionUserData(Set<String> topics) {
    return membership().self().encode();
  }

  @Override
  public GroupAssignment assign(Cluster metadata, GroupSubscription group) {
    Map<String, Subscription> subscriptions = group.groupSubscription();
    String topic = topic(subscriptions);
    Integer partitions = metadata.partitionCountForTopic(topic);
    int shards = partitions == null ? 0 : partitions;
    List<GroupMember> members = new ArrayList<>();
    subscriptions.forEach(
        (id, subscription) -> members.add(member(id, subscription, topic, shards)));
    members.sort(GroupMember.ORDER);

    OwnerPlan owners = new OwnerPlan(members, shards);
    FollowerPlan follows = new FollowerPlan(members, owners, shards, followers);
    List<List<TopicPartition>> owned = new ArrayList<>();
    members.forEach(member -> owned.add(new ArrayList<>()));
    List<ShardMap.Node> nodes = members.stream().map(ShardAssignor::node).distinct().toList();
    int[] nodeOfShard = new int[shards];
    for (int shard = 0; shard < shards; shard++) {
      int owner = owners.owner(shard);
      if (owners.isWithheld(shard)) {
        nodeOfShard[shard] = ShardMap.NOBODY;
      } else {
        nodeOfShard[shard] = nodes.indexOf(node(members.get(owner)));
        owned.get(owner).add(new TopicPartition(topic, shard));
      }
    }
    ShardMap map = new ShardMap(nodes, nodeOfShard);
    boolean compact = members.stream().allMatch(member -> member.info().readsCompact());
    Map<String, Assignment> assignments = new HashMap<>();
    for (int i = 0; i < members.size(); i++) {
      ByteBuffer duty = new ShardDuty(map, follows.followed(i)).encode(compact);
      assignments.put(members.get(i).id(), new Assignment(owned.get(i), duty));
    }
    String warning =
        GroupRecord.warning(GroupRecord.bytes(subscriptions, assignments, topic), members.size());
    if (warning != null) {
      LOG.warn("{}", warning);
    }
    return new GroupAssignment(assignments);
  }

  @Override
  public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
    ShardDuty duty;
    try {
      duty = ShardDuty.decode(assignment.userData());
    } catch (IllegalArgumentException e) {
      LOG.warn("The leader of group {} sent no readable map of shards", metadata.groupId(), e);
      duty = new ShardDuty(ShardMap.EMPTY, List.of());
    }
    membership().assigned(duty.map(), duty.followed());
  }

  private Membership membership() {
    if (membership == null) {
      throw new IllegalStateException("The assignor is not configured");
    }
    return membership;
  }

  private static String topic(Map<String, Subscription> subscriptions) {
    Set<String> topics = new TreeSet<>();
    subscriptions.values().forEach(subscription -> topics.addAll(subscription.topics()));
    if (topics.size() != 1) {
      throw new IllegalStateException("topics of the group are " + topics + ": must be one");
    }
    return topics.iterator().next();
  }

  private static GroupMember member(String id, Subscription said, String topic, int shards) {
    List<Integer> claims =
        said.ownedPartitions().stream()
            .filter(partition -> partition.topic().equals(topic) && partition.partition() < shards)
            .map(TopicPartition::partition)
            .toList();
    MemberInfo info = MemberInfo.decode(said.userData(), id);
    return new GroupMember(id, info, claims, said.generationId().orElse(-1));
  }

  private static ShardMap.Node node(GroupMember member) {
    return new ShardMap.Node(member.name(), member.info().url());
  }
}
