package dev.reprise.device.transport.amqp;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.NetworkErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.ServerAddress;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.TransportConnection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineFactory;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.jspecify.annotations.Nullable;

/**
 * One AMQP connection, from the attempt to its end: the engine that speaks the protocol, the wire
 * below it, and the links of its one session. Everything happens on one event loop, and so is every
 * call of the listener; other threads only hand over.
 */
final class AmqpConnection implements TransportConnection, Wire.Listener {
  // The engine sends a heartbeat when half of the peer's time is over, as it notices at a tick: so
  // three quarters of that time are the longest silence, and five quarters of ours are waited for.
  private static final int TICKS_PER_TIMEOUT = 4;

  private final AmqpSettings settings;
  private final ConnectRequest request;
  private final ConnectionListener listener;
  private final EventLoop loop;
  private final ServerAddress server;
  private final SaslLogin login;
  private final Engine engine = EngineFactory.PROTON.createEngine();
  private volatile @Nullable Wire wire;
  private volatile @Nullable SendLink messages;
  private volatile boolean ready;
  private volatile boolean closed;
  private @Nullable CommandLink commands;
  private @Nullable CbsLink cbs;
  private @Nullable Links links;
  private @Nullable Future<?> ticks;
  private boolean subscribing;
  private boolean ended;

  AmqpConnection(
      AmqpSettings settings, ConnectRequest request, ConnectionListener listener, EventLoop loop) {
    this.settings = settings;
    this.request = request;
    this.listener = listener;
    this.loop = loop;
    this.server =
        new ServerAddress(settings.host(), settings.port()).redirectedTo(request.server());
    this.login = new SaslLogin(settings, request.credential(), server.host());
  }

  void start() {
    loop.execute(this::connect);
  }

  @Override
  public int capacity() {
    SendLink link = messages;
    Wire below = wire;
    return ready && !closed && link != null && below != null && below.isWritable()
        ? link.free()
        : 0;
  }

  @Override
  public void send(Message message, int attempt, SendCallback callback) {
    SendLink link = messages;
    if (link != null && !closed) {
      link.hand(message, callback);
    }
  }

  @Override
  public @Nullable TransportException whyNotReady() {
    SendLink link = messages;
    return link != null && !ready && link.isGranted() && link.free() == 0
        ? AmqpErrors.noCredit()
        : null;
  }

  @Override
  public boolean renew(Credential credential) {
    if (settings.cbs() == null) {
      return false;
    }
    loop.execute(
        () -> {
          CbsLink link = cbs;
          if (link != null && !ended) {
            link.put(credential);
          }
        });
    return true;
  }

  @Override
  public void subscribe() {
    loop.execute(
        () -> {
          if (ready && !subscribing && commands == null) {
            askForCommands();
          }
        });
  }

  @Override
  public Executor executor() {
    return loop;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      loop.execute(this::end);
    }
  }

  private void connect() {
    if (closed) {
      return;
    }
    SslContext tls;
    try {
      TlsSettings encryption = settings.tls();
      tls = encryption == null ? null : TlsContexts.of(encryption);
    } catch (SSLException e) {
      lose(AmqpErrors.settings("tls: " + e.getMessage(), e));
      return;
    }
    Wire below = new Wire(loop, server.host(), server.port(), tls, this);
    wire = below;
    below.connect();
  }

  @Override
  public void connected() {
    Wire below = wire;
    if (ended || below == null) {
      return;
    }
    engine.outputConsumer(below::write);
    engine.errorHandler(failed -> onEngineFailed(failed.failureCause()));
    engine.saslDriver().client().setListener(login);
    try {
      Connection connection = engine.start();
      connection
          .setContainerId(settings.containerId())
          .setHostname(server.host())
          .setIdleTimeout(settings.idleTimeout().toMillis())
          .openHandler(this::onOpen)
          .closeHandler(remote -> lose(AmqpErrors.ended("connection", remote.getRemoteCondition())))
          .open();
    } catch (EngineStateException e) {
      onEngineFailed(e);
    }
  }

  @Override
  public void received(ByteBuf bytes) {
    if (ended) {
      return;
    }
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.readBytes(copy);
    try {
      // The engine keeps what it has not decoded yet for as long as it likes: not a pooled buffer.
      engine.ingest(ProtonBufferAllocator.defaultAllocator().copy(copy));
    } catch (EngineStateException e) {
      onEngineFailed(e);
    }
  }

  @Override
  public void writable() {
    if (capacity() > 0) {
      listener.onWritable();
    }
  }

  @Override
  public void failed(Throwable cause) {
    TransportException refusal = login.failure();
    lose(refusal == null ? NetworkErrors.of(cause) : refusal);
  }

  private void onEngineFailed(Throwable cause) {
    TransportException refusal = login.failure();
    lose(refusal == null ? AmqpErrors.engineFailed(cause) : refusal);
  }

  private void onOpen(Connection connection) {
    if (ended || connection.isRemotelyClosed()) {
      return;
    }
    startTicking(connection);
    Session session = connection.session();
    session
        .closeHandler(remote -> lose(AmqpErrors.ended("session", remote.getRemoteCondition())))
        .open();
    Links made = new Links(session, settings);
    links = made;
    CbsSettings claims = settings.cbs();
    if (claims == null) {
      attach();
    } else {
      attachCbs(made, claims);
    }
  }

  private void attachCbs(Links made, CbsSettings claims) {
    String replyTo = made.newName("cbs");
    CbsLink link =
        new CbsLink(
            claims,
            made.toCbs(replyTo, this::lose),
            made.fromCbs(replyTo, this::lose),
            replyTo,
            new TokenListener());
    cbs = link;
    link.put(request.credential());
  }

  private void attach() {
    Links made = links;
    if (made == null) {
      return;
    }
    messages = new SendLink(loop, made.toMessages(this::lose), this::onFree);
    if (request.receivesCommands()) {
      askForCommands();
    }
  }

  private void askForCommands() {
    Links made = links;
    if (ended || made == null) {
      return;
    }
    String address = settings.commandAddress();
    if (address == null) {
      tell(() -> listener.onSubscribed(noCommandAddress()));
      return;
    }
    subscribing = true;
    Receiver receiver = made.fromCommands(address, this::onCommandsEnded);
    receiver.openHandler(link -> onCommandsAttached());
    commands =
        new CommandLink(
            loop,
            receiver,
            address,
            (command, reply) -> tell(() -> listener.onCommand(command, reply)));
  }

  private void onCommandsEnded(TransportException cause) {
    if (!subscribing) {
      lose(cause);
      return;
    }
    CommandLink refused = commands;
    commands = null;
    if (refused != null) {
      refused.close();
    }
    onCommandsAnswered(cause);
  }

  private void onCommandsAttached() {
    CommandLink link = commands;
    if (link != null && link.isGranted()) {
      onCommandsAnswered(null);
    }
  }

  private void onCommandsAnswered(@Nullable TransportException refusal) {
    subscribing = false;
    tell(() -> listener.onSubscribed(refusal));
    checkReady();
  }

  private void onFree() {
    if (ready) {
      tell(listener::onWritable);
    } else {
      checkReady();
    }
  }

  private void checkReady() {
    SendLink link = messages;
    if (ready || ended || subscribing || link == null || link.free() == 0) {
      return;
    }
    ready = true;
    tell(listener::onReady);
  }

  private void startTicking(Connection connection) {
    long timeoutMillis = settings.idleTimeout().toMillis();
    if (connection.getRemoteIdleTimeout() > 0) {
      timeoutMillis = Math.min(timeoutMillis, connection.getRemoteIdleTimeout());
    }
    long periodMillis = Math.max(1, timeoutMillis / TICKS_PER_TIMEOUT);
    ticks = loop.scheduleWithFixedDelay(this::tick, 0, periodMillis, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    if (ended) {
      return;
    }
    try {
      engine.tick(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    } catch (EngineStateException e) {
      onEngineFailed(e);
    }
  }

  private static TransportException noCommandAddress() {
    return AmqpErrors.settings("commandAddress is null: must be set to receive commands", null);
  }

  private void tell(Runnable event) {
    if (!closed && !ended) {
      event.run();
    }
  }

  private void lose(TransportException cause) {
    if (ended) {
      return;
    }
    boolean wanted = closed;
    end();
    if (!wanted) {
      closed = true;
      listener.onLost(cause);
    }
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    Future<?> timer = ticks;
    if (timer != null) {
      timer.cancel(false);
    }
    if (messages != null) {
      messages.end();
    }
    if (commands != null) {
      commands.end();
    }
    try {
      if (engine.isRunning()) {
        engine.connection().close();
      }
    } catch (EngineStateException e) {
      // It had failed already, and has nobody to say goodbye to.
    }
    Wire below = wire;
    if (below != null) {
      below.close();
    }
    engine.shutdown();
  }

  private final class TokenListener implements CbsLink.Listener {
    @Override
    public void accepted() {
      if (messages == null) {
        attach();
      } else {
        tell(listener::onRenewed);
      }
    }

    @Override
    public void refused(TransportException cause) {
      lose(cause);
    }
  }
}
