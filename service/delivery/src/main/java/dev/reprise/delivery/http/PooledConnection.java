package dev.reprise.delivery.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.UnpooledHttpClientConnection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of {@link Connections}, and the watch over what comes in on it. Touched on the
 * event loop of its lane only.
 */
final class PooledConnection {
  /**
   * The most exchanges that share an HTTP/2 connection, whatever the endpoint allows: when the
   * connection breaks, they fail together.
   */
  private static final long MAX_STREAMS = 256;

  /**
   * The bytes that an endpoint may send without the head of a response among them: so much, and so
   * much more for each exchange under way. The body of a response is read up to 64 KB, and as much
   * again may be on its way. Frames other than DATA are not flow-controlled (RFC 9113, 5.2.1): a
   * flood of them gets here within a fraction of a second.
   */
  static final int MAX_SILENT_BYTES = 256 * 1024;

  private static final int MAX_SILENT_BYTES_EACH = 128 * 1024;

  /** The user of a connection. */
  interface User {
    /** The connection is being closed, for what it sent and not by its peer. */
    void flooded(long bytes);
  }

  private static final Logger LOG = LoggerFactory.getLogger(PooledConnection.class);

  private final HttpClientConnection http;
  private final Connections.Endpoint endpoint;
  private final LongSupplier nanoClock;
  private final boolean http2;
  private final Set<User> users = new LinkedHashSet<>();
  private @Nullable ChannelHandlerContext channel;
  private @Nullable Http1Stream http1;
  private @Nullable Http2Frames http2Frames;
  private @Nullable Long goAwayCode;
  private boolean retired;
  private boolean lost;
  private long heads;
  private long silentBytes;

  /** For {@link Connections}: whether it stands among those with room. */
  boolean listed;

  /** For {@link Connections}: since when it is unused, in nanoseconds. */
  long idleSinceNanos;

  /** The time that it may go unused, in nanoseconds. */
  long keepAliveNanos;

  /** When it takes no more exchanges, in nanoseconds. */
  private final long endNanos;

  private final int generation;

  PooledConnection(
      HttpClientConnection http,
      Connections.Endpoint endpoint,
      LongSupplier nanoClock,
      long keepAliveNanos,
      long ageNanos) {
    this.http = http;
    this.endpoint = endpoint;
    this.nanoClock = nanoClock;
    this.http2 = http.protocolVersion() == HttpVersion.HTTP_2;
    this.keepAliveNanos = keepAliveNanos;
    this.endNanos = nanoClock.getAsLong() + ageNanos;
    this.generation = endpoint.generation();
  }

  /**
   * Begins to watch.
   *
   * @param maxHeadBytes how long the head of a response may be
   * @return false if the connection is closed already
   */
  boolean watch(int maxHeadBytes) {
    ChannelPipeline pipeline =
        ((UnpooledHttpClientConnection) http).unwrap().channelHandlerContext().pipeline();
    ChannelHandlerContext tls = pipeline.context(SslHandler.class);
    Watch watch = new Watch();
    if (tls == null) {
      pipeline.addFirst(watch);
    } else {
      pipeline.addAfter(tls.name(), null, watch);
    }
    // Without a handler Vert.x logs every fault of every endpoint as an error of ours.
    http.exceptionHandler(fault -> LOG.debug("Connection to {}", http.remoteAddress(), fault));
    if (http2) {
      http2Frames = Http2Frames.of(pipeline.get(Http2ConnectionHandler.class), maxHeadBytes);
      http.goAwayHandler(
          goAway -> {
            goAwayCode = goAway.getErrorCode();
            retire();
          });
    } else {
      http1 = Http1Stream.of(this, pipeline.context(watch), maxHeadBytes);
    }
    return pipeline.channel().isActive();
  }

  /** Returns the stream of a new exchange. */
  RequestStream stream() {
    Http1Stream only = http1;
    return only == null ? new Http2Stream(http, Objects.requireNonNull(http2Frames)) : only;
  }

  Connections.Endpoint endpoint() {
    return endpoint;
  }

  boolean isHttp2() {
    return http2;
  }

  /** Returns the exchanges that there may be at once; the endpoint may change it at any time. */
  long streams() {
    return Math.min(MAX_STREAMS, http.maxActiveStreams());
  }

  boolean hasRoom() {
    return !isRetired() && users.size() < streams();
  }

  boolean isUnused() {
    return users.isEmpty();
  }

  boolean hasOneUser() {
    return users.size() == 1;
  }

  /** Whether it takes no more exchanges: it is too old, or was retired. */
  boolean isRetired() {
    if (!retired) {
      retired = nanoClock.getAsLong() - endNanos >= 0 || generation != endpoint.generation();
    }
    return retired;
  }

  /** Returns the heads of responses that have come. */
  long heads() {
    return heads;
  }

  /** The code of the GOAWAY that has come; null if none has. */
  @Nullable Long goAwayCode() {
    return goAwayCode;
  }

  /** Whether the endpoint has said with its GOAWAY that it processed some of the exchanges. */
  boolean isLeftAfterWork() {
    return http2Frames != null && http2Frames.isLeftAfterWork();
  }

  void add(User user) {
    users.add(user);
  }

  boolean remove(User user) {
    silentBytes = 0;
    return users.remove(user);
  }

  /** The head of a response has come. */
  void answered() {
    heads++;
    silentBytes = 0;
  }

  /** Takes no more exchanges, and is closed after the last of them. */
  void retire() {
    retireAfterUse();
    if (users.isEmpty()) {
      close();
    }
  }

  /** As {@link #retire}, by an exchange that is still using it. */
  void retireAfterUse() {
    retired = true;
  }

  /**
   * Closes at once. An HTTP/2 connection of Vert.x closes once its GOAWAY is written, which a peer
   * that does not read puts off for ever; so that is not waited for.
   */
  void close() {
    ChannelHandlerContext context = channel;
    if (context != null && !lost) {
      context.channel().config().setAutoRead(false);
      if (http2) {
        http.close();
      }
      ChannelFuture unused = context.close();
    }
    lost();
  }

  private void lost() {
    if (!lost) {
      lost = true;
      retired = true;
      endpoint.lost(this);
    }
  }

  private void read(int bytes) {
    silentBytes += bytes;
    long allowed = MAX_SILENT_BYTES + (long) MAX_SILENT_BYTES_EACH * users.size();
    if (silentBytes > allowed && !lost) {
      long sent = silentBytes;
      List<User> cut = new ArrayList<>(users);
      close();
      cut.forEach(user -> user.flooded(sent));
    }
  }

  /** Stands between TLS and HTTP. */
  private final class Watch extends ChannelInboundHandlerAdapter {
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      channel = context;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      int bytes = message instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
      // Counted afterwards: an answer in it counts for what came before it.
      context.fireChannelRead(message);
      read(bytes);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      lost();
      context.fireChannelInactive();
    }
  }
}
