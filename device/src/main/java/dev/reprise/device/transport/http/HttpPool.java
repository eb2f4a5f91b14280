package dev.reprise.device.transport.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to HTTP servers that all devices of the JVM share. A connection of HTTP/1.1 has
 * one request at a time; of HTTP/2 there is one to each origin, with a stream for each request.
 * Thread-safe.
 */
final class HttpPool {
  /** The time that a connection without a request stays open: less than servers and NATs allow. */
  static final Duration MAX_IDLE = Duration.ofSeconds(30);

  private static final HttpPool SHARED = new HttpPool();

  /** Takes a connection, or the reason why there is none. */
  interface Taker {
    /**
     * Takes a channel for one request, on the loop of the channel.
     *
     * @param channel reads and writes objects of HTTP; one of HTTP/2 is a stream
     * @param reused whether requests have been sent on it before: the server may be ending it
     */
    void connected(Channel channel, boolean reused);

    /** There is no connection. Called on any loop. */
    void failed(Throwable cause);
  }

  /** The connections to an origin. */
  private static final class Known {
    /** Open connections of HTTP/1.1 without a request, the one used last at the end. */
    final Deque<Channel> idle = new ArrayDeque<>();

    /** The connection of HTTP/2 that takes more streams. */
    @Nullable Channel http2;

    /** Those that wait for the first connection, which shows whether they can share it. */
    final List<Taker> waiting = new ArrayList<>();
  }

  private final Map<HttpOrigin, Known> known = new HashMap<>();

  /** Returns the pool of the JVM. */
  static HttpPool shared() {
    return SHARED;
  }

  /** Hands over a connection to the origin: an open one, or else a new one. */
  void acquire(HttpOrigin origin, Taker taker) {
    Channel idle;
    Channel http2;
    synchronized (this) {
      Known state = known.computeIfAbsent(origin, absent -> new Known());
      idle = state.idle.pollLast();
      http2 = state.http2;
      if (idle == null && http2 == null && origin.offersHttp2()) {
        state.waiting.add(taker);
        if (state.waiting.size() > 1) {
          return;
        }
      }
      dropUnused(origin, state);
    }
    if (idle != null) {
      reuse(origin, idle, taker);
    } else if (http2 != null) {
      openStream(origin, http2, taker);
    } else {
      dial(origin, taker);
    }
  }

  /**
   * Takes back a channel whose request is over, or was not sent; called on its loop.
   *
   * @param maxIdle how long it may stay open without a request; none if not above 0
   */
  void giveBack(HttpOrigin origin, Channel channel, Duration maxIdle) {
    if (channel instanceof Http2StreamChannel
        || maxIdle.isZero()
        || maxIdle.isNegative()
        || !channel.isActive()) {
      HttpDial.close(channel);
      return;
    }
    channel.pipeline().addLast(new Idle(origin, maxIdle));
    synchronized (this) {
      known.computeIfAbsent(origin, absent -> new Known()).idle.addLast(channel);
    }
  }

  /** Opens no more streams on a connection of HTTP/2; it ends after its last one. */
  void retire(HttpOrigin origin, Channel http2) {
    synchronized (this) {
      Known state = known.get(origin);
      if (state != null && state.http2 == http2) {
        state.http2 = null;
        dropUnused(origin, state);
      }
    }
  }

  private void dropUnused(HttpOrigin origin, Known state) {
    if (state.idle.isEmpty() && state.http2 == null && state.waiting.isEmpty()) {
      known.remove(origin);
    }
  }

  private void reuse(HttpOrigin origin, Channel channel, Taker taker) {
    channel
        .eventLoop()
        .execute(
            () -> {
              Idle idle = channel.pipeline().get(Idle.class);
              if (idle == null || !channel.isActive()) {
                // It has ended meanwhile.
                acquire(origin, taker);
                return;
              }
              channel.pipeline().remove(idle);
              taker.connected(channel, true);
            });
  }

  private void openStream(HttpOrigin origin, Channel http2, Taker taker) {
    http2
        .eventLoop()
        .execute(
            () -> {
              Http2FrameCodec codec = http2.pipeline().get(Http2FrameCodec.class);
              if (codec == null || !http2.isActive() || codec.connection().goAwayReceived()) {
                // It has ended meanwhile, or is about to.
                retire(origin, http2);
                acquire(origin, taker);
                return;
              }
              new Http2StreamChannelBootstrap(http2)
                  .option(ChannelOption.AUTO_CLOSE, false)
                  .handler(new Http2StreamFrameToHttpObjectCodec(false))
                  .open()
                  .addListener(
                      opened -> {
                        if (opened.isSuccess()) {
                          taker.connected((Http2StreamChannel) opened.getNow(), false);
                        } else {
                          taker.failed(opened.cause());
                        }
                      });
            });
  }

  private void dial(HttpOrigin origin, Taker taker) {
    new HttpDial(
            origin,
            new HttpDial.Listener() {
              @Override
              public void connected(Channel channel, boolean isHttp2) {
                serve(origin, taker, channel, isHttp2);
              }

              @Override
              public void failed(Throwable cause) {
                noLongerWaiting(origin, taker).forEach(other -> other.failed(cause));
                taker.failed(cause);
              }
            })
        .start();
  }

  private void serve(HttpOrigin origin, Taker taker, Channel channel, boolean isHttp2) {
    if (!isHttp2) {
      taker.connected(channel, false);
      noLongerWaiting(origin, taker).forEach(other -> dial(origin, other));
      return;
    }
    ChannelPipeline pipeline = channel.pipeline();
    // What belongs to a stream does not pass the handlers behind the codec.
    pipeline.addBefore(
        pipeline.context(Http2FrameCodec.class).name(),
        null,
        new IdleStateHandler(0, 0, MAX_IDLE.toMillis(), TimeUnit.MILLISECONDS));
    pipeline.addLast(new Http2Guard(origin));
    synchronized (this) {
      known.computeIfAbsent(origin, absent -> new Known()).http2 = channel;
    }
    openStream(origin, channel, taker);
    noLongerWaiting(origin, taker).forEach(other -> openStream(origin, channel, other));
  }

  /** Returns those who waited beside the one who has a connection, if that one has waited. */
  private synchronized List<Taker> noLongerWaiting(HttpOrigin origin, Taker taker) {
    Known state = known.get(origin);
    if (state == null || !state.waiting.remove(taker)) {
      return List.of();
    }
    List<Taker> others = List.copyOf(state.waiting);
    state.waiting.clear();
    dropUnused(origin, state);
    return others;
  }

  /** Ends an idle connection that the server ends, or says something on unasked. */
  private final class Idle extends ChannelInboundHandlerAdapter {
    private final HttpOrigin origin;
    private final Duration maxIdle;
    private @Nullable Future<?> end;

    Idle(HttpOrigin origin, Duration maxIdle) {
      this.origin = origin;
      this.maxIdle = maxIdle;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      end =
          context
              .executor()
              .schedule(() -> close(context.channel()), maxIdle.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
      Future<?> scheduled = end;
      if (scheduled != null) {
        scheduled.cancel(false);
      }
    }

    private void close(Channel channel) {
      synchronized (HttpPool.this) {
        Known state = known.get(origin);
        if (state != null && state.idle.remove(channel)) {
          dropUnused(origin, state);
        }
      }
      HttpDial.close(channel);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
      close(context.channel());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      close(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      close(context.channel());
    }
  }

  /** Watches a connection of HTTP/2 as a whole. */
  private final class Http2Guard extends ChannelInboundHandlerAdapter {
    private final HttpOrigin origin;

    Http2Guard(HttpOrigin origin) {
      this.origin = origin;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Http2GoAwayFrame) {
        retire(origin, context.channel());
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof ChannelOutputShutdownEvent) {
        retire(origin, context.channel());
        return;
      }
      Http2FrameCodec codec = context.pipeline().get(Http2FrameCodec.class);
      if (event instanceof IdleStateEvent && codec.connection().numActiveStreams() == 0) {
        retire(origin, context.channel());
        HttpDial.close(context.channel());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      retire(origin, context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      retire(origin, context.channel());
      HttpDial.close(context.channel());
    }
  }
}
