package dev.reprise.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** The settings of a broker that is controller as well, on loopback, and its formatted folder. */
final class BrokerStorage {
  private static final String CONTROLLER = "CONTROLLER";

  private BrokerStorage() {}

  /**
   * Returns the settings of one of some brokers.
   *
   * @param address where it serves, as {@code HOST:PORT}
   * @param voters all of them, as {@code NUMBER@HOST:PORT} of their controllers
   * @param brokers how many there are
   * @param folder where it has its files
   */
  static Properties properties(
      int number, String address, int controllerPort, String voters, int brokers, Path folder) {
    String copies = Integer.toString(brokers);
    String inSync = brokers == 3 ? "2" : "1";
    Properties properties = new Properties();
    properties.setProperty("process.roles", "broker,controller");
    properties.setProperty("node.id", Integer.toString(number));
    properties.setProperty("controller.quorum.voters", voters);
    properties.setProperty(
        "listeners",
        String.format(
            Locale.ROOT, "PLAINTEXT://%s,%s://127.0.0.1:%d", address, CONTROLLER, controllerPort));
    properties.setProperty("advertised.listeners", "PLAINTEXT://" + address);
    properties.setProperty("controller.listener.names", CONTROLLER);
    properties.setProperty(
        "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    properties.setProperty("inter.broker.listener.name", "PLAINTEXT");
    properties.setProperty("log.dirs", folder.toString());
    properties.setProperty("auto.create.topics.enable", "false");
    properties.setProperty("min.insync.replicas", inSync);
    properties.setProperty("offsets.topic.replication.factor", copies);
    properties.setProperty("offsets.topic.num.partitions", "4");
    properties.setProperty("transaction.state.log.replication.factor", copies);
    properties.setProperty("transaction.state.log.min.isr", inSync);
    properties.setProperty("transaction.state.log.num.partitions", "4");
    properties.setProperty("group.initial.rebalance.delay.ms", "0");
    properties.setProperty("group.min.session.timeout.ms", "1000");
    properties.setProperty("add.partitions.to.txn.retry.backoff.ms", "1");
    properties.setProperty("controlled.shutdown.enable", "false");
    properties.setProperty("num.network.threads", "2");
    properties.setProperty("num.io.threads", "2");
    properties.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
    return properties;
  }

  /**
   * Prepares the folder of a broker; does nothing if that was done.
   *
   * @param cluster the id of the brokers
   */
  static void format(Properties properties, String cluster) throws Exception {
    String folder = properties.getProperty("log.dirs");
    if (Files.exists(Path.of(folder, "meta.properties"))) {
      return;
    }
    Files.createDirectories(Path.of(folder));
    new Formatter()
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8))
        .setClusterId(cluster)
        .setNodeId(Integer.parseInt(properties.getProperty("node.id")))
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setControllerListenerName(CONTROLLER)
        .setMetadataLogDirectory(folder)
        .addDirectory(folder)
        .run();
  }
}
