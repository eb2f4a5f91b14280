package dev.reprise.cluster.node;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.log.Topics;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.pause.Pauses;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the brokers before a node joins. Brokers and nodes are often started together, so one
 * that does not answer is asked again for a while; a lasting problem, such as a wrong password,
 * ends the wait.
 */
public final class BrokerCheck {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerCheck.class);
  private static final long ASK_MILLIS = 4_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(2);

  private BrokerCheck() {}

  /**
   * Returns once the brokers answer, and are as many as a new cluster needs. Logs what it waits
   * for, within some seconds and again and again.
   *
   * @throws ClusterException if they do not within the limit, or refuse this node
   */
  public static void await(ClusterSettings settings, Duration limit) {
    Pauses pauses =
        Pauses.of(Backoff.exponential(FIRST_PAUSE, MAX_PAUSE).withEqualJitter()).within(limit);
    String told = "";
    while (true) {
      String problem = problem(settings);
      if (problem == null) {
        return;
      }
      if (!problem.equals(told)) {
        LOG.warn(
            "waiting up to {} s for the brokers: {}{}",
            limit.toSeconds(),
            problem,
            ClosedConnections.hint(settings));
        told = problem;
      }
      try {
        if (!pauses.next()) {
          throw new ClusterException(
              problem + " after " + limit.toSeconds() + " s" + ClosedConnections.hint(settings),
              null);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ClusterException("interrupted while the brokers were waited for", e);
      }
    }
  }

  private static @Nullable String problem(ClusterSettings settings) {
    Admin admin = null;
    try {
      admin = new KafkaClients(settings).admin();
      Collection<Node> nodes =
          admin.describeCluster().nodes().get(ASK_MILLIS, TimeUnit.MILLISECONDS);
      if (nodes.size() >= settings.replication()) {
        return null;
      }
      String topic = new Topics(settings.prefix()).shards();
      boolean isNew =
          !admin.listTopics().names().get(ASK_MILLIS, TimeUnit.MILLISECONDS).contains(topic);
      return isNew
          ? "replication is "
              + settings.replication()
              + ": must be at most the number of brokers, of which "
              + nodes.size()
              + " are known"
          : null;
    } catch (ExecutionException | KafkaException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
        throw new ClusterException(
            "the brokers at " + settings.brokers() + " refuse this node: " + cause.getMessage(), e);
      }
      return unreached(settings, cause);
    } catch (TimeoutException e) {
      return unreached(settings, null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unreached(settings, e);
    } finally {
      if (admin != null) {
        // Otherwise it waits a minute for the answer that has just been given up.
        admin.close(Duration.ZERO);
      }
    }
  }

  private static String unreached(ClusterSettings settings, @Nullable Throwable cause) {
    Throwable innermost = cause;
    while (innermost != null && innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    return "no broker at "
        + settings.brokers()
        + " answers"
        + (innermost == null || innermost.getMessage() == null
            ? ""
            : " (" + innermost.getMessage() + ")");
  }
}
