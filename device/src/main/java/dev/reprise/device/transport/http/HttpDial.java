package dev.reprise.device.transport.http;

import dev.reprise.common.socket.Dial;
import dev.reprise.device.transport.EventLoops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes a connection to an origin: through its proxy, encrypted, and with HTTP/2 where the server
 * chooses that. All but {@link #start} happens on the loop of the connection.
 */
final class HttpDial extends ChannelInitializer<Channel> {
  /** The time that a connection may take to be made, or a request timeout if that is less. */
  static final Duration MAX_TIME = Duration.ofSeconds(15);

  /** The largest head of an answer that is read. */
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  /** Receives the outcome, once. */
  interface Listener {
    /** The connection can take requests. */
    void connected(Channel channel, boolean isHttp2);

    /** There is no connection. */
    void failed(Throwable cause);
  }

  private final HttpOrigin origin;
  private final Listener listener;
  private volatile @Nullable Future<?> limit;
  private @Nullable Channel channel;
  private boolean ended;

  HttpDial(HttpOrigin origin, Listener listener) {
    this.origin = origin;
    this.listener = listener;
  }

  void start() {
    EventLoop loop = EventLoops.shared().next();
    InetSocketAddress proxy = origin.proxy();
    Dial dial =
        new Dial(
                loop,
                EventLoops.resolvers(),
                proxy == null ? origin.bareHost() : proxy.getHostString(),
                proxy == null ? origin.port() : proxy.getPort(),
                this,
                this::fail)
            // What a server answers before it ends a connection can be read after a write failed.
            .option(ChannelOption.AUTO_CLOSE, false);
    // Before the start: whatever hangs or fails there, those who wait for it go on.
    limit = loop.schedule(() -> overdue(dial), MAX_TIME.toNanos(), TimeUnit.NANOSECONDS);
    dial.start();
  }

  private void overdue(Dial dial) {
    dial.cancel();
    fail(new SocketTimeoutException("connect timed out"));
    Channel tried = channel;
    if (tried != null) {
      close(tried);
    }
  }

  /** Returns a codec for HTTP/1.1. */
  static HttpClientCodec newCodec() {
    return new HttpClientCodec(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_HEAD_BYTES)
            .setMaxHeaderSize(MAX_HEAD_BYTES),
        false,
        false);
  }

  /** Ends a channel; nothing waits for that. */
  static void close(Channel channel) {
    ChannelFuture ignored = channel.close();
  }

  @Override
  protected void initChannel(Channel channel) {
    this.channel = channel;
    InetSocketAddress proxy = origin.proxy();
    if (origin.tls() != null && proxy != null) {
      channel
          .pipeline()
          .addLast(new ProxyTunnel(origin, proxy, () -> encrypt(channel), this::fail));
    } else {
      encrypt(channel);
    }
    channel.pipeline().addLast(new Opening());
  }

  private void encrypt(Channel channel) {
    SslContext tls = origin.tls();
    if (tls != null) {
      SslHandler handler = tls.newHandler(channel.alloc(), origin.bareHost(), origin.port());
      handler.setHandshakeTimeoutMillis(0);
      channel.pipeline().addFirst(handler);
    }
  }

  private void fail(Throwable cause) {
    if (!ended) {
      end();
      listener.failed(cause);
    }
  }

  private void end() {
    ended = true;
    Future<?> scheduled = limit;
    if (scheduled != null) {
      scheduled.cancel(false);
    }
  }

  private void open(ChannelHandlerContext context, boolean isHttp2) {
    if (ended) {
      close(context.channel());
      return;
    }
    end();
    ChannelPipeline pipeline = context.pipeline();
    if (isHttp2) {
      pipeline.addLast(
          Http2FrameCodecBuilder.forClient()
              .initialSettings(
                  Http2Settings.defaultSettings()
                      .pushEnabled(false)
                      .maxHeaderListSize(MAX_HEAD_BYTES))
              .build(),
          // The server opens no streams.
          new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
    } else {
      pipeline.addLast(newCodec());
    }
    pipeline.remove(context.handler());
    listener.connected(context.channel(), isHttp2);
  }

  /** Waits until the connection can take requests. */
  private final class Opening extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (origin.tls() == null) {
        open(context, false);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
        return;
      }
      if (!handshake.isSuccess()) {
        fail(handshake.cause());
        return;
      }
      SslHandler tls = context.pipeline().get(SslHandler.class);
      open(context, ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(new EOFException("the server ended the connection before it was ready"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(cause);
      close(context.channel());
    }
  }
}
