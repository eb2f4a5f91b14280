package dev.reprise.cluster.group;

import dev.reprise.cluster.base.KafkaClients;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * Finds out from outside which node owns which shard, as the brokers know it. Not for several
 * threads at once.
 */
public final class ShardOwners implements AutoCloseable {
  private final String prefix;
  private final Admin admin;

  /** The owners of a cluster's shards, of which nothing is asked yet. */
  public ShardOwners(String brokers, String prefix) {
    this.prefix = prefix;
    this.admin =
        Admin.create(
            Map.of(
                "bootstrap.servers",
                brokers,
                "request.timeout.ms",
                "2000",
                "default.api.timeout.ms",
                "3000"));
  }

  /**
   * Returns the name of each shard's owner. A shard that has none just now is missing, and all are
   * while nodes agree anew or the brokers do not answer.
   */
  public Map<Integer, String> read() throws InterruptedException {
    Map<Integer, String> owners = new TreeMap<>();
    try {
      ConsumerGroupDescription group =
          admin.describeConsumerGroups(List.of(prefix)).all().get().get(prefix);
      if (group == null) {
        return owners;
      }
      for (MemberDescription member : group.members()) {
        for (TopicPartition each : member.assignment().topicPartitions()) {
          owners.put(each.partition(), KafkaClients.nodeOfMember(prefix, member.clientId()));
        }
      }
    } catch (ExecutionException e) {
      owners.clear();
    }
    return owners;
  }

  @Override
  public void close() {
    admin.close();
  }
}
