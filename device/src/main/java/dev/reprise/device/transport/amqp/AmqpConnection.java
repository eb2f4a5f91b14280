package dev.reprise.device.transport.amqp;

import dev.reprise.common.amqp.AmqpSocket;
import dev.reprise.common.amqp.GuardedEngine;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.NetworkErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.EventLoops;
import dev.reprise.device.transport.SendBuffer;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.ServerAddress;
import dev.reprise.device.transport.SharedTlsContexts;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.TransportConnection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.jspecify.annotations.Nullable;

/**
 * One AMQP connection, from the attempt to its end: the engine that speaks the protocol, the socket
 * below it, and the links of its one session. Everything happens on one event loop, and so is every
 * call of the listener; other threads only hand over.
 */
final class AmqpConnection implements TransportConnection, AmqpSocket.Listener {
  private final AmqpSettings settings;
  private final ConnectRequest request;
  private final ConnectionListener listener;
  private final EventLoop loop;
  private final ServerAddress server;
  private final String hostname;
  private final SaslLogin login;
  private final GuardedEngine engine;
  private final SendBuffer buffer = new SendBuffer();
  private volatile @Nullable AmqpSocket socket;
  private volatile @Nullable SendLink messages;
  private volatile boolean ready;
  private volatile boolean closed;
  private @Nullable CommandLink commands;
  private @Nullable CbsLink cbs;
  private @Nullable Links links;
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
    this.engine = new GuardedEngine(loop, this::onEngineFailed);
    String wanted = settings.virtualHost();
    this.hostname = wanted == null ? server.host() : wanted;
    this.login = new SaslLogin(settings, request.credential(), hostname);
  }

  void start() {
    TlsSettings encryption = settings.tls();
    if (encryption == null) {
      inLoop(() -> connect(null));
    } else {
      // Its files may have to be read.
      EventLoops.resolvers().execute(() -> prepare(encryption));
    }
  }

  private void prepare(TlsSettings encryption) {
    if (closed) {
      return;
    }
    try {
      SslContext tls = SharedTlsContexts.of(encryption.latest());
      inLoop(() -> connect(tls));
    } catch (SSLException | RuntimeException e) {
      inLoop(() -> lose(AmqpErrors.settings("tls: " + e.getMessage(), e)));
    }
  }

  @Override
  public int capacity() {
    SendLink link = messages;
    AmqpSocket below = socket;
    int free =
        ready && !closed && link != null && below != null && below.isWritable() ? link.free() : 0;
    return free > 0 && buffer.hasRoom() ? free : 0;
  }

  @Override
  public boolean hasMoved() {
    return buffer.hasMoved();
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
    inLoop(
        () -> {
          CbsLink link = cbs;
          if (link != null) {
            link.put(credential);
          }
        });
    return true;
  }

  @Override
  public void subscribe() {
    inLoop(
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

  private void connect(@Nullable SslContext tls) {
    if (closed) {
      return;
    }
    AmqpSocket below =
        new AmqpSocket(loop, EventLoops.resolvers(), server.host(), server.port(), tls, this);
    below.writeInPieces(SendBuffer.PIECE_BYTES, SendBuffer.SOCKET_BYTES);
    socket = below;
    below.connect();
  }

  @Override
  public void connected() {
    AmqpSocket below = socket;
    if (ended || below == null) {
      return;
    }
    engine.start(
        below::write,
        login,
        connection ->
            connection
                .setContainerId(settings.containerId())
                .setHostname(hostname)
                .setIdleTimeout(settings.idleTimeout().toMillis())
                .openHandler(this::onOpen)
                .closeHandler(
                    remote -> lose(AmqpErrors.ended("connection", remote.getRemoteCondition())))
                .open());
  }

  @Override
  public void received(ByteBuf bytes) {
    if (!ended) {
      engine.read(bytes);
    }
  }

  @Override
  public void moved() {
    buffer.moved();
  }

  private void left() {
    if (buffer.left()) {
      tell(listener::onWritable);
    }
  }

  private void afterWritten() {
    AmqpSocket below = socket;
    if (below != null) {
      below.afterWritten(this::left);
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
    engine.startTicking(settings.idleTimeout().toMillis(), connection.getRemoteIdleTimeout());
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
    messages =
        new SendLink(
            this::inLoop, made.toMessages(this::lose), this::onFree, buffer, this::afterWritten);
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
            this::inLoop,
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

  /** Does something that may call the engine, unless the connection has ended. */
  private void inLoop(Runnable task) {
    loop.execute(
        () -> {
          if (!ended) {
            engine.run(task);
          }
        });
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
    closed = true;
    try {
      end();
    } finally {
      if (!wanted) {
        listener.onLost(cause);
      }
    }
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    if (messages != null) {
      messages.end();
    }
    if (commands != null) {
      commands.end();
    }
    engine.end();
    AmqpSocket below = socket;
    if (below != null) {
      below.close();
    }
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
