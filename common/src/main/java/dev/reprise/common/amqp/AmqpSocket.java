package dev.reprise.common.amqp;

import dev.reprise.common.socket.Dial;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.EOFException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges bytes with a peer: looks up its name, connects, encrypts. All bytes written in one run
 * of the loop leave together. All but {@link #isWritable} belongs to the loop.
 */
public final class AmqpSocket {
  /** Receives the events of a socket, on its loop. No event comes after {@link #close}. */
  public interface Listener {
    /** Bytes can be written: the socket is connected, and encrypted if it is to be. */
    void connected();

    /** Reads bytes of the peer, which are valid during the call alone. */
    void received(ByteBuf bytes);

    /** More can be written again. */
    default void writable() {}

    /** Bytes of transfers were written to the socket. */
    default void moved() {}

    /**
     * The socket failed, or the peer ended it. To be followed by {@link #close}.
     *
     * @param cause an {@link EOFException} when the peer ended it
     */
    void failed(Throwable cause);
  }

  private static final long CLOSE_TIMEOUT_MILLIS = 500;
  private static final int BATCH_BYTES = 64 * 1024;
  private static final int MIN_BATCH_BYTES = 1024;
  private static final int FRAME_HEADER_BYTES = 8;

  private final EventLoop loop;
  private final Dial dial;
  private final String host;
  private final int port;
  private final @Nullable SslContext tls;
  private final Listener listener;
  private volatile @Nullable Channel channel;
  private volatile boolean closed;
  private @Nullable ByteBuf batch;
  private boolean batchHasTransfers;
  private final List<Runnable> afterBatch = new ArrayList<>();
  private boolean flushScheduled;

  /** The size that the last batch had: the next one is likely to need as much. */
  private int batchBytes = MIN_BATCH_BYTES;

  private int pieceBytes = Integer.MAX_VALUE;

  /**
   * Prepares a socket.
   *
   * @param lookups where the name of the peer is looked up: off the loop, since a name server that
   *     is silent blocks for long
   * @param tls how the connection is encrypted; null: it is not
   */
  public AmqpSocket(
      EventLoop loop,
      Executor lookups,
      String host,
      int port,
      @Nullable SslContext tls,
      Listener listener) {
    this.loop = loop;
    this.dial = new Dial(loop, lookups, host, port, new Pipeline(), this::fail);
    this.host = host;
    this.port = port;
    this.tls = tls;
    this.listener = listener;
  }

  /**
   * Makes {@link Listener#moved} follow the bytes to the peer closely; to be called before {@link
   * #connect}. Without it, batches leave whole, and the system holds as much as it likes.
   *
   * @param pieceBytes the largest piece that a batch is written in, 1 or more
   * @param systemBytes the size of the buffer of the system below, 1 or more: what it holds cannot
   *     be told from what the peer has
   */
  public void writeInPieces(int pieceBytes, int systemBytes) {
    this.pieceBytes = pieceBytes;
    dial.option(ChannelOption.SO_SNDBUF, systemBytes);
  }

  /** Begins to connect: to each address of the name in turn, until one answers. */
  public void connect() {
    dial.start();
  }

  /** Returns whether more can be written without piling up. Thread-safe. */
  public boolean isWritable() {
    Channel open = channel;
    return open != null && open.isWritable();
  }

  /** Writes a frame; one that cannot leave any more is dropped. */
  public void write(ProtonBuffer frame) {
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
    batchHasTransfers |= isTransfer(frame);
    frame.copyInto(frame.getReadOffset(), pending.nioBuffer(end, length), 0, length);
    pending.writerIndex(end + length);
    if (!flushScheduled) {
      flushScheduled = true;
      loop.execute(this::flush);
    }
  }

  /** Runs a task when all that was written before has left: when it was passed to the system. */
  public void afterWritten(Runnable task) {
    if (batch == null) {
      task.run();
    } else {
      afterBatch.add(task);
    }
  }

  /**
   * Returns whether a frame carries a message or a part of one (AMQP 1.0 part 2, section 2.7.5).
   */
  private static boolean isTransfer(ProtonBuffer frame) {
    int start = frame.getReadOffset();
    return frame.getReadableBytes() > FRAME_HEADER_BYTES + 2
        && frame.getByte(start + FRAME_HEADER_BYTES) == 0x00
        && frame.getByte(start + FRAME_HEADER_BYTES + 1) == 0x53
        && frame.getByte(start + FRAME_HEADER_BYTES + 2) == 0x14;
  }

  /** Ends the socket at once; only bytes written before are still sent, if that is quick. */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    dial.cancel();
    Channel open = channel;
    ByteBuf last = batch;
    batch = null;
    if (open == null) {
      return;
    }
    if (last == null || !open.isActive()) {
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
    boolean moves = batchHasTransfers;
    List<Runnable> after = afterBatch.isEmpty() ? List.of() : List.copyOf(afterBatch);
    batchHasTransfers = false;
    afterBatch.clear();
    while (pending.readableBytes() > pieceBytes) {
      write(open, pending.readRetainedSlice(pieceBytes), moves, List.of());
    }
    write(open, pending, moves, after);
  }

  private void write(Channel open, ByteBuf piece, boolean moves, List<Runnable> after) {
    open.write(piece)
        .addListener(
            written -> {
              if (!written.isSuccess()) {
                fail(written.cause());
              } else if (!closed) {
                if (moves) {
                  listener.moved();
                }
                after.forEach(Runnable::run);
              }
            });
  }

  private static void closeNow(Channel open) {
    ChannelFuture ignored = open.close();
  }

  private void fail(Throwable cause) {
    if (!closed) {
      listener.failed(cause);
    }
  }

  private final class Pipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel opened) {
      channel = opened;
      if (tls != null) {
        SslHandler handler = tls.newHandler(opened.alloc(), host, port);
        // The caller limits the time of the whole attempt.
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
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (context.channel().isWritable() && !closed) {
        listener.writable();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(new EOFException("the peer ended the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(cause);
    }
  }
}
