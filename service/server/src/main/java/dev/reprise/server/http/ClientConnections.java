package dev.reprise.server.http;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ServerChannel;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.transport.Transport;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of the API, over all its listeners, and their bound: each takes a file
 * descriptor, and without one the store can open no file. Counted from the moment when the system
 * hands a connection over, so one that never finishes its TLS handshake counts as well.
 *
 * <p>Near the bound the connections that have been idle for longest are closed: first those that
 * have never sent an API key, at last those that have, and never one that is being answered for a
 * key. So a client that opens many connections displaces its own old ones. A connection that comes
 * while nothing can be closed is closed itself. Safe for many threads.
 */
public final class ClientConnections {
  /** The most connections by default. */
  static final int USUAL_MOST = 4096;

  /** Even with few descriptors there are so many connections. */
  static final int MIN_OPEN = 64;

  /** Left to others: 512 open tables of the store, its logs, event loops, and the JVM's files. */
  static final long RESERVED_DESCRIPTORS = 768;

  private static final AttributeKey<Connection> KEY = AttributeKey.valueOf("reprise.connection");

  /** The most connections that the system hands over at once. */
  private static final int BATCH = 16;

  private final int most;

  /** The number of connections from which on old ones are closed. */
  private final int fullEnough;

  /** The number of connections from which on none is accepted while old ones are being closed. */
  private final int tooFull;

  /** The number that is closed at once: a search for the oldest looks at all. */
  private final int atOnce;

  private final Set<Channel> pausedServers = ConcurrentHashMap.newKeySet();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger open = new AtomicInteger();

  /** The number of event loops that have yet to close one. */
  private final AtomicInteger closing = new AtomicInteger();

  private final LongAdder closedForRoom = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /** Whether clients are asked to close, so that none sends on one that is being closed here. */
  private volatile boolean ending;

  /** Whether connections that come in are closed at once. */
  private volatile boolean shut;

  /** From here on each answer is the last of its connection. */
  public void announceEnd() {
    ending = true;
  }

  /**
   * From here on connections that still come in are closed at once: the listeners that serve them
   * are about to end, and each would fail with a stack trace in the log.
   */
  public void shut() {
    shut = true;
  }

  /** Returns whether each answer is the last of its connection. */
  public boolean areEnding() {
    return ending;
  }

  /** A connection, written by its own event loop and read by the thread that accepts. */
  public static final class Connection {
    private final Channel channel;
    private volatile long sinceNanos;
    private volatile int underWay;
    private volatile boolean keyed;
    private volatile boolean closing;

    private Connection(Channel channel, long nowNanos) {
      this.channel = channel;
      this.sinceNanos = nowNanos;
    }

    /** A request has begun. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Written by one thread.
    public void began() {
      underWay++;
    }

    /** A request came with a key that is known. */
    public void keyed() {
      if (!keyed) {
        keyed = true;
      }
    }

    /** The answer to a request was handed over for writing. */
    public void answered(long nowNanos) {
      underWay = Math.max(0, underWay - 1);
      sinceNanos = nowNanos;
    }

    /** An answer was written as a whole: the client reads. */
    public void written(long nowNanos) {
      sinceNanos = nowNanos;
    }

    /** Returns the harm that closing it would do; 3 is too much. */
    private int harm() {
      return (keyed ? 2 : 0) + (underWay > 0 ? 1 : 0);
    }
  }

  /** At most so many connections, from 1. */
  public ClientConnections(int most) {
    this.most = most;
    this.atOnce = Math.max(1, most / 32);
    this.fullEnough = most - Math.max(atOnce, Math.min(2 * BATCH, most / 2));
    this.tooFull = most - Math.min(BATCH, most / 4);
  }

  /**
   * Returns how many connections there may be: a quarter of the descriptors, and half of those that
   * the store and the JVM leave, but {@value #USUAL_MOST} at the most.
   *
   * @param wanted what the operator wants; 0 to leave it to this
   * @param descriptors the limit of open files of this process
   * @throws IllegalArgumentException if that is more than the limit allows
   */
  public static int most(int wanted, long descriptors) {
    long left = descriptors - RESERVED_DESCRIPTORS;
    if (wanted == 0) {
      return (int) Math.max(MIN_OPEN, Math.min(USUAL_MOST, Math.min(descriptors / 4, left / 2)));
    }
    long highest = Math.max(MIN_OPEN, left);
    if (wanted > highest) {
      throw new IllegalArgumentException(
          "max-connections is "
              + wanted
              + ": must be at most "
              + highest
              + ", which is what the limit of "
              + descriptors
              + " open files (ulimit -n) leaves");
    }
    return wanted;
  }

  /** The limit of open files of this process; a large number where there is none. */
  public static long descriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Integer.MAX_VALUE;
  }

  /** The network of a Vert.x whose servers' connections are these. */
  public Transport transport() {
    NioTransport bounded =
        new NioTransport() {
          @Override
          public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domain) {
            ChannelFactory<? extends ServerChannel> factory = super.serverChannelFactory(domain);
            return () -> {
              ServerChannel server = factory.newChannel();
              server.pipeline().addLast(new Gate());
              return server;
            };
          }
        };
    return new Transport() {
      @Override
      public String name() {
        return Transport.NIO.name();
      }

      @Override
      public boolean available() {
        return true;
      }

      @Override
      public @Nullable Throwable unavailabilityCause() {
        return null;
      }

      @Override
      public io.vertx.core.spi.transport.Transport implementation() {
        return bounded;
      }
    };
  }

  /** Stands before whatever makes a connection of what was accepted. */
  private final class Gate extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel channel = (Channel) accepted;
      if (admit(channel, System.nanoTime())) {
        context.fireChannelRead(accepted);
      } else {
        channel.unsafe().closeForcibly();
      }
      if (mustWait()) {
        // Newcomers wait in the system's line, and are not turned away, until there is room.
        // In this order, so that a thread that makes room later finds the listeners to resume.
        context.channel().config().setAutoRead(false);
        pausedServers.add(context.channel());
        resumeIfRoom();
      }
    }
  }

  /** Counts a connection; false, and not counted, if there is no room for it, or none any more. */
  public boolean admit(Channel channel, long nowNanos) {
    if (shut) {
      return false;
    }
    int now = open.incrementAndGet();
    if (now - closing.get() > fullEnough) {
      makeRoom();
    }
    if (now > most) {
      open.decrementAndGet();
      refused.increment();
      return false;
    }
    Connection connection = new Connection(channel, nowNanos);
    channel.attr(KEY).set(connection);
    connections.add(connection);
    channel
        .closeFuture()
        .addListener(
            ignored -> {
              connections.remove(connection);
              open.decrementAndGet();
              resumeIfRoom();
            });
    return true;
  }

  private boolean mustWait() {
    return open.get() >= tooFull && closing.get() > 0;
  }

  private void resumeIfRoom() {
    if (pausedServers.isEmpty() || mustWait()) {
      return;
    }
    List<Channel> servers = List.copyOf(pausedServers);
    servers.forEach(pausedServers::remove);
    servers.forEach(server -> server.config().setAutoRead(true));
  }

  private void makeRoom() {
    record Candidate(Connection connection, int harm, long sinceNanos) {}
    List<Candidate> candidates = new ArrayList<>();
    for (Connection connection : connections) {
      int harm = connection.harm();
      if (!connection.closing && harm < 3) {
        candidates.add(new Candidate(connection, harm, connection.sinceNanos));
      }
    }
    long now = System.nanoTime();
    candidates.sort(
        Comparator.comparingInt(Candidate::harm)
            .thenComparing(
                Comparator.comparingLong((Candidate c) -> now - c.sinceNanos).reversed()));
    for (Candidate candidate : candidates.subList(0, Math.min(atOnce, candidates.size()))) {
      Connection connection = candidate.connection();
      connection.closing = true;
      closing.incrementAndGet();
      connection.channel.eventLoop().execute(() -> close(connection, candidate.harm()));
    }
  }

  /** On the connection's own event loop, where it may have got a request meanwhile. */
  private void close(Connection connection, int harm) {
    if (connection.harm() > harm) {
      connection.closing = false;
    } else if (connection.channel.isOpen()) {
      closedForRoom.increment();
      // Past the handlers: a client that reads nothing would hold up a farewell of TLS.
      connection.channel.unsafe().close(connection.channel.newPromise());
    }
    closing.decrementAndGet();
    resumeIfRoom();
  }

  /** The state of a connection. */
  public Connection of(HttpConnection connection) {
    return of(((HttpServerConnection) connection).channelHandlerContext().channel());
  }

  public Connection of(Channel channel) {
    Connection known = channel.attr(KEY).get();
    return known != null ? known : new Connection(channel, System.nanoTime());
  }

  /** Closes those of this event loop on which nothing has happened for so long. */
  public void closeIdle(long nowNanos, int maxIdleSeconds) {
    long maxIdleNanos = TimeUnit.SECONDS.toNanos(maxIdleSeconds);
    for (Connection connection : connections) {
      if (connection.underWay == 0
          && nowNanos - connection.sinceNanos >= maxIdleNanos
          && connection.channel.isRegistered()
          && connection.channel.eventLoop().inEventLoop()) {
        ChannelFuture unused = connection.channel.close();
      }
    }
  }

  /** Returns how many are open. */
  public int open() {
    return open.get();
  }

  /** Returns how many there may be. */
  public int most() {
    return most;
  }

  /** Returns how many were closed to make room for others. */
  public long closedForRoom() {
    return closedForRoom.sum();
  }

  /** Returns how many were closed as they came because there was no room. */
  public long refused() {
    return refused.sum();
  }
}
