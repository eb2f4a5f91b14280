package dev.reprise.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.common.process.Starter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.slf4j.LoggerFactory;

/** One broker of Kafka as a process of its own. It ends when its standard input does. */
public final class BrokerProcess {
  private BrokerProcess() {}

  /**
   * Arguments: the file of its properties, the id of the cluster, a file to make once it serves, by
   * how many milliseconds its clock is ahead.
   */
  public static void main(String[] args) {
    // Kafka writes the names of its folders and files in the digits of the user's locale.
    Locale.setDefault(Locale.ROOT);
    Starter.endWithIt();
    try {
      Properties properties = new Properties();
      try (Reader reader = Files.newBufferedReader(Path.of(args[0]), UTF_8)) {
        properties.load(reader);
      }
      BrokerStorage.format(properties, args[1]);
      KafkaRaftServer server =
          new KafkaRaftServer(
              new KafkaConfig(properties, false), new SkewedTime(Long.parseLong(args[3])));
      server.startup();
      Files.writeString(Path.of(args[2]), "");
      server.awaitShutdown();
    } catch (Throwable e) {
      LoggerFactory.getLogger(BrokerProcess.class).error("the broker failed", e);
    } finally {
      // Threads of a broker that failed half way would keep the process.
      Runtime.getRuntime().halt(1);
    }
  }
}
