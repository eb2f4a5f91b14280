package dev.reprise.bench.device;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.jspecify.annotations.Nullable;

/** The JVM of {@link Artemis}: arguments are the journal's folder and two ports, 0 for any. */
public final class ArtemisServer {
  private ArtemisServer() {}

  /** Says its ports, and then answers {@code purge} and {@code count}. */
  public static void main(String[] args) throws Exception {
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(
        configuration(
            Artemis.journal(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2])));
    broker.start();
    System.out.println(port(broker, "mqtt") + " " + port(broker, "amqp"));
    Queue queue = broker.getActiveMQServer().locateQueue(SimpleString.of(Artemis.QUEUE));
    Jvm.serve(
        request ->
            switch (request) {
              case "purge" -> "" + queue.deleteAllReferences();
              case "count" -> "" + queue.getMessageCount();
              default -> throw new IllegalArgumentException("request is " + request);
            });
  }

  private static Configuration configuration(@Nullable Path journal, int mqttPort, int amqpPort) {
    Configuration configuration =
        new ConfigurationImpl()
            .setName("bench")
            .setPersistenceEnabled(journal != null)
            .setSecurityEnabled(false)
            .setJMXManagementEnabled(false)
            .setMaxDiskUsage(-1)
            .addAcceptorConfiguration(acceptor("mqtt", "MQTT", mqttPort))
            .addAcceptorConfiguration(acceptor("amqp", "AMQP", amqpPort))
            .addAddressSetting("#", new AddressSettings().setMaxDeliveryAttempts(-1))
            .addQueueConfiguration(
                QueueConfiguration.of(Artemis.QUEUE)
                    .setRoutingType(RoutingType.ANYCAST)
                    .setDurable(true));
    if (journal != null) {
      configuration
          .setJournalType(JournalType.NIO)
          .setJournalSyncTransactional(true)
          .setJournalSyncNonTransactional(true)
          .setJournalDirectory(journal.resolve("journal").toString())
          .setBindingsDirectory(journal.resolve("bindings").toString())
          .setPagingDirectory(journal.resolve("paging").toString())
          .setLargeMessagesDirectory(journal.resolve("large").toString());
    }
    return configuration;
  }

  private static TransportConfiguration acceptor(String name, String protocol, int port) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("host", "127.0.0.1");
    parameters.put("port", port);
    parameters.put("protocols", protocol);
    return new TransportConfiguration(
        NettyAcceptorFactory.class.getName(), parameters, name, new HashMap<>());
  }

  private static int port(EmbeddedActiveMQ broker, String acceptor) {
    return ((NettyAcceptor) broker.getActiveMQServer().getRemotingService().getAcceptor(acceptor))
        .getActualPort();
  }
}
