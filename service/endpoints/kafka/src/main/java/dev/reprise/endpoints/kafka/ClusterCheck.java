package dev.reprise.endpoints.kafka;

import dev.reprise.delivery.carrier.CarrierException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterResult;

/** Finds out whether the cluster answers, on a connection of its own. Blocks. Thread-safe. */
final class ClusterCheck {
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final long LIMIT_MILLIS = 2L * ClientConfig.MAX_BLOCK_MILLIS;

  private final KafkaSettings settings;
  private final String name;

  ClusterCheck(KafkaSettings settings, String name) {
    this.settings = settings;
    this.name = name;
  }

  /**
   * Connects, logs in and asks for the brokers.
   *
   * @return what was reached, for people
   * @throws CarrierException with what is in the way
   */
  String run() throws InterruptedException {
    Admin admin = null;
    try {
      admin =
          Admin.create(
              ClientConfig.admin(
                  settings, "reprise-" + name + "-check-" + NUMBERS.incrementAndGet()));
      DescribeClusterResult cluster = admin.describeCluster();
      int brokers = cluster.nodes().get(LIMIT_MILLIS, TimeUnit.MILLISECONDS).size();
      String id = cluster.clusterId().get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
      return "connected to cluster "
          + id
          + " with "
          + brokers
          + (brokers == 1 ? " broker" : " brokers")
          + (settings.username() == null ? "" : " as " + settings.username());
    } catch (ExecutionException e) {
      throw new CarrierException(reason(e.getCause() == null ? e : e.getCause()));
    } catch (TimeoutException e) {
      throw new CarrierException(unreachable());
    } catch (RuntimeException e) {
      throw new CarrierException(reason(e));
    } finally {
      if (admin != null) {
        admin.close(Duration.ZERO);
      }
    }
  }

  private String reason(Throwable error) {
    return error instanceof org.apache.kafka.common.errors.TimeoutException
        ? unreachable()
        : line(error);
  }

  /** Returns a failure of a client as one line, the reason that it hides in a cause included. */
  static String line(Throwable error) {
    Throwable cause = error.getCause();
    return KafkaErrors.line(error)
        + (cause == null || cause == error ? "" : " (" + KafkaErrors.line(cause) + ")");
  }

  private String unreachable() {
    return "no broker of " + settings.addresses() + " answers";
  }
}
