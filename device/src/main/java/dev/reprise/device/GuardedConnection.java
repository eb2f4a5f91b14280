package dev.reprise.device;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.TransportConnection;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Guards a connection: reports the exceptions of a broken transport instead of throwing them. */
final class GuardedConnection implements TransportConnection {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedConnection.class);

  private final TransportConnection connection;
  private final Consumer<Throwable> onBroken;

  GuardedConnection(TransportConnection connection, Consumer<Throwable> onBroken) {
    this.connection = connection;
    this.onBroken = onBroken;
  }

  @Override
  public int capacity() {
    try {
      return connection.capacity();
    } catch (Throwable e) {
      onBroken.accept(e);
      return 0;
    }
  }

  @Override
  public void send(Message message, int attempt, SendCallback callback) {
    try {
      connection.send(message, attempt, callback);
    } catch (Throwable e) {
      onBroken.accept(e);
    }
  }

  @Override
  public boolean hasMoved() {
    try {
      return connection.hasMoved();
    } catch (Throwable e) {
      onBroken.accept(e);
      return false;
    }
  }

  @Override
  public @Nullable TransportException whyNotReady() {
    try {
      return connection.whyNotReady();
    } catch (Throwable e) {
      onBroken.accept(e);
      return null;
    }
  }

  @Override
  public boolean renew(Credential credential) {
    try {
      return connection.renew(credential);
    } catch (Throwable e) {
      onBroken.accept(e);
      return false;
    }
  }

  @Override
  public void subscribe() {
    try {
      connection.subscribe();
    } catch (Throwable e) {
      onBroken.accept(e);
    }
  }

  @Override
  public @Nullable Executor executor() {
    try {
      return connection.executor();
    } catch (Throwable e) {
      onBroken.accept(e);
      return null;
    }
  }

  @Override
  public boolean isProven() {
    try {
      return connection.isProven();
    } catch (Throwable e) {
      LOG.warn("a transport threw when it was asked about its connection", e);
      return false;
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (Throwable e) {
      LOG.warn("a transport threw when its connection was closed", e);
    }
  }
}
