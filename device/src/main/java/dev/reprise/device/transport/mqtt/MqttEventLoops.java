package dev.reprise.device.transport.mqtt;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The event loops of all MQTT connections of the JVM: as many daemon threads as there are
 * processors, started when needed.
 *
 * <p>They also tell the channel of an attempt to connect. The MQTT library does not expose it, and
 * has no way to end an attempt that hangs in the middle of TCP, TLS or MQTT, other than its
 * timeouts.
 */
final class MqttEventLoops extends MultiThreadIoEventLoopGroup {
  static final MqttEventLoops SHARED = new MqttEventLoops();

  /** The receiver of the channel that this thread opens. */
  private static final ThreadLocal<@Nullable Consumer<Channel>> OPENING = new ThreadLocal<>();

  private MqttEventLoops() {
    super(
        Runtime.getRuntime().availableProcessors(),
        new DefaultThreadFactory("reprise-mqtt", true),
        ioHandlers());
  }

  /** Picks as the library does: it makes channels for epoll whenever there is epoll. */
  private static IoHandlerFactory ioHandlers() {
    return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  /**
   * Runs what opens one channel, and tells the channel before it connects: a channel is registered
   * by the thread that opens it, and connected after that.
   */
  static void open(Runnable opening, Consumer<Channel> opened) {
    OPENING.set(opened);
    try {
      opening.run();
    } finally {
      OPENING.remove();
    }
  }

  @Override
  protected IoEventLoop newChild(
      Executor executor, IoHandlerFactory ioHandlerFactory, Object... args) {
    return new ChannelLoop(this, executor, ioHandlerFactory);
  }

  private static final class ChannelLoop extends SingleThreadIoEventLoop {
    ChannelLoop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory ioHandlerFactory) {
      super(parent, executor, ioHandlerFactory);
    }

    @Override
    public ChannelFuture register(Channel channel) {
      ChannelFuture registered = super.register(channel);
      Consumer<Channel> opened = OPENING.get();
      if (opened != null) {
        opened.accept(channel);
      }
      return registered;
    }
  }
}
