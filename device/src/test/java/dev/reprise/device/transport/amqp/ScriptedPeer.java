package dev.reprise.device.transport.amqp;

import io.netty.handler.logging.LoggingHandler;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.qpid.protonj2.test.driver.ProtonTestServer;

/** A peer that follows a script, one step after the other, for what no broker does on demand. */
final class ScriptedPeer implements AutoCloseable {
  static final int CREDIT = 10;

  // It logs every event of its channels otherwise. Held, for loggers are forgotten with their
  // level.
  private static final Logger CHANNELS = Logger.getLogger(LoggingHandler.class.getName());

  static {
    CHANNELS.setLevel(Level.OFF);
  }

  private final ProtonTestServer server = new ProtonTestServer();

  ProtonTestServer script() {
    return server;
  }

  /** Lets the device in, up to its open. */
  ScriptedPeer open() {
    server.expectSASLAnonymousConnect();
    server.expectOpen().respond();
    return this;
  }

  /** Lets the device in, up to its session. */
  ScriptedPeer begin() {
    open();
    server.expectBegin().respond();
    return this;
  }

  /** Lets the device in, and attaches the link for messages, without credit. */
  ScriptedPeer attach() {
    begin();
    server.expectAttach().ofSender().respond();
    return this;
  }

  /** Lets the device in, and grants it messages. */
  ScriptedPeer grant() {
    attach();
    credit(CREDIT);
    return this;
  }

  ScriptedPeer credit(int credit) {
    server
        .remoteFlow()
        .withLinkCredit(credit)
        .withDeliveryCount(0)
        .withNextIncomingId(0)
        .withIncomingWindow(1_000)
        .withOutgoingWindow(1_000)
        .withNextOutgoingId(0)
        .withHandle(0)
        .queue();
    return this;
  }

  /** Starts to listen. */
  AmqpSettings.Builder start() {
    server.start();
    return AmqpSettings.builder("127.0.0.1", "telemetry").port(server.getServerURI().getPort());
  }

  static Map<String, Object> redirect() {
    return Map.of("network-host", "10.0.0.7", "port", 5671, "hostname", "other.example");
  }

  @Override
  public void close() {
    // The scripts end before the device does, which is no failure.
    server.close();
  }
}
