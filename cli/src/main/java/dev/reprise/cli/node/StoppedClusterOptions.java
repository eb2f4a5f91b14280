package dev.reprise.cli.node;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.settings.NodeSettings;
import java.nio.file.Path;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that work on the topics of a cluster of which no node runs. */
final class StoppedClusterOptions {
  @Option(
      names = "--cluster",
      paramLabel = "BROKERS",
      required = true,
      description = "Brokers of Kafka to begin with: HOST:PORT,...")
  private String brokers = "";

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      defaultValue = "reprise",
      description =
          "What the names of the cluster's topics, ids and group begin with. Default:"
              + " ${DEFAULT-VALUE}.")
  private String name = "";

  @Option(
      names = "--cluster-properties",
      paramLabel = "FILE",
      description =
          "Settings for all clients of Kafka under its own names, such as security.protocol and"
              + " sasl.jaas.config.")
  private @Nullable Path properties;

  @Option(
      names = "--replication",
      paramLabel = "N",
      defaultValue = "3",
      description = "On how many brokers the cluster has each record. Default: ${DEFAULT-VALUE}.")
  private short replication;

  /**
   * Returns the settings of the cluster.
   *
   * @param client what the brokers are to call this command
   * @throws InvalidSettingException if an option is not allowed; the field is called as the option
   */
  ClusterSettings settings(String client) {
    if (brokers.equals(ClusterSettings.EMBEDDED)) {
      throw new InvalidSettingException(
          "cluster", brokers, "must be HOST:PORT,...; a broker in the process is for trying out");
    }
    ClusterSettings usual = ClusterSettings.of(brokers, client, "");
    try {
      return new ClusterSettings(
          brokers,
          name,
          usual.node(),
          usual.url(),
          NodeSettings.clients(properties),
          usual.shards(),
          replication,
          usual.followers(),
          usual.session(),
          usual.lease());
    } catch (InvalidSettingException e) {
      throw e.field().equals("prefix")
          ? new InvalidSettingException("cluster-name", e.value(), e.rule())
          : e;
    }
  }

  /** Returns these options as {@code serve} takes them. */
  String forServe() {
    return "--cluster " + brokers + (name.equals("reprise") ? "" : " --cluster-name " + name);
  }

  /**
   * Returns the failure of a command that can be run again, if the brokers are why it has failed.
   */
  RuntimeException failed(StoreException e) {
    return e.getCause() instanceof KafkaException cause && !e.lost()
        ? failed(cause)
        : CommandFailure.failed(String.valueOf(e.getMessage()));
  }

  /** Returns the failure of a command that can be run again. */
  RuntimeException failed(KafkaException e) {
    // Kafka says that it could not make a client, and its cause says why.
    Throwable cause = e.getCause();
    String reason = String.valueOf((cause instanceof KafkaException ? cause : e).getMessage());
    return CommandFailure.failed(
        "the brokers of --cluster " + brokers + ": " + reason + ". Run it again: it goes on");
  }
}
