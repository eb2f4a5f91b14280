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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 *
 * <p>Without a request to answer, a connection is closed after the idle time, which has to be
 * longer than that of the load balancer in front: it would send a request into one that is just
 * being closed. The head of a request has a time of its own, from its first byte or from the
 * opening of the connection, and so have answers that the client does not read.
 */
public final class ClientConnections {
  /** The most connections by default. */
  static final int USUAL_MOST = 4096;

  /** Even with few descriptors there are so many connections. */
  static final int MIN_OPEN = 64;

  /** Left to others: 512 open tables of the store, its logs, event loops, and the JVM's files. */
  static final long RESERVED_DESCRIPTORS = 768;

  private static final AttributeKey<ClientConnection> KEY =
      AttributeKey.valueOf("reprise.connection");

  /** The most connections that the system hands over at once. */
  private static final int BATCH = 16;

  private final int most;
  private final long idleNanos;
  private final long headNanos;

  /** The number of connections from which on old ones are closed. */
  private final int fullEnough;

  /** The number of connections from which on none is accepted while old ones are being closed. */
  private final int tooFull;

  /** The number that is closed at once: a search for the oldest looks at all. */
  private final int atOnce;

  private final Set<Channel> pausedServers = ConcurrentHashMap.newKeySet();
  private final Set<ClientConnection> connections = ConcurrentHashMap.newKeySet();
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

  /**
   * At most so many connections, from 1.
   *
   * @param idle after how long one without a request is closed
   * @param head how long the head of a request may take
   */
  public ClientConnections(int most, Duration idle, Duration head) {
    this.most = most;
    this.idleNanos = idle.toNanos();
    this.headNanos = head.toNanos();
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
    ClientConnection connection = new ClientConnection(channel, nowNanos);
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
    record Candidate(ClientConnection connection, int harm, long sinceNanos) {}
    List<Candidate> candidates = new ArrayList<>();
    for (ClientConnection connection : connections) {
      int harm = connection.harm();
      if (!connection.closing && harm < 3) {
        candidates.add(new Candidate(connection, harm, connection.quietSinceNanos()));
      }
    }
    long now = System.nanoTime();
    candidates.sort(
        Comparator.comparingInt(Candidate::harm)
            .thenComparing(
                Comparator.comparingLong((Candidate c) -> now - c.sinceNanos).reversed()));
    for (Candidate candidate : candidates.subList(0, Math.min(atOnce, candidates.size()))) {
      ClientConnection connection = candidate.connection();
      connection.closing = true;
      closing.incrementAndGet();
      connection.channel().eventLoop().execute(() -> close(connection, candidate.harm()));
    }
  }

  /** On the connection's own event loop, where it may have got a request meanwhile. */
  private void close(ClientConnection connection, int harm) {
    if (connection.harm() > harm) {
      connection.closing = false;
    } else if (connection.channel().isOpen()) {
      closedForRoom.increment();
      // Past the handlers: a client that reads nothing would hold up a farewell of TLS.
      connection.channel().unsafe().close(connection.channel().newPromise());
    }
    closing.decrementAndGet();
    resumeIfRoom();
  }

  /** The state of a connection. */
  public ClientConnection of(HttpConnection connection) {
    return of(((HttpServerConnection) connection).channelHandlerContext().channel());
  }

  public ClientConnection of(Channel channel) {
    ClientConnection known = channel.attr(KEY).get();
    return known != null ? known : new ClientConnection(channel, System.nanoTime());
  }

  /** Watches a connection for heads of requests that arrive slowly, from its event loop. */
  public void watch(HttpConnection connection) {
    watch(((HttpServerConnection) connection).channelHandlerContext().channel());
  }

  /** Watches the connection of a channel whose pipeline has its decoder. */
  public void watch(Channel channel) {
    HeadWatch.begin(of(channel), channel.pipeline());
  }

  /** Closes those of this event loop whose time without a request to answer is up. */
  public void closeIdle(long nowNanos) {
    for (ClientConnection connection : connections) {
      Channel channel = connection.channel();
      if (connection.isOverdue(nowNanos, idleNanos, headNanos)
          && channel.isRegistered()
          && channel.eventLoop().inEventLoop()) {
        ChannelFuture unused = channel.close();
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
