package dev.reprise.device.transport;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that the connections of all devices in the JVM share. All are daemons, are started
 * when first needed, and do not grow with the number of devices. Thread-safe.
 */
public final class EventLoops {
  private static final int RESOLVER_THREADS = 8;
  private static final long RESOLVER_IDLE_SECONDS = 10;

  private EventLoops() {}

  /** Returns the loops that connections are served by: one thread for each processor. */
  public static EventLoopGroup shared() {
    return Loops.GROUP;
  }

  /**
   * Returns where names of servers are looked up, which blocks: on a loop, a name server that does
   * not answer would hold up every other connection.
   */
  public static Executor resolvers() {
    return Resolvers.POOL;
  }

  private static final class Loops {
    static final EventLoopGroup GROUP =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(),
            new DefaultThreadFactory("reprise-device-io", true),
            NioIoHandler.newFactory());
  }

  private static final class Resolvers {
    static final Executor POOL = pool();

    private static Executor pool() {
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              RESOLVER_THREADS,
              RESOLVER_THREADS,
              RESOLVER_IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              new DefaultThreadFactory("reprise-device-dns", true));
      pool.allowCoreThreadTimeOut(true);
      return pool;
    }
  }
}
