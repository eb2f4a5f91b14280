package dev.reprise.endpoints.amqp;

import dev.reprise.common.amqp.AmqpSocket;
import dev.reprise.common.amqp.GuardedEngine;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.carrier.SettingCodecs.Address;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.IdleTimeoutException;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from the first step to its end: the engine that speaks the protocol, the socket
 * below it, and a first session. It is ready once that session is answered: brokers open a
 * connection that they mean to refuse, and close it in the next frame. Belongs to the loop.
 */
final class BrokerConnection implements AmqpSocket.Listener {
  /** Receives the events of a connection, on its loop. No event comes after {@link #close}. */
  interface Listener {
    /** Messages can be sent. */
    void ready(BrokerConnection connection, Session first);

    /**
     * The connection could not be made, or has ended. Called once.
     *
     * @param reason one line for people
     * @param login whether it was the login that was refused
     */
    void lost(String reason, boolean login);
  }

  /** From the name of the broker to the answered session. */
  private static final long CONNECT_LIMIT_SECONDS = 30;

  private static final int MAX_TEXT_CHARS = 200;
  private static final int MAX_CAUSES = 20;

  private final EventLoop loop;
  private final Address address;
  private final AmqpCarrierSettings settings;
  private final String containerId;
  private final BrokerLogin login;
  private final GuardedEngine engine;
  private final AmqpSocket socket;
  private Listener listener;
  private @Nullable Connection connection;
  private @Nullable Future<?> limit;
  private boolean ready;
  private boolean ended;

  BrokerConnection(
      EventLoop loop,
      Address address,
      AmqpCarrierSettings settings,
      @Nullable SslContext tls,
      String containerId,
      Listener listener) {
    this.loop = loop;
    this.address = address;
    this.settings = settings;
    this.containerId = containerId;
    this.listener = listener;
    this.login = new BrokerLogin(settings);
    this.engine = new GuardedEngine(loop, this::engineFailed);
    this.socket =
        new AmqpSocket(loop, BrokerConnection::lookUp, address.host(), address.port(), tls, this);
  }

  /** Each name has a thread of its own: one that is waited for holds up no other. */
  private static void lookUp(Runnable lookup) {
    Thread thread = new Thread(lookup, Thread.currentThread().getName() + "-dns");
    thread.setDaemon(true);
    thread.start();
  }

  void start() {
    limit =
        loop.schedule(
            () -> lose("no answer within " + CONNECT_LIMIT_SECONDS + " s", false),
            CONNECT_LIMIT_SECONDS,
            TimeUnit.SECONDS);
    socket.connect();
  }

  /** Notifies another listener of its end from now on. */
  void listener(Listener next) {
    listener = next;
  }

  Address address() {
    return address;
  }

  /** Returns what was reached, for people. */
  String description() {
    Connection open = connection;
    String container = open == null ? null : open.getRemoteContainerId();
    return "connected to "
        + address
        + " by SASL "
        + login.mechanism()
        + (settings.username() == null ? "" : " as " + settings.username())
        + (container == null || container.isBlank()
            ? ""
            : ", container " + HarmlessText.oneLine(container, MAX_TEXT_CHARS));
  }

  /** Returns how many sessions there may be at the same time; at least 1. */
  int maxSessions() {
    return engine.channelMax() + 1;
  }

  /**
   * Makes a session, not open yet.
   *
   * @throws IllegalStateException when there may be no more
   */
  Session session() {
    Connection open = connection;
    if (open == null || ended) {
      throw new IllegalStateException("the connection is not open");
    }
    return open.session();
  }

  /** Does something that may call the engine, unless the connection has ended. */
  void run(Runnable task) {
    if (!ended) {
      engine.run(task);
    }
  }

  /** Ends the connection in an orderly way, without waiting for the broker. */
  void close() {
    if (ended) {
      return;
    }
    ended = true;
    Future<?> timer = limit;
    if (timer != null) {
      timer.cancel(false);
    }
    engine.end();
    socket.close();
  }

  @Override
  public void connected() {
    engine.start(
        socket::write,
        login,
        opening -> {
          connection = opening;
          opening
              .setContainerId(containerId)
              .setHostname(address.host())
              .setIdleTimeout(settings.idleTimeout().toMillis())
              .openHandler(this::opened)
              .closeHandler(remote -> lose(ended("connection", remote.getRemoteCondition()), false))
              .open();
        });
  }

  private void opened(Connection open) {
    if (ended || open.isRemotelyClosed()) {
      return;
    }
    engine.startTicking(settings.idleTimeout().toMillis(), open.getRemoteIdleTimeout());
    Session first = open.session();
    first
        .openHandler(this::begun)
        .closeHandler(remote -> lose(ended("session", remote.getRemoteCondition()), false))
        .open();
  }

  private void begun(Session first) {
    if (ended || ready || first.isRemotelyClosed()) {
      return;
    }
    ready = true;
    Future<?> timer = limit;
    if (timer != null) {
      timer.cancel(false);
    }
    listener.ready(this, first);
  }

  private static String ended(String what, @Nullable ErrorCondition condition) {
    return Conditions.line(what + " ended by the broker", condition);
  }

  @Override
  public void received(ByteBuf bytes) {
    if (!ended) {
      engine.read(bytes);
    }
  }

  @Override
  public void failed(Throwable cause) {
    String refusal = login.refusal();
    lose(refusal == null ? text(cause) : refusal, refusal != null);
  }

  private void engineFailed(Throwable cause) {
    String refusal = login.refusal();
    if (refusal != null) {
      lose(refusal, true);
    } else if (cause instanceof IdleTimeoutException) {
      lose(
          "nothing was heard from the broker for " + settings.idleTimeout().toMillis() + " ms",
          false);
    } else {
      lose("the broker's answer is not understood: " + text(cause), false);
    }
  }

  private void lose(String reason, boolean refusedLogin) {
    if (ended) {
      return;
    }
    close();
    listener.lost(reason, refusedLogin);
  }

  /** Returns the cause on one line. */
  static String text(Throwable cause) {
    Throwable telling = cause;
    Throwable at = cause;
    for (int i = 0; at != null && i < MAX_CAUSES; i++, at = at.getCause()) {
      if (at instanceof SSLException || at instanceof java.security.GeneralSecurityException) {
        telling = at;
      }
    }
    if (telling instanceof EOFException) {
      return "the broker ended the connection";
    }
    String message = HarmlessText.oneLine(String.valueOf(telling.getMessage()), MAX_TEXT_CHARS);
    if (telling instanceof UnknownHostException) {
      return "unknown host: " + message;
    }
    return telling.getMessage() != null && telling instanceof ConnectException
        ? message
        : telling.getClass().getSimpleName() + (telling.getMessage() == null ? "" : ": " + message);
  }
}
