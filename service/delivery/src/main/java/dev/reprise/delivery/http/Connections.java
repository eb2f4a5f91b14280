package dev.reprise.delivery.http;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one lane. Touched on its event loop only.
 *
 * <p>A waiter gets a connection with room, or one is made for it. Until it is known whether an
 * endpoint speaks HTTP/2, at most {@value #HANDSHAKES_WHILE_UNKNOWN} connections to it are made at
 * once, and the other waiters share in what comes of them; later, as many are made as the waiters
 * need, at the number of streams that the endpoint allows on each. Two bounds apply: so many
 * connections to one endpoint, and so many of all lanes together, where an unused one gives way. A
 * waiter that such a bound holds up is notified of that, since that is no fault of the endpoint.
 *
 * <p>It is not the pool of Vert.x because that one does not distinguish waiting from connecting,
 * lets the waiters of an HTTP/1.1 endpoint wait for the first four connections to become free, and
 * keeps an HTTP/2 connection whose peer goes on sending.
 */
final class Connections {
  /**
   * A burst to a new endpoint costs as many handshakes, most of them for nothing if it is HTTP/2.
   */
  static final int HANDSHAKES_WHILE_UNKNOWN = 4;

  /**
   * The most connections to an endpoint that may be neither made nor closed: with TLS done, and no
   * HTTP/2 settings coming, Vert.x waits for ever.
   */
  private static final int MAX_OVERDUE = 16;

  private static final long UNKNOWN_STREAMS = Integer.MAX_VALUE;

  /** Waits for a connection. Each call is on the event loop of the lane. */
  interface Waiter extends PooledConnection.User {
    /** No connection may be made at present: a bound of this process. */
    void held();

    /** A connection is being made. */
    void connecting();

    /** Uses this one, until {@link Connections#release}. */
    void connected(PooledConnection connection);

    /** None could be made. */
    void failed(Throwable fault);
  }

  private final Executor lane;
  private final HttpClientAgent client;
  private final BiFunction<Origin, Route, Connecting> connector;
  private final ConnectionBudget budget;
  private final LongSupplier nanoClock;
  private final int maxPerEndpoint;
  private final long keepAliveNanos;
  private final long ageNanos;
  private final int maxHeadBytes;
  private final long handshakeNanos;
  private final Map<Origin, Endpoint> endpoints = new HashMap<>();

  /** Unused connections, the longest unused first. */
  private final Set<PooledConnection> idle = new LinkedHashSet<>();

  /** Those that are being made, the oldest first. */
  private final Set<Handshake> handshakes = new LinkedHashSet<>();

  /** Those whose waiters are held up by the budget, in the order in which they came to it. */
  private final Set<Endpoint> starved = new LinkedHashSet<>();

  private boolean awaitsBudget;

  /**
   * Connections for one event loop.
   *
   * @param lane runs work on the event loop, soon; for calls from any thread
   * @param client makes connections by the plain route
   * @param connector makes the others
   * @param nanoClock the monotonic clock
   */
  Connections(
      Executor lane,
      HttpClientAgent client,
      BiFunction<Origin, Route, Connecting> connector,
      ConnectionBudget budget,
      HttpSenderSettings settings,
      LongSupplier nanoClock) {
    this.lane = lane;
    this.client = client;
    this.connector = connector;
    this.budget = budget;
    this.nanoClock = nanoClock;
    this.maxPerEndpoint = settings.connectionsPerEndpoint();
    this.keepAliveNanos = settings.keepAlive().toNanos();
    this.ageNanos = settings.maxConnectionAge().toNanos();
    this.maxHeadBytes = settings.maxHeadBytes();
    // TCP, a tunnel, TLS, and the settings of HTTP/2.
    this.handshakeNanos = settings.connectTimeout().multipliedBy(4).toNanos();
    budget.join(this);
  }

  /** Gives a connection, now or later; reports meanwhile what it waits for. */
  void acquire(Origin origin, Waiter waiter) {
    endpoints.computeIfAbsent(origin, Endpoint::new).acquire(waiter);
  }

  /** Ends the wait of one that has got no connection. */
  void cancel(Origin origin, Waiter waiter) {
    Endpoint endpoint = endpoints.get(origin);
    if (endpoint != null) {
      endpoint.sharing.remove(waiter);
      endpoint.held.remove(waiter);
    }
  }

  /** An endpoint says that its connections are not for it: the next ones are new ones. */
  void abandonAll(Origin origin) {
    Endpoint endpoint = endpoints.get(origin);
    if (endpoint != null) {
      endpoint.generation++;
    }
  }

  /**
   * Closes the unused connections to an endpoint: one that was kept like them has turned out to be
   * dead.
   */
  void closeUnused(Origin origin) {
    Endpoint endpoint = endpoints.get(origin);
    if (endpoint != null) {
      endpoint.closeUnused();
    }
  }

  /**
   * Takes back a connection whose exchange is over. It is used again a moment later, for HTTP/2
   * counts a stream until the frame that ended it has been dealt with.
   */
  void release(PooledConnection connection, Waiter waiter) {
    lane.execute(() -> released(connection, waiter));
  }

  private void released(PooledConnection connection, Waiter waiter) {
    if (connection.remove(waiter)) {
      connection.endpoint().hand(connection);
    }
  }

  /**
   * Whether a connection that is being made has come as far as its proxy: what is waited for then
   * may be the endpoint.
   */
  boolean isProxyReached(Origin origin) {
    Endpoint endpoint = endpoints.get(origin);
    return endpoint != null && endpoint.reached > 0;
  }

  /**
   * A connection that is being made.
   *
   * @param connecting null by the plain route
   */
  private record Handshake(Endpoint endpoint, long sinceNanos, @Nullable Connecting connecting) {
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * Closes the connections that have gone unused for too long or are too old, and counts no longer
   * on those that are being made for too long; to be called now and then.
   */
  void closeExpired() {
    long now = nanoClock.getAsLong();
    List<PooledConnection> expired = new ArrayList<>(0);
    for (PooledConnection connection : idle) {
      if (connection.isRetired() || now - connection.idleSinceNanos >= connection.keepAliveNanos) {
        expired.add(connection);
      }
    }
    expired.forEach(PooledConnection::close);
    Iterator<Handshake> oldest = handshakes.iterator();
    List<Handshake> overdue = new ArrayList<>(0);
    while (oldest.hasNext()) {
      Handshake next = oldest.next();
      if (now - next.sinceNanos < handshakeNanos) {
        break;
      }
      oldest.remove();
      overdue.add(next);
    }
    overdue.forEach(handshake -> handshake.endpoint.giveUp());
    endpoints.values().removeIf(Endpoint::isEmpty);
  }

  /** On any thread. */
  void closeOneIdleSoon() {
    lane.execute(this::closeOneIdle);
  }

  /** On any thread. */
  void serveSoon() {
    lane.execute(this::serveStarved);
  }

  private boolean closeOneIdle() {
    Iterator<PooledConnection> oldest = idle.iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    oldest.next().close();
    return true;
  }

  /** Gives what the budget has to each in turn, so that none takes it all. */
  private void serveStarved() {
    awaitsBudget = false;
    boolean left = true;
    while (left && !starved.isEmpty()) {
      Endpoint endpoint = starved.iterator().next();
      starved.remove(endpoint);
      left = endpoint.serveOne() || !starved.contains(endpoint);
    }
    budget.passOn();
  }

  /** Returns four fifths of a time, or somewhat more. */
  private static long someOf(long nanos) {
    return nanos - ThreadLocalRandom.current().nextLong(nanos / 5 + 1);
  }

  private boolean takeFromBudget() {
    return budget.take() || (closeOneIdle() && budget.take());
  }

  /** One origin: its connections and the waiters for one. */
  final class Endpoint {
    private final Origin origin;
    private final String address;

    /** Those with room, the last used first, so that the others grow old. */
    private final Deque<PooledConnection> withRoom = new ArrayDeque<>();

    /** The waiters for which connections are being made. */
    private final Set<Waiter> sharing = new LinkedHashSet<>();

    private final Set<Waiter> held = new LinkedHashSet<>();
    private int connections;
    private int connecting;
    private int overdue;

    /** Those being made by a route, overdue or not, that have come as far as the proxy. */
    private int reached;

    /** Returns the exchanges that a new connection is expected to take. */
    private long streams;

    /** Connections of an earlier one take no more exchanges. */
    private int generation;

    private Endpoint(Origin origin) {
      this.origin = origin;
      this.address = origin.toString();
      this.streams = origin.tls() ? UNKNOWN_STREAMS : 1;
    }

    /** Address and port, for people. */
    String address() {
      return address;
    }

    int generation() {
      return generation;
    }

    private void closeUnused() {
      List<PooledConnection> unused = withRoom.stream().filter(PooledConnection::isUnused).toList();
      unused.forEach(PooledConnection::close);
    }

    private void acquire(Waiter waiter) {
      PooledConnection connection = held.isEmpty() ? find() : null;
      if (connection != null) {
        give(connection, waiter);
      } else if (!held.isEmpty()) {
        hold(waiter);
      } else {
        share(waiter);
      }
    }

    /** The waiter's connection is on its way, or is begun now, or may not be. */
    private void share(Waiter waiter) {
      boolean enoughOnTheWay =
          streams == UNKNOWN_STREAMS
              ? connecting >= HANDSHAKES_WHILE_UNKNOWN
              : sharing.size() < connecting * streams;
      enoughOnTheWay |= overdue >= MAX_OVERDUE;
      if (!enoughOnTheWay && !mayConnect()) {
        if (streams != UNKNOWN_STREAMS || connecting == 0) {
          hold(waiter);
          return;
        }
        enoughOnTheWay = true;
      }
      sharing.add(waiter);
      waiter.connecting();
      if (!enoughOnTheWay) {
        connect();
      }
    }

    private void hold(Waiter waiter) {
      held.add(waiter);
      waiter.held();
    }

    private boolean mayConnect() {
      if (connections >= maxPerEndpoint) {
        return false;
      }
      if (takeFromBudget()) {
        return true;
      }
      starved.add(this);
      if (!awaitsBudget) {
        awaitsBudget = true;
        budget.await(Connections.this);
      }
      return false;
    }

    private void connect() {
      connections++;
      connecting++;
      Route route = origin.route();
      Connecting byRoute = route == null ? null : connector.apply(origin, route);
      Handshake handshake = new Handshake(this, nanoClock.getAsLong(), byRoute);
      handshakes.add(handshake);
      Future<HttpClientConnection> made;
      try {
        made =
            byRoute == null
                ? client.connect(origin.connectOptions())
                : byRoute.begin(() -> reached++);
      } catch (IllegalStateException closed) {
        made = Future.failedFuture(closed);
      }
      made.onComplete(result -> connected(handshake, result));
    }

    /**
     * Stops counting on a connection. It cannot be closed before it is made, and keeps its place
     * among the connections.
     */
    private void giveUp() {
      connecting--;
      overdue++;
      failSome(new IOException("no HTTP/2 settings came"));
    }

    private void connected(Handshake handshake, AsyncResult<HttpClientConnection> result) {
      if (handshakes.remove(handshake)) {
        connecting--;
      } else {
        overdue--;
      }
      if (handshake.connecting != null && handshake.connecting.isReached()) {
        reached--;
      }
      if (result.failed()) {
        connections--;
        budget.giveBack();
        failSome(result.cause());
        serveHeldSoon();
        return;
      }
      PooledConnection connection =
          new PooledConnection(result.result(), this, nanoClock, keepAliveNanos, someOf(ageNanos));
      if (!connection.watch(maxHeadBytes)) {
        connection.close();
        failSome(new IOException("closed at once"));
        return;
      }
      streams = Math.max(1, connection.streams());
      if (connection.streams() < 1) {
        connection.close();
        failSome(new IOException("it allows no HTTP/2 streams"));
        return;
      }
      hand(connection);
      // More were sharing than it can take: its protocol, or the number of its streams, was news.
      List<Waiter> rest = List.copyOf(sharing);
      if (rest.size() > connecting * streams) {
        sharing.clear();
        rest.forEach(this::share);
      }
    }

    /** Fails the waiters for which the connections that are still being made do not suffice. */
    private void failSome(Throwable fault) {
      long enoughFor =
          streams == UNKNOWN_STREAMS ? (connecting > 0 ? sharing.size() : 0) : connecting * streams;
      List<Waiter> failed = new ArrayList<>();
      Iterator<Waiter> oldest = sharing.iterator();
      for (long excess = sharing.size() - enoughFor; excess > 0; excess--) {
        failed.add(oldest.next());
        oldest.remove();
      }
      failed.forEach(waiter -> waiter.failed(fault));
    }

    /** Gives a connection with room to as many waiters as it takes. */
    private void hand(PooledConnection connection) {
      while (connection.hasRoom()) {
        Set<Waiter> queue = sharing.isEmpty() ? held : sharing;
        Iterator<Waiter> oldest = queue.iterator();
        if (!oldest.hasNext()) {
          break;
        }
        Waiter waiter = oldest.next();
        oldest.remove();
        idle.remove(connection);
        connection.add(waiter);
        waiter.connected(connection);
      }
      list(connection);
    }

    private void give(PooledConnection connection, Waiter waiter) {
      idle.remove(connection);
      connection.add(waiter);
      list(connection);
      waiter.connected(connection);
    }

    /**
     * Puts a connection where it now belongs. An unused one is closed or idle after this, even if
     * its age has ended a moment ago: else it would never be closed.
     */
    private void list(PooledConnection connection) {
      if (connection.isUnused()) {
        if (connection.isRetired() || connection.keepAliveNanos <= 0) {
          connection.close();
          return;
        }
        connection.idleSinceNanos = nanoClock.getAsLong();
        idle.add(connection);
      }
      if (connection.hasRoom() && !connection.listed) {
        connection.listed = true;
        withRoom.push(connection);
      }
    }

    private @Nullable PooledConnection find() {
      for (PooledConnection next = withRoom.peek(); next != null; next = withRoom.peek()) {
        boolean old =
            next.isUnused()
                && (next.isRetired()
                    || nanoClock.getAsLong() - next.idleSinceNanos >= next.keepAliveNanos);
        if (next.hasRoom() && !old) {
          return next;
        }
        withRoom.pop();
        next.listed = false;
        if (old) {
          next.close();
        }
      }
      return null;
    }

    /** A connection is closed, or as good as that. */
    void lost(PooledConnection connection) {
      connections--;
      idle.remove(connection);
      if (connection.listed) {
        connection.listed = false;
        withRoom.remove(connection);
      }
      budget.giveBack();
      serveHeldSoon();
    }

    /** Lets the waiters that are held up try again, when it is this endpoint's turn. */
    private void serveHeldSoon() {
      if (!held.isEmpty()) {
        starved.add(this);
        serveSoon();
      }
    }

    /**
     * Lets one waiter go on that was held up.
     *
     * @return false if that may not be yet, or none was held up
     */
    private boolean serveOne() {
      Iterator<Waiter> oldest = held.iterator();
      if (!oldest.hasNext()) {
        return false;
      }
      PooledConnection connection = find();
      if (connection == null && !mayConnect()) {
        return false;
      }
      Waiter waiter = oldest.next();
      oldest.remove();
      if (!held.isEmpty()) {
        starved.add(this);
      }
      if (connection != null) {
        give(connection, waiter);
      } else {
        sharing.add(waiter);
        waiter.connecting();
        connect();
      }
      return true;
    }

    private boolean isEmpty() {
      return connections == 0 && sharing.isEmpty() && held.isEmpty();
    }
  }
}
