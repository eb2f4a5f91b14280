package dev.reprise.endpoints.amqp;

import io.netty.handler.logging.LoggingHandler;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.qpid.protonj2.test.driver.ProtonTestServer;

/** A broker that follows a script, one step after the other, for what no broker does on demand. */
final class ScriptedBroker implements AutoCloseable {
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

  /** Lets in, up to the first session. */
  ScriptedBroker begin() {
    server.expectSASLAnonymousConnect();
    server.expectOpen().respond();
    server.expectBegin().respond();
    return this;
  }

  /** Lets in, and attaches the link, without credit. */
  ScriptedBroker attach() {
    begin();
    server.expectAttach().ofSender().respond();
    return this;
  }

  /** Lets in, and grants messages. */
  ScriptedBroker grant(int credit) {
    attach();
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

  /** Starts to listen, and returns the port. */
  int start() {
    server.start();
    return server.getServerURI().getPort();
  }

  @Override
  public void close() {
    // The scripts end before the carrier does, which is no failure.
    server.close();
  }
}
