package dev.reprise.delivery.http;

import dev.reprise.delivery.address.VettedResolver.Resolution;
import dev.reprise.delivery.address.VettedResolver.Vetted;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpConnectParams;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * One connection by a {@link Route} in the making: the TLS of the subscriber, the proxy's address,
 * TCP, {@code CONNECT}, the handshake, HTTP. On the event loop of its lane only.
 */
final class Connecting {
  private static final String HTTP_HANDLER = "handler";

  private final Connector connector;
  private final Origin origin;
  private final @Nullable HttpProxy proxy;
  private final Route route;
  private final ContextInternal context;
  private final Executor lane;
  private final Promise<HttpClientConnection> made;

  /** The time at which the first hop must have been reached, of {@link System#nanoTime}. */
  private long reachNanos;

  private @Nullable SslContext tls;
  private @Nullable NetSocket socket;
  private @Nullable Runnable whenReached;

  Connecting(
      Connector connector, Origin origin, Route route, ContextInternal context, Executor lane) {
    this.connector = connector;
    this.origin = origin;
    this.route = route;
    this.proxy = route.proxy();
    this.context = context;
    this.lane = lane;
    this.made = context.promise();
  }

  /**
   * Begins; once.
   *
   * @param reached is called once there is a TCP connection, be it to the proxy
   */
  Future<HttpClientConnection> begin(Runnable reached) {
    whenReached = reached;
    if (origin.tls()) {
      Future<SslContext> prepared = connector.tls().of(route.tls());
      if (prepared.isComplete()) {
        step(() -> prepared(prepared));
      } else {
        prepared.onComplete(result -> lane.execute(() -> step(() -> prepared(result))));
      }
    } else {
      step(this::resolve);
    }
    return made.future();
  }

  /** Whether there is, or was, a TCP connection, be it to the proxy. */
  boolean isReached() {
    return socket != null;
  }

  /** A step that fails must leave neither waiters without an answer nor a socket behind. */
  private void step(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      made.tryFail(e);
      if (socket != null) {
        socket.close();
      }
    }
  }

  private void reached(NetSocket socket) {
    this.socket = socket;
    if (whenReached != null) {
      whenReached.run();
    }
  }

  private void prepared(AsyncResult<SslContext> result) {
    if (result.succeeded()) {
      tls = result.result();
      resolve();
    } else {
      made.tryFail(result.cause());
    }
  }

  private void resolve() {
    reachNanos = System.nanoTime() + connector.timeout().toNanos();
    if (proxy == null) {
      connect(origin.address(), origin.port());
      return;
    }
    connector
        .proxies()
        .resolve(proxy.url(), result -> lane.execute(() -> step(() -> resolved(proxy, result))));
  }

  private void resolved(HttpProxy proxy, Resolution resolution) {
    if (resolution instanceof Vetted addresses) {
      connectToProxy(proxy, addresses, addresses.preferred(), 1);
    } else {
      made.tryFail(TunnelException.ofProxy("the proxy " + proxy + ": " + resolution.describe()));
    }
  }

  private void connectToProxy(HttpProxy proxy, Vetted addresses, int place, int tries) {
    tcp(addresses.address(place), proxy.port())
        .onComplete(
            result -> {
              if (result.succeeded()) {
                step(() -> askForTunnel(proxy, result.result()));
                return;
              }
              int next = addresses.after(place);
              if (tries < addresses.size() && reachNanos - System.nanoTime() > 0) {
                step(() -> connectToProxy(proxy, addresses, next, tries + 1));
              } else {
                String detail = Faults.connecting(result.cause(), "the proxy " + proxy, "it");
                made.tryFail(TunnelException.ofProxy(detail));
              }
            });
  }

  private void connect(String address, int port) {
    tcp(address, port)
        .onComplete(
            result -> {
              if (result.succeeded()) {
                reached(result.result());
                step(() -> secure(result.result()));
              } else {
                made.tryFail(result.cause());
              }
            });
  }

  private Future<NetSocket> tcp(String address, int port) {
    long leftMillis = TimeUnit.NANOSECONDS.toMillis(reachNanos - System.nanoTime());
    Promise<NetSocket> connected = context.promise();
    connector
        .tcp()
        .connectInternal(
            new ConnectOptions()
                .setRemoteAddress(SocketAddress.inetSocketAddress(port, address))
                .setSsl(false)
                .setTimeout((int) Math.max(1, Math.min(leftMillis, Integer.MAX_VALUE))),
            connected,
            context);
    return connected.future();
  }

  private void askForTunnel(HttpProxy proxy, NetSocket socket) {
    reached(socket);
    ChannelHandlerContext http = ((NetSocketInternal) socket).channelHandlerContext();
    http.pipeline().addBefore(HTTP_HANDLER, null, new Tunnel(proxy, socket));
  }

  /** The tunnel is there, or none is needed. */
  private void secure(NetSocket socket) {
    SslContext tls = this.tls;
    if (tls == null) {
      speakHttp(socket);
      return;
    }
    ChannelHandlerContext http = ((NetSocketInternal) socket).channelHandlerContext();
    SslHandler handler = tls.newHandler(http.alloc(), origin.host(), origin.port());
    handler.setHandshakeTimeout(connector.timeout().toMillis(), TimeUnit.MILLISECONDS);
    http.pipeline().addBefore(HTTP_HANDLER, null, new Handshake(socket));
    http.pipeline().addFirst(handler);
  }

  private void speakHttp(NetSocket socket) {
    List<HttpVersion> versions =
        origin.tls()
            ? List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1)
            : List.of(HttpVersion.HTTP_1_1);
    connector
        .http()
        .wrap(
            context,
            new HttpConnectParams(versions, null, null, origin.tls()),
            HostAndPort.create(origin.host(), origin.port()),
            null,
            SocketAddress.inetSocketAddress(origin.port(), origin.address()),
            socket)
        .onComplete(
            result -> {
              if (result.failed()) {
                made.tryFail(result.cause());
              } else if (!made.tryComplete(new TunnelledConnection(result.result()))) {
                result.result().close();
              }
            });
  }

  /** The exchange with the proxy. */
  private final class Tunnel extends ChannelInboundHandlerAdapter {
    private final HttpProxy proxy;
    private final NetSocket socket;
    private final String target = origin.toString();
    private final ConnectAnswer answer = new ConnectAnswer();
    private @Nullable ScheduledFuture<?> timer;
    private boolean over;

    Tunnel(HttpProxy proxy, NetSocket socket) {
      this.proxy = proxy;
      this.socket = socket;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext channel) {
      long millis = connector.timeout().toMillis();
      timer =
          channel
              .executor()
              .schedule(() -> timedOut(channel, millis), millis, TimeUnit.MILLISECONDS);
      ChannelFuture unused =
          channel.writeAndFlush(Unpooled.wrappedBuffer(ConnectAnswer.request(proxy, target)));
      if (!channel.channel().isActive()) {
        closed(channel);
      }
    }

    /** A proxy is silent for as long as the endpoint is. */
    private void timedOut(ChannelHandlerContext channel, long millis) {
      String text =
          "no tunnel to " + target + " from the proxy " + proxy + " for " + millis + " ms";
      fail(channel, TunnelException.ofEndpoint(text));
    }

    private void closed(ChannelHandlerContext channel) {
      String text = "the proxy " + proxy + " closed the connection instead of answering CONNECT";
      fail(channel, TunnelException.ofProxy(text));
    }

    @Override
    public void channelRead(ChannelHandlerContext channel, Object message) {
      try {
        if (!over && message instanceof ByteBuf part && answer.read(part)) {
          answered(channel, part.isReadable());
        }
      } catch (IllegalArgumentException e) {
        String text = "the answer of the proxy " + proxy + " is not HTTP: " + e.getMessage();
        fail(channel, TunnelException.ofProxy(text));
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    private void answered(ChannelHandlerContext channel, boolean more) {
      if (!answer.isTunnel()) {
        fail(channel, answer.refusal(proxy, target));
      } else if (more) {
        // It must not be taken for the answer to a request that is yet to come.
        String text = target + " sent something before it was asked, through the proxy " + proxy;
        fail(channel, TunnelException.ofEndpoint(text));
      } else {
        end();
        channel.pipeline().remove(this);
        step(() -> secure(socket));
      }
    }

    private void fail(ChannelHandlerContext channel, TunnelException fault) {
      if (!over) {
        end();
        ChannelFuture unused = channel.close();
        made.tryFail(fault);
      }
    }

    private void end() {
      over = true;
      if (timer != null) {
        timer.cancel(false);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext channel) {
      closed(channel);
      channel.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext channel, Throwable fault) {
      String text = Faults.exchanging(fault, "the proxy " + proxy, null);
      fail(channel, TunnelException.ofProxy(text));
    }
  }

  /** Waits for the end of the TLS handshake. */
  private final class Handshake extends ChannelInboundHandlerAdapter {
    private final NetSocket socket;

    Handshake(NetSocket socket) {
      this.socket = socket;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext channel) {
      if (!channel.channel().isActive()) {
        // No handshake would begin, and none would end.
        fail(channel, new ClosedChannelException());
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext channel, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          channel.pipeline().remove(this);
          step(() -> speakHttp(socket));
        } else {
          fail(channel, handshake.cause());
        }
      }
      channel.fireUserEventTriggered(event);
    }

    private void fail(ChannelHandlerContext channel, Throwable cause) {
      SSLHandshakeException fault = new SSLHandshakeException("no TLS");
      fault.initCause(cause);
      made.tryFail(fault);
      ChannelFuture unused = channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext channel) {
      fail(channel, new ClosedChannelException());
      channel.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext channel, Throwable fault) {
      // The handshake's end says the same.
    }
  }
}
