package dev.reprise.bench.endpoints;

import dev.reprise.bench.common.Effort;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.endpoints.amqp.AmqpCarrierType;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.Tracker;

/** Queues in AMQP 1.0 beside the client of protonj2, to Artemis in this process. */
final class AmqpRate extends CarrierRate {
  private static final String QUEUE = "orders";
  private static final int WINDOW = 100;
  private static final byte[] BODY = new byte[256];

  AmqpRate() {
    super("amqp", 60_000);
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int port = Ports.free();
    EmbeddedActiveMQ broker = broker(port);
    try (Carrier carrier =
            open(
                new AmqpCarrierType(),
                "{\"addresses\": \"127.0.0.1:" + port + "\"}",
                new TestContext(WINDOW));
        Client client = Client.create();
        Connection connection = client.connect("127.0.0.1", port, new ConnectionOptions())) {
      Sender sender = connection.openSender(QUEUE);
      CarrierContent content = new CarrierContent("text/plain", BODY);
      return compare(
          effort,
          out,
          sending(
              carrier,
              WINDOW,
              () -> TestAttempts.of(Protocol.QUEUE, QUEUE, content, "{\"kind\":\"gold\"}")),
          messages -> send(sender, messages),
          () -> {
            int unused =
                broker
                    .getActiveMQServer()
                    .locateQueue(SimpleString.of(QUEUE))
                    .deleteAllReferences();
          });
    } finally {
      broker.stop();
    }
  }

  private static EmbeddedActiveMQ broker(int port) throws Exception {
    Map<String, Object> acceptor = new HashMap<>();
    acceptor.put("host", "127.0.0.1");
    acceptor.put("port", port);
    acceptor.put("protocols", "AMQP");
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(
        new ConfigurationImpl()
            .setPersistenceEnabled(false)
            .setSecurityEnabled(false)
            .setJMXManagementEnabled(false)
            .setMaxDiskUsage(-1)
            .addAcceptorConfiguration(
                new TransportConfiguration(
                    NettyAcceptorFactory.class.getName(), acceptor, "amqp", new HashMap<>()))
            .addQueueConfiguration(
                QueueConfiguration.of(QUEUE).setRoutingType(RoutingType.ANYCAST)));
    broker.start();
    return broker;
  }

  /** Sends what the carrier sends, and waits for the oldest where too many are under way. */
  private static void send(Sender sender, int messages) throws Exception {
    Deque<Tracker> underWay = new ArrayDeque<>();
    for (int i = 0; i < messages; i++) {
      Message<byte[]> message = Message.create(BODY);
      message.durable(true);
      message.messageId("0193fc5e-7b2a-7000-8000-000000000000");
      message.contentType("text/plain");
      message.subject("orders");
      message.property("kind", "gold");
      message.property("reprise-attempt", 1);
      message.property("reprise-topic", "orders");
      message.property("reprise-subscription", "orders-1");
      if (underWay.size() == WINDOW) {
        underWay.remove().awaitAccepted();
      }
      underWay.add(sender.send(message));
    }
    while (!underWay.isEmpty()) {
      underWay.remove().awaitAccepted();
    }
  }
}
