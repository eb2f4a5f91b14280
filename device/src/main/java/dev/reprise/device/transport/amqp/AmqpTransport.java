package dev.reprise.device.transport.amqp;

import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.EventLoops;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import java.util.Objects;

/**
 * AMQP 1.0 over TCP or TLS. A connection has one session, one link that messages are sent on, and
 * one that commands are read from, if they are asked for. It is ready when it may send: an open
 * connection and an attached link can still be taken back in the next frame.
 *
 * <p>How the device is known: with {@link AmqpSettings#cbs}, by the secret of the credential as a
 * token. Else, with a secret, by SASL PLAIN or SCRAM: PLAIN first where TLS protects it, SCRAM
 * first where nothing does. {@link AmqpSettings#sasl} names one that is used and no other. Else,
 * with a client certificate, by SASL EXTERNAL, or ANONYMOUS where the server does not offer that.
 * Else it is not: ANONYMOUS.
 *
 * <p>A message is sent durable, with what is left of its time to live as ttl, its id as message-id,
 * its body as one section of data, its properties as application properties. A command that failed
 * is given back as modified, or as released where the server knows no more than that. Thread-safe.
 */
public final class AmqpTransport implements Transport {
  private final AmqpSettings settings;

  /** Creates the transport. */
  public AmqpTransport(AmqpSettings settings) {
    this.settings = Objects.requireNonNull(settings, "settings");
  }

  @Override
  public String name() {
    return "amqp";
  }

  @Override
  public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
    AmqpConnection connection =
        new AmqpConnection(settings, request, listener, EventLoops.shared().next());
    connection.start();
    return connection;
  }
}
