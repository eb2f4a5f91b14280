package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.carrier.SettingCodecs.Address;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.EOFException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges bytes with the broker: looks up its name, connects, encrypts. All bytes written in one
 * run of the loop leave in one piece. Belongs to the loop.
 */
final class AmqpSocket {
  /** Receives the events of a socket, on its loop. No event comes after {@link #close}. */
  interface Listener {
    void connected();

    void received(ByteBuf bytes);

    /** The socket failed, or the other side ended it. */
    void failed(Throwable cause);
  }

  // A dead address must leave time for the next one of the same name.
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final long CLOSE_TIMEOUT_MILLIS = 500;
  private static final int BATCH_BYTES = 64 * 1024;
  private static final int MIN_BATCH_BYTES = 1024;

  private final EventLoop loop;
  private final Address address;
  private final @Nullable SslContext tls;
  private final Listener listener;
  private volatile boolean closed;
  private @Nullable Channel channel;
  private @Nullable ByteBuf batch;
  private boolean flushScheduled;

  /** The size that the last batch had: the next one is likely to need as much. */
  private int batchBytes = MIN_BATCH_BYTES;

  AmqpSocket(EventLoop loop, Address address, @Nullable SslContext tls, Listener listener) {
    this.loop = loop;
    this.address = address;
    this.tls = tls;
    this.listener = listener;
  }

  /** Looks the name up on a thread of its own: a name server that is silent blocks for long. */
  void connect() {
    Thread lookup = new Thread(this::resolve, Thread.currentThread().getName() + "-dns");
    lookup.setDaemon(true);
    lookup.start();
  }

  void write(ProtonBuffer frame) {
    Channel open = channel;
    if (closed || open == null) {
      return;
    }
    int length = frame.getReadableBytes();
    ByteBuf pending = batch;
    if (pending != null && pending.readableBytes() + length > BATCH_BYTES) {
      pass(open, pending);
      pending = null;
    }
    if (pending == null) {
      pending = open.alloc().ioBuffer(Math.max(length, batchBytes));
      batch = pending;
    }
    pending.ensureWritable(length);
    int end = pending.writerIndex();
    frame.copyInto(frame.getReadOffset(), pending.nioBuffer(end, length), 0, length);
    pending.writerIndex(end + length);
    if (!flushScheduled) {
      flushScheduled = true;
      loop.execute(this::flush);
    }
  }

  /** Ends the socket at once; only bytes written before are still sent, if that is quick. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    Channel open = channel;
    ByteBuf last = batch;
    batch = null;
    if (open == null || last == null || !open.isActive()) {
      ReferenceCountUtil.release(last);
      closeNow(open);
      return;
    }
    ChannelFuture sent = open.writeAndFlush(last);
    var timeout = loop.schedule(() -> closeNow(open), CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    sent.addListener(
        done -> {
          timeout.cancel(false);
          closeNow(open);
        });
  }

  private void flush() {
    flushScheduled = false;
    Channel open = channel;
    ByteBuf pending = batch;
    if (open == null || pending == null) {
      return;
    }
    batch = null;
    batchBytes = Math.max(MIN_BATCH_BYTES, Math.min(BATCH_BYTES, pending.readableBytes()));
    pass(open, pending);
    open.flush();
  }

  private void pass(Channel open, ByteBuf pending) {
    open.write(pending)
        .addListener(
            written -> {
              if (!written.isSuccess()) {
                fail(written.cause());
              }
            });
  }

  private static void closeNow(@Nullable Channel open) {
    if (open != null) {
      ChannelFuture ignored = open.close();
    }
  }

  private void resolve() {
    InetAddress[] found = {};
    Throwable failure = null;
    try {
      found = InetAddress.getAllByName(address.host());
    } catch (UnknownHostException | RuntimeException e) {
      failure = e;
    }
    InetAddress[] addresses = found;
    Throwable cause = failure;
    try {
      loop.execute(
          () -> {
            if (cause == null) {
              connectToFirst(addresses);
            } else {
              fail(cause);
            }
          });
    } catch (RejectedExecutionException e) {
      // The carrier was closed meanwhile: the address is not used.
      closed = true;
    }
  }

  private void connectToFirst(InetAddress[] addresses) {
    try {
      connectTo(addresses, 0);
    } catch (Throwable e) {
      // The loop would only log it.
      fail(e);
    }
  }

  private void connectTo(InetAddress[] addresses, int index) {
    if (closed) {
      return;
    }
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .handler(new Pipeline())
            .connect(new InetSocketAddress(addresses[index], address.port()));
    channel = connecting.channel();
    connecting.addListener(
        done -> {
          if (done.isSuccess()) {
            return;
          }
          if (index + 1 < addresses.length) {
            connectTo(addresses, index + 1);
          } else {
            fail(done.cause());
          }
        });
  }

  private void fail(Throwable cause) {
    if (!closed) {
      listener.failed(cause);
    }
  }

  private final class Pipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel opened) {
      if (tls != null) {
        SslHandler handler = tls.newHandler(opened.alloc(), address.host(), address.port());
        // The time of the whole connect is limited elsewhere.
        handler.setHandshakeTimeoutMillis(0);
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_TIMEOUT_MILLIS);
        opened.pipeline().addLast(handler);
      }
      opened.pipeline().addLast(new Inbound());
    }
  }

  private final class Inbound extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (tls == null && !closed) {
        listener.connected();
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake && !closed) {
        if (handshake.isSuccess()) {
          listener.connected();
        } else {
          fail(handshake.cause());
        }
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        if (!closed) {
          listener.received((ByteBuf) message);
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(new EOFException("the broker ended the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(cause);
    }
  }
}
