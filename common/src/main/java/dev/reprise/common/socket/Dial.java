package dev.reprise.common.socket;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Connects to a host: looks its name up, then tries each address in turn, until one answers. The
 * handler of the channel sees the success; each address that is tried has a channel of its own.
 */
public final class Dial {
  // A dead address must leave time for the next one of the same name.
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

  private final EventLoop loop;
  private final Executor lookups;
  private final String host;
  private final int port;
  private final Bootstrap bootstrap;
  private final Consumer<Throwable> failed;
  private volatile boolean cancelled;

  /**
   * Prepares a connection; nothing is opened yet.
   *
   * @param loop serves the channel
   * @param lookups where the name is looked up: off the loop, since a name server that is silent
   *     blocks for long
   * @param handler the handler of each channel that is tried; sharable
   * @param failed receives why no address answered, on the loop; not called once cancelled
   */
  public Dial(
      EventLoop loop,
      Executor lookups,
      String host,
      int port,
      ChannelHandler handler,
      Consumer<Throwable> failed) {
    this.loop = loop;
    this.lookups = lookups;
    this.host = host;
    this.port = port;
    this.failed = failed;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .handler(handler);
  }

  /** Sets an option of each channel that is tried. */
  public <T> Dial option(ChannelOption<T> option, T value) {
    bootstrap.option(option, value);
    return this;
  }

  /** Begins to connect. */
  public void start() {
    lookups.execute(this::resolve);
  }

  /** Tries no more addresses. A channel that is being connected is left to its handler. */
  public void cancel() {
    cancelled = true;
  }

  private void resolve() {
    // The attempt may have waited long for its turn, and is not wanted any more.
    if (cancelled) {
      return;
    }
    Runnable next;
    try {
      InetAddress[] addresses = InetAddress.getAllByName(host);
      next = () -> connectTo(addresses, 0);
    } catch (UnknownHostException | RuntimeException e) {
      next = () -> fail(e);
    }
    try {
      loop.execute(next);
    } catch (RejectedExecutionException e) {
      // The loop was ended meanwhile: the address is not used.
      cancelled = true;
    }
  }

  private void connectTo(InetAddress[] addresses, int index) {
    if (cancelled) {
      return;
    }
    ChannelFuture connecting;
    try {
      connecting = bootstrap.connect(new InetSocketAddress(addresses[index], port));
    } catch (Throwable e) {
      // The loop would only log it.
      fail(e);
      return;
    }
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
    if (!cancelled) {
      failed.accept(cause);
    }
  }
}
