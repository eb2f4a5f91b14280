package dev.reprise.device;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.transport.CommandReply;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.TransportConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the connection, and makes it again: the state machine. Used in the loop only.
 *
 * <pre>
 *                open                   ready
 * DISCONNECTED -------> CONNECTING ---------------> CONNECTED
 *   ^  ^  ^                 |  ^                     |   |
 *   |  |  |          failed |  |      token renewal  |   | lost
 *   |  |  |                 |  +---------------------+   |
 *   |  |  |                 v                            |
 *   |  |  +------------- RETRYING &lt;----------------------+
 *   |  |   given up       |    ^
 *   |  |   or refused     +----+ failed, waits, tries again
 *   |  +-- close, from every state
 * </pre>
 *
 * <p>Every attempt has a number of its own. Events of any attempt but the present one are outdated,
 * and ignored.
 */
final class Connector {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

  /** However often the application asks for it. */
  private static final long MIN_APART_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientSettings settings;
  private final Loop loop;
  private final Outbox outbox;
  private final Intake intake;
  private final CallbackDispatcher callbacks;
  private final CommandDispatcher commands;

  private final Loop.Timer retryTimer;
  private final Loop.Timer connectTimer;
  private final Loop.Timer stableTimer;
  private final Credentials credentials;
  private final Reconnects reconnects;

  private final List<CompletableFuture<@Nullable Void>> openers = new ArrayList<>(0);

  /** The present status; read by any thread. */
  private volatile ConnectionStatus status = ConnectionStatus.NEW;

  private boolean closed;
  private int attempt;
  private @Nullable TransportConnection connection;

  /** The time at which the latest attempt began. */
  private long attemptedNanos;

  /** The credential that was refused, until another one is accepted, or null. */
  private @Nullable Credential refused;

  /** The log knows that the device is refused, which may last. */
  private boolean warned;

  private long connects;
  private long losses;

  Connector(
      ClientSettings settings,
      Loop loop,
      Outbox outbox,
      Intake intake,
      CallbackDispatcher callbacks,
      CommandDispatcher commands) {
    this.settings = settings;
    this.loop = loop;
    this.outbox = outbox;
    this.intake = intake;
    this.callbacks = callbacks;
    this.commands = commands;
    this.retryTimer = loop.new Timer(this::attempt);
    this.connectTimer = loop.new Timer(this::onConnectTimeout);
    this.stableTimer = loop.new Timer(this::onStable);
    this.credentials = new Credentials(settings, loop, outbox, this::changeConnections);
    this.reconnects = new Reconnects(settings, loop, credentials);
  }

  ConnectionStatus status() {
    return status;
  }

  long connects() {
    return connects;
  }

  long losses() {
    return losses;
  }

  void open(CompletableFuture<@Nullable Void> opener) {
    if (closed) {
      callbacks.fail(opener, new IllegalStateException("the client is closed"));
      return;
    }
    switch (status.state()) {
      case CONNECTED -> callbacks.complete(opener);
      case CONNECTING, RETRYING -> openers.add(opener);
      case DISCONNECTED -> {
        openers.add(opener);
        refused = null;
        warned = false;
        reconnects.opened();
        intake.resume();
        change(ConnectionState.CONNECTING, StatusReason.OK, null, null);
        attemptSoon();
      }
    }
  }

  /**
   * Tries again now if the client only waits, but not before the time that the other side named.
   */
  void reconnectNow() {
    if (retryTimer.isSet()) {
      attemptSoon();
    }
  }

  /** Begins an attempt, as soon as the other side and common sense allow it. */
  private void attemptSoon() {
    long waitNanos = 0;
    if (connects > 0) {
      waitNanos = Math.max(reconnects.hintNanos(), attemptedNanos + MIN_APART_NANOS - loop.now());
    }
    if (waitNanos > 0) {
      retryTimer.set(waitNanos);
    } else {
      retryTimer.cancel();
      attempt();
    }
  }

  private void attempt() {
    int current = ++attempt;
    connects++;
    attemptedNanos = loop.now();
    if (status.state() == ConnectionState.RETRYING) {
      change(ConnectionState.RETRYING, status.reason(), status.cause(), null);
    }
    connectTimer.set(settings.connectTimeoutNanos);
    credentials.supply(
        refused,
        (supplied, failure) -> {
          if (current != attempt) {
            return;
          }
          if (supplied == null) {
            lost(Failures.noCredential(failure));
          } else {
            connect(supplied);
          }
        });
  }

  private void connect(Credentials.Supply with) {
    credentials.use(with);
    commands.begin();
    ConnectRequest request =
        new ConnectRequest(with.credential(), commands.areWanted(), reconnects.redirect());
    AttemptListener events = new AttemptListener(attempt);
    try {
      connection =
          new GuardedConnection(
              settings.profile.transport().connect(request, events), events::onBroken);
    } catch (Throwable e) {
      broken(e);
    }
  }

  private void broken(Throwable thrown) {
    LOG.warn("a transport threw instead of telling its listener", thrown);
    lost(Failures.brokenTransport(thrown));
  }

  private void ready() {
    TransportConnection now = connection;
    if (now == null || status.state() == ConnectionState.CONNECTED) {
      return;
    }
    connectTimer.cancel();
    refused = null;
    warned = false;
    runWithConnection(now);
    change(ConnectionState.CONNECTED, StatusReason.OK, null, null);
    completeOpeners(null);
    stableTimer.set(settings.stableAfterNanos);
    credentials.connected(now);
    reconnects.connected();
    outbox.connected(now);
    subscribe();
  }

  /** Answers what arrives on the thread that has read it, without waking another one. */
  private void runWithConnection(TransportConnection now) {
    Executor executor = now.executor();
    if (executor != null && settings.mayRunWithConnection) {
      loop.moveTo(executor);
    }
  }

  private void onStable() {
    reconnects.stable();
    // Nothing has changed that a listener would act on.
    status = new ConnectionStatus(status.state(), status.reason(), status.cause(), 0, null);
  }

  /** Closes an attempt or a connection, and decides what follows. */
  void lost(TransportException failure) {
    // There is nothing to lose.
    if (status.state() == ConnectionState.DISCONNECTED || retryTimer.isSet()) {
      return;
    }
    boolean wasAccepted = status.state() == ConnectionState.CONNECTED;
    reconnects.lost(connection != null && connection.isProven());
    boolean wasStable = wasAccepted && reconnects.retries() == 0;
    losses++;
    abandon(failure);
    if (wasStable) {
      reconnects.outageBegins();
    }
    if (Failures.isThrottle(failure)) {
      outbox.slowDown(failure, 0);
    }
    follow(reconnects.after(failure, wasAccepted), failure);
  }

  private void follow(Reconnects.Next next, TransportException failure) {
    if (next instanceof Reconnects.Retry retry) {
      if (retry.withNewCredential()) {
        refused = credentials.current();
      }
      if (retry.isRefused()) {
        warnOnce(failure);
        completeOpeners(failure);
      }
      retryTimer.set(retry.delayNanos());
      change(
          ConnectionState.RETRYING,
          Failures.reason(failure),
          failure,
          Duration.ofNanos(retry.delayNanos()));
    } else if (next instanceof Reconnects.Stop stop) {
      stop(stop.reason(), failure);
    }
  }

  private void warnOnce(TransportException failure) {
    if (!warned) {
      LOG.warn(
          "the client of {} is refused, and tries again slowly: {}",
          settings.profile.name(),
          failure.getMessage());
    }
    warned = true;
  }

  private void stop(StatusReason reason, TransportException failure) {
    LOG.warn(
        "the client of {} stops, and connects no more until it is opened again: {}, {}",
        settings.profile.name(),
        reason,
        failure.getMessage());
    intake.stop(failure);
    change(ConnectionState.DISCONNECTED, reason, failure, null);
    completeOpeners(failure);
    commands.fail(failure);
  }

  private void onConnectTimeout() {
    TransportConnection slow = connection;
    TransportException why = slow == null ? null : slow.whyNotReady();
    lost(
        why != null
            ? why
            : Failures.connectTimeout(Duration.ofNanos(settings.connectTimeoutNanos)));
  }

  /**
   * Leaves the present attempt or connection behind.
   *
   * @param cause why, or null when that was planned
   */
  private void abandon(@Nullable TransportException cause) {
    attempt++;
    retryTimer.cancel();
    connectTimer.cancel();
    stableTimer.cancel();
    credentials.disconnected(cause == null);
    outbox.disconnected(cause);
    commands.disconnected();
    TransportConnection old = connection;
    connection = null;
    if (old != null) {
      old.close();
    }
  }

  /** Called after each turn of the loop. */
  void afterTurn() {
    credentials.afterTurn();
  }

  /** Brings in a new credential, which takes a new connection. Nothing has gone wrong. */
  private void changeConnections() {
    abandon(null);
    reconnects.outageBegins();
    change(ConnectionState.CONNECTING, StatusReason.TOKEN_RENEWAL, null, null);
    attempt();
  }

  void throttled(TransportException cause) {
    if (status.state() == ConnectionState.CONNECTED) {
      change(ConnectionState.CONNECTED, Failures.reason(cause), cause, null);
    }
  }

  void flowing() {
    if (status.state() == ConnectionState.CONNECTED && status.reason() != StatusReason.OK) {
      change(ConnectionState.CONNECTED, StatusReason.OK, null, null);
    }
  }

  /** Asks for commands on the present connection, if it was made without. */
  void subscribe() {
    TransportConnection now = connection;
    if (now != null && status.state() == ConnectionState.CONNECTED && commands.mustAsk()) {
      now.subscribe();
    }
  }

  void close() {
    closed = true;
    abandon(null);
    change(ConnectionState.DISCONNECTED, StatusReason.CLOSED, null, null);
    completeOpeners(new IllegalStateException("the client was closed"));
  }

  private void completeOpeners(@Nullable Throwable failure) {
    for (CompletableFuture<@Nullable Void> opener : openers) {
      if (failure == null) {
        callbacks.complete(opener);
      } else {
        callbacks.fail(opener, failure);
      }
    }
    openers.clear();
  }

  private void change(
      ConnectionState state,
      StatusReason reason,
      @Nullable TransportException cause,
      @Nullable Duration delay) {
    publish(new ConnectionStatus(state, reason, cause, reconnects.retries(), delay));
  }

  private void publish(ConnectionStatus next) {
    ConnectionStatus previous = status;
    if (next.equals(previous)) {
      return;
    }
    status = next;
    callbacks.status(next, previous);
  }

  /** Receives the events of one attempt, and of the connection that came of it. */
  private final class AttemptListener implements ConnectionListener {
    private final int number;

    AttemptListener(int number) {
      this.number = number;
    }

    private void post(Runnable event) {
      loop.post(
          () -> {
            if (number == attempt) {
              event.run();
            }
          });
    }

    @Override
    public void onReady() {
      post(Connector.this::ready);
    }

    @Override
    public void onLost(TransportException cause) {
      post(() -> lost(cause));
    }

    void onBroken(Throwable thrown) {
      post(() -> broken(thrown));
    }

    @Override
    public void onWritable() {
      // The turn's end does what there is to do.
      loop.post(() -> {});
    }

    @Override
    public void onRenewed() {
      post(credentials::schedule);
    }

    @Override
    public void onSubscribed(@Nullable TransportException refusal) {
      post(() -> commands.subscribed(refusal));
    }

    @Override
    public void onCommand(Command command, CommandReply reply) {
      commands.deliver(command, reply);
    }
  }
}
