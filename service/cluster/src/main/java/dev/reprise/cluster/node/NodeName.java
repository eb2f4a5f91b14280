package dev.reprise.cluster.node;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.TimeSource;
import dev.reprise.delivery.pause.Pauses;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name of a node, which no other process of the cluster has. Two with one name could not be
 * distinguished: their shards would look as if they had no owner, and an operator might stop the
 * wrong one.
 */
final class NodeName {
  private static final Logger LOG = LoggerFactory.getLogger(NodeName.class);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  /** Brokers that have just begun to keep the group give each member a whole session. */
  private static final int SESSIONS = 2;

  private static final Duration MORE = Duration.ofSeconds(2);

  private NodeName() {}

  /** Asks the brokers where the processes are that have the name. */
  @FunctionalInterface
  interface Look {
    List<String> hosts() throws InterruptedException;
  }

  /**
   * Returns once no member of the group has the name of this node. The group keeps a process that
   * was killed until its session ends, so one that has the name is waited for that long.
   *
   * @throws ClusterException if it is in use after that
   */
  static void awaitFree(Admin admin, ClusterSettings settings) throws InterruptedException {
    awaitFree(settings, () -> hosts(admin, settings), TimeSource.system());
  }

  /**
   * Counts the pauses instead of the time: brokers that have just started answer the first look
   * late, and the session of a member begins anew when they do.
   */
  static void awaitFree(ClusterSettings settings, Look look, TimeSource time)
      throws InterruptedException {
    Duration limit = settings.session().multipliedBy(SESSIONS).plus(MORE);
    long left = limit.dividedBy(BETWEEN_LOOKS);
    Pauses pauses = Pauses.of(Backoff.fixed(BETWEEN_LOOKS)).in(time);
    boolean told = false;
    while (true) {
      List<String> hosts = look.hosts();
      if (hosts.isEmpty()) {
        return;
      }
      if (left-- <= 0) {
        throw new ClusterException(
            ("node is '%s': must be a name that no other node has, and a process at %s has it: give"
                    + " one of them another --node, or stop that one")
                .formatted(settings.node(), String.join(" and ", hosts)),
            null);
      }
      if (!told) {
        told = true;
        LOG.info(
            "a process at {} has the name {}, perhaps this node before it was ended: waiting for"
                + " its session to end, which may take {} s",
            String.join(" and ", hosts),
            settings.node(),
            limit.toSeconds());
      }
      pauses.next();
    }
  }

  /** Returns the hosts of the processes that have the name; none if there is no answer. */
  private static List<String> hosts(Admin admin, ClusterSettings settings)
      throws InterruptedException {
    String group = settings.prefix();
    try {
      ConsumerGroupDescription described =
          Objects.requireNonNull(
                  admin.describeConsumerGroups(List.of(group)).describedGroups().get(group))
              .get();
      TreeSet<String> hosts = new TreeSet<>();
      described.members().stream()
          .filter(each -> KafkaClients.nodeOfMember(group, each.clientId()).equals(settings.node()))
          // Java puts a slash before an address that has no name.
          .forEach(each -> hosts.add(each.host().replaceFirst("^/", "")));
      return List.copyOf(hosts);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof GroupIdNotFoundException) {
        return List.of();
      }
      if (cause instanceof AuthorizationException) {
        throw new ClusterException(
            "the brokers refuse this node the group " + group + ": " + cause.getMessage(), e);
      }
      LOG.warn(
          "whether another node has the name {} is not known: {}",
          settings.node(),
          cause == null ? e.getMessage() : cause.getMessage());
      return List.of();
    }
  }
}
