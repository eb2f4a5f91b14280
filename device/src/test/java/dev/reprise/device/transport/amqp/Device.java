package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.CommandReply;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.TransportConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connection of a device, and what was told of it in order. */
final class Device implements ConnectionListener, AutoCloseable {
  sealed interface Told {}

  record Ready() implements Told {}

  record Lost(TransportException cause) implements Told {}

  record Writable() implements Told {}

  record Renewed() implements Told {}

  record Subscribed(@Nullable TransportException refusal) implements Told {}

  record Received(Command command, CommandReply reply) implements Told {}

  static final int PATIENCE_SECONDS = 60;

  private final LinkedBlockingQueue<Told> told = new LinkedBlockingQueue<>();
  private final TransportConnection connection;

  private Device(AmqpSettings settings, ConnectRequest request) {
    connection = new AmqpTransport(settings).connect(request, this);
  }

  static Device connect(AmqpSettings settings) {
    return connect(settings, Credential.NONE, false);
  }

  static Device connect(AmqpSettings settings, Credential credential, boolean receivesCommands) {
    return new Device(settings, new ConnectRequest(credential, receivesCommands, null));
  }

  static Device connect(AmqpSettings settings, ConnectRequest request) {
    return new Device(settings, request);
  }

  TransportConnection connection() {
    return connection;
  }

  Device ready() {
    assertThat(next()).isEqualTo(new Ready());
    return this;
  }

  Device granted() {
    assertThat(next()).isEqualTo(new Subscribed(null));
    return this;
  }

  TransportException lost() {
    return next(Lost.class).cause();
  }

  <T extends Told> T next(Class<T> type) {
    Told next = next();
    while (next instanceof Writable && type != Writable.class) {
      next = next();
    }
    assertThat(next).isInstanceOf(type);
    return type.cast(next);
  }

  boolean hearsNothing(Duration wait) throws InterruptedException {
    return told.poll(wait.toMillis(), TimeUnit.MILLISECONDS) == null;
  }

  /** Sends a message; the stage completes with nothing when it is acknowledged. */
  CompletableFuture<Optional<TransportException>> send(Message message) {
    CompletableFuture<Optional<TransportException>> outcome = new CompletableFuture<>();
    connection.send(
        message,
        1,
        new SendCallback() {
          @Override
          public void onAcknowledged() {
            assertThat(outcome.complete(Optional.empty())).as("one outcome").isTrue();
          }

          @Override
          public void onFailed(TransportException cause) {
            assertThat(outcome.complete(Optional.of(cause))).as("one outcome").isTrue();
          }
        });
    return outcome;
  }

  Optional<TransportException> outcome(Message message) throws Exception {
    return send(message).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  TransportException refusal(Message message) throws Exception {
    return outcome(message).orElseThrow();
  }

  @Override
  public void close() {
    connection.close();
  }

  @Override
  public void onReady() {
    told.add(new Ready());
  }

  @Override
  public void onLost(TransportException cause) {
    told.add(new Lost(cause));
  }

  @Override
  public void onWritable() {
    told.add(new Writable());
  }

  @Override
  public void onRenewed() {
    told.add(new Renewed());
  }

  @Override
  public void onSubscribed(@Nullable TransportException refusal) {
    told.add(new Subscribed(refusal));
  }

  @Override
  public void onCommand(Command command, CommandReply reply) {
    told.add(new Received(command, reply));
  }

  private Told next() {
    try {
      Told next = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(next).as("something is told").isNotNull();
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
