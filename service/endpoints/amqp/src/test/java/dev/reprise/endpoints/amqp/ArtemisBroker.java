package dev.reprise.endpoints.amqp;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.protocol.amqp.broker.AMQPMessage;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.jspecify.annotations.Nullable;

/**
 * ActiveMQ Artemis inside the JVM of the test, in memory, speaking AMQP 1.0 on a port of loopback
 * that stays the same over {@link #stop} and {@link #start}. Addresses are ANYCAST queues of the
 * same name, made beforehand: an address that nobody listens to would accept messages and drop
 * them.
 */
final class ArtemisBroker implements AutoCloseable {
  /** A message in a queue. */
  record Stored(
      String id,
      String subject,
      String contentType,
      boolean durable,
      Map<String, Object> attributes) {}

  /** The one address that does not come to be when it is asked for. */
  static final String NEVER_MADE = "never-made";

  /** The queue that only the administrator may use. */
  static final String FORBIDDEN = "forbidden";

  static final String USER = "app";

  private static final long SETTLE_LIMIT_SECONDS = 60;
  private static final int HANDSHAKE_LIMIT_SECONDS = 60;

  private final @Nullable String password;
  private final @Nullable Path keyStore;
  private final String storePassword;
  private final Map<String, AddressSettings> queues = new LinkedHashMap<>();
  private int port;
  private @Nullable EmbeddedActiveMQ running;

  /**
   * A broker.
   *
   * @param password that of {@link #USER}; null to let everybody in
   */
  ArtemisBroker(@Nullable String password) {
    this(password, null, "");
  }

  /** A broker whose connections are encrypted. */
  ArtemisBroker(@Nullable String password, @Nullable Path keyStore, String storePassword) {
    this.password = password;
    this.keyStore = keyStore;
    this.storePassword = storePassword;
  }

  /** Adds queues; before the start. */
  ArtemisBroker queues(String... names) {
    for (String name : names) {
      queues.put(name, new AddressSettings());
    }
    return this;
  }

  /** Adds a queue that is full with so many messages; before the start. */
  ArtemisBroker fullWith(String name, long messages, AddressFullMessagePolicy policy) {
    queues.put(
        name,
        new AddressSettings().setMaxSizeMessages(messages).setAddressFullMessagePolicy(policy));
    return this;
  }

  /** Starts the broker, again on the same port. */
  ArtemisBroker start() {
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    try {
      broker.setConfiguration(configuration());
      broker.setSecurityManager(new Users(password));
      broker.start();
    } catch (Exception e) {
      throw new IllegalStateException("the broker does not start", e);
    }
    running = broker;
    port =
        ((NettyAcceptor) broker.getActiveMQServer().getRemotingService().getAcceptor("amqp"))
            .getActualPort();
    return this;
  }

  void stop() {
    EmbeddedActiveMQ broker = running;
    running = null;
    if (broker == null) {
      return;
    }
    try {
      broker.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the broker does not stop", e);
    }
  }

  int port() {
    return port;
  }

  long count(String queue) {
    return settled(queue).getMessageCount();
  }

  /** Returns what is in a queue, from its head, and leaves it there. */
  List<Stored> read(String queue) {
    List<Stored> found = new ArrayList<>();
    try (LinkedListIterator<MessageReference> messages = settled(queue).browserIterator()) {
      while (messages.hasNext()) {
        found.add(stored(messages.next().getMessage()));
      }
    }
    return found;
  }

  void purge(String queue) {
    try {
      int ignored = queue(queue).deleteAllReferences();
    } catch (Exception e) {
      throw new IllegalStateException("cannot empty " + queue, e);
    }
  }

  @Override
  public void close() {
    stop();
  }

  private Queue queue(String name) {
    EmbeddedActiveMQ broker = Objects.requireNonNull(running, "the broker is stopped");
    return Objects.requireNonNull(
        broker.getActiveMQServer().locateQueue(SimpleString.of(name)), name);
  }

  /** Returns a queue that holds all that was acknowledged before: its own thread moves messages. */
  private Queue settled(String name) {
    Queue queue = queue(name);
    CountDownLatch moved = new CountDownLatch(1);
    queue.flushOnIntermediate(moved::countDown);
    try {
      if (!moved.await(SETTLE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(name + " stood still for " + SETTLE_LIMIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return queue;
  }

  private static Stored stored(Message message) {
    AMQPMessage amqp = (AMQPMessage) message;
    Properties properties = amqp.getProperties();
    return new Stored(
        String.valueOf(properties.getMessageId()),
        properties.getSubject(),
        String.valueOf(properties.getContentType()),
        message.isDurable(),
        new LinkedHashMap<>(amqp.getApplicationProperties().getValue()));
  }

  private Configuration configuration() throws Exception {
    Configuration configuration =
        new ConfigurationImpl()
            .setName("test")
            .setPersistenceEnabled(false)
            .setSecurityEnabled(password != null)
            .setSecurityInvalidationInterval(0)
            .setJMXManagementEnabled(false)
            .setMaxDiskUsage(-1)
            .setScheduledThreadPoolMaxSize(2)
            .setThreadPoolMaxSize(8)
            .addAcceptorConfiguration(acceptor())
            .addAddressSetting("#", new AddressSettings().setMaxDeliveryAttempts(-1))
            .addAddressSetting(
                NEVER_MADE,
                new AddressSettings().setAutoCreateAddresses(false).setAutoCreateQueues(false));
    configuration.putSecurityRoles("#", Set.of(allowing("apps")));
    configuration.putSecurityRoles(FORBIDDEN, Set.of(allowing("administrators")));
    queues.forEach(
        (name, settings) ->
            configuration
                .addQueueConfiguration(
                    QueueConfiguration.of(name)
                        .setRoutingType(RoutingType.ANYCAST)
                        .setDurable(true))
                .addAddressSetting(name, settings));
    return configuration;
  }

  private static Role allowing(String name) {
    return new Role(name, true, true, true, true, true, true, true, true, true, true, false, false);
  }

  private TransportConfiguration acceptor() {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("host", "127.0.0.1");
    parameters.put("port", port);
    parameters.put("protocols", "AMQP");
    parameters.put("remotingThreads", 2);
    parameters.put("handshake-timeout", HANDSHAKE_LIMIT_SECONDS);
    if (keyStore != null) {
      parameters.put("sslEnabled", true);
      parameters.put("keyStorePath", keyStore.toString());
      parameters.put("keyStoreType", "PKCS12");
      parameters.put("keyStorePassword", storePassword);
    }
    return new TransportConfiguration(
        NettyAcceptorFactory.class.getName(), parameters, "amqp", new HashMap<>());
  }

  private record Users(@Nullable String secret) implements ActiveMQSecurityManager {
    @Override
    public boolean validateUser(@Nullable String user, @Nullable String password) {
      return USER.equals(user) && password != null && password.equals(secret);
    }

    @Override
    public boolean validateUserAndRole(
        @Nullable String user, @Nullable String password, Set<Role> roles, CheckType check) {
      Set<String> allowing = new HashSet<>();
      roles.forEach(role -> allowing.add(role.getName()));
      return validateUser(user, password) && allowing.contains("apps");
    }
  }
}
