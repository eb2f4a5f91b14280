package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.CommandReply;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A connection, and all that is told of it. Closed at the end of the test. */
final class RecordingConnection implements ConnectionListener, AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** What was told: exactly one of the components is set, but for a grant. */
  record Told(
      boolean ready,
      @Nullable TransportException lost,
      boolean subscribed,
      @Nullable TransportException refusal,
      @Nullable Received command) {}

  /** A command that has arrived. */
  record Received(Command command, CommandReply reply) {}

  private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
  private final List<Told> everything = new CopyOnWriteArrayList<>();
  private final AtomicInteger callers = new AtomicInteger();
  private final List<String> misuses = new CopyOnWriteArrayList<>();
  private final TransportConnection connection;

  private RecordingConnection(Transport transport, ConnectRequest request) {
    connection = transport.connect(request, this);
  }

  static RecordingConnection to(Transport transport) {
    return to(transport, Credential.NONE);
  }

  static RecordingConnection to(Transport transport, Credential credential) {
    return new RecordingConnection(transport, new ConnectRequest(credential, false, null));
  }

  static RecordingConnection withCommands(Transport transport) {
    return new RecordingConnection(transport, new ConnectRequest(Credential.NONE, true, null));
  }

  static RecordingConnection to(Transport transport, String server) {
    return new RecordingConnection(transport, new ConnectRequest(Credential.NONE, false, server));
  }

  TransportConnection connection() {
    return connection;
  }

  RecordingConnection awaitReady() {
    Told next = next();
    assertThat(next.lost()).isNull();
    assertThat(next.ready()).isTrue();
    return this;
  }

  TransportException awaitLost() {
    Told next = next();
    assertThat(next.lost()).as("%s", next).isNotNull();
    return Optional.ofNullable(next.lost()).orElseThrow();
  }

  /** Waits for the end, whatever is told before. */
  TransportException awaitEnd() {
    TransportException cause = next().lost();
    while (cause == null) {
      cause = next().lost();
    }
    return cause;
  }

  RecordingConnection awaitGranted() {
    assertThat(awaitSubscribed()).isNull();
    return this;
  }

  @Nullable TransportException awaitSubscribed() {
    Told next = next();
    assertThat(next.subscribed()).as("%s", next).isTrue();
    return next.refusal();
  }

  Received awaitCommand() {
    Told next = next();
    assertThat(next.command()).as("%s", next).isNotNull();
    return Optional.ofNullable(next.command()).orElseThrow();
  }

  /** Returns all that was told so far, whether awaited or not. */
  List<Told> everything() {
    return List.copyOf(everything);
  }

  Outcome send(Message message) {
    Outcome outcome = new Outcome();
    connection.send(message, 1, outcome);
    return outcome;
  }

  Outcome send(String body) {
    return send(Message.of(body));
  }

  @Override
  public void close() {
    connection.close();
    assertThat(misuses).isEmpty();
  }

  private Told next() {
    try {
      Told next = told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("nothing was told within " + LIMIT + ", before: " + everything);
      }
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void tell(Told event) {
    if (callers.incrementAndGet() > 1) {
      misuses.add("two threads at a time: " + event);
    }
    everything.add(event);
    told.add(event);
    callers.decrementAndGet();
  }

  @Override
  public void onReady() {
    tell(new Told(true, null, false, null, null));
  }

  @Override
  public void onLost(TransportException cause) {
    tell(new Told(false, cause, false, null, null));
  }

  @Override
  public void onWritable() {
    // Room in the buffer, which says nothing of a message.
  }

  @Override
  public void onRenewed() {
    misuses.add("onRenewed: MQTT renews nothing");
  }

  @Override
  public void onSubscribed(@Nullable TransportException refusal) {
    tell(new Told(false, null, true, refusal, null));
  }

  @Override
  public void onCommand(Command command, CommandReply reply) {
    tell(new Told(false, null, false, null, new Received(command, reply)));
  }

  /** What became of one message. */
  static final class Outcome implements SendCallback {
    private final BlockingQueue<Optional<TransportException>> results = new LinkedBlockingQueue<>();

    @Override
    public void onAcknowledged() {
      results.add(Optional.empty());
    }

    @Override
    public void onFailed(TransportException cause) {
      results.add(Optional.of(cause));
    }

    boolean isKnown() {
      return !results.isEmpty();
    }

    void awaitAcknowledged() {
      assertThat(await()).isEmpty();
    }

    TransportException awaitFailed() {
      return await().orElseThrow(() -> new AssertionError("acknowledged"));
    }

    private Optional<TransportException> await() {
      try {
        Optional<TransportException> result = results.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (result == null) {
          throw new AssertionError("no outcome within " + LIMIT);
        }
        return result;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
