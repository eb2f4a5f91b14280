package dev.reprise.chaos;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints in this process that record each attempt: the path is the endpoint, the body the number
 * that the message has for its publisher. Safe for use by many threads.
 */
public final class ChaosReceiver implements AutoCloseable {
  private static final int LIMIT_SECONDS = 60;

  private final Vertx vertx = Vertx.vertx();
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
  private final Map<HttpConnection, Peer> peers = new ConcurrentHashMap<>();
  private final String host;
  private volatile Supplier<Map<Long, String>> processes = Map::of;
  private @Nullable HttpServer server;
  private volatile int port;

  /**
   * An attempt.
   *
   * @param number the publisher's number of the message
   * @param message the service's id of it
   * @param endpoint the name that {@link #url} was given
   * @param subscription the id of the subscription
   * @param attempt its number, from 1
   * @param nanos when it arrived, by {@link System#nanoTime}
   * @param peer the connection that it came by
   * @param status the answer
   */
  public record Arrival(
      long number,
      String message,
      String endpoint,
      String subscription,
      int attempt,
      long nanos,
      Peer peer,
      int status) {
    /** Returns the name of the node that has made it; empty if that is not known. */
    public String node() {
      return peer.node;
    }

    /** Returns whether the delivery has ended with it for the endpoint. */
    public boolean isTaken() {
      return status / 100 == 2;
    }

    /** Returns whether the endpoint has refused the delivery for good. */
    public boolean isRefused() {
      return status / 100 == 4;
    }
  }

  /** The other end of a connection. */
  public static final class Peer {
    private static final Peer UNKNOWN = new Peer();

    private volatile String node = "";

    private Peer() {}

    @Override
    public String toString() {
      return node;
    }
  }

  /**
   * The answers of an endpoint.
   *
   * @param status of the answer
   * @param firstStatus of the answer to the first attempts of one in twenty messages
   * @param delayMillis until the answer
   */
  public record Behaviour(int status, int firstStatus, long delayMillis) {
    private static final int ONE_IN = 20;

    /** Takes everything at once. */
    public static final Behaviour GOOD = new Behaviour(204, 204, 0);

    /** Takes some at the second attempt only. */
    public static final Behaviour FLAKY = new Behaviour(204, 503, 0);

    /** Takes nothing: to be tried again. */
    public static final Behaviour FAILING = new Behaviour(503, 503, 0);

    /** Takes most, and refuses some for good. */
    public static final Behaviour REFUSING_SOME = new Behaviour(204, 400, 0);

    /** Takes everything, after a while. */
    public static Behaviour slow(long delayMillis) {
      return new Behaviour(204, 204, delayMillis);
    }

    int status(long number, int attempt) {
      return attempt == 1 && number % ONE_IN == 0 ? firstStatus : status;
    }
  }

  private ChaosReceiver(String host) {
    this.host = host;
  }

  /** Starts one on any port of loopback. */
  public static ChaosReceiver start() {
    return start("127.0.0.1");
  }

  /** Starts one on any port of an address of this machine. */
  public static ChaosReceiver start(String host) {
    ChaosReceiver receiver = new ChaosReceiver(host);
    receiver.listen();
    return receiver;
  }

  private void listen() {
    HttpServer listening =
        vertx
            .createHttpServer(new HttpServerOptions().setHost(host).setPort(port))
            .connectionHandler(this::connected)
            .requestHandler(this::answer);
    await(listening);
    server = listening;
    port = listening.actualPort();
  }

  private static void await(HttpServer listening) {
    try {
      var unused =
          listening
              .listen()
              .toCompletionStage()
              .toCompletableFuture()
              .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the receiver cannot listen", e);
    }
  }

  private void connected(HttpConnection connection) {
    Peer peer = new Peer();
    peers.put(connection, peer);
    connection.closeHandler(closed -> peers.remove(connection));
    int from = connection.remoteAddress().port();
    // Reads files: not on the thread that answers.
    var unused =
        vertx.executeBlocking(
            () -> {
              peer.node = Origins.of(from, port, processes.get());
              return null;
            },
            false);
  }

  private void answer(HttpServerRequest request) {
    long nanos = System.nanoTime();
    var unused =
        request
            .body()
            .onSuccess(
                body -> {
                  String endpoint = request.path().substring(1);
                  Behaviour now = behaviours.getOrDefault(endpoint, Behaviour.GOOD);
                  long number = Long.parseLong(body.toString());
                  int attempt = Integer.parseInt(header(request, "Reprise-Attempt"));
                  int status = now.status(number, attempt);
                  arrivals.add(
                      new Arrival(
                          number,
                          header(request, "Reprise-Message-Id"),
                          endpoint,
                          header(request, "Reprise-Subscription"),
                          attempt,
                          nanos,
                          peers.getOrDefault(request.connection(), Peer.UNKNOWN),
                          status));
                  count.incrementAndGet();
                  if (now.delayMillis() == 0) {
                    end(request, status);
                  } else {
                    vertx.setTimer(now.delayMillis(), timer -> end(request, status));
                  }
                });
  }

  private static void end(HttpServerRequest request, int status) {
    // Of a node that was killed there is nobody to answer.
    var unused = request.response().setStatusCode(status).end();
  }

  private static String header(HttpServerRequest request, String name) {
    String value = request.getHeader(name);
    return value == null ? "0" : value;
  }

  /** Returns the address of an endpoint. */
  public String url(String endpoint) {
    return "http://" + host + ":" + port + "/" + endpoint;
  }

  /** From now on each attempt is known to be of one of these nodes, or of none. */
  public void watch(Nodes watched) {
    processes =
        () -> {
          Map<Long, String> names = new HashMap<>();
          watched.all().forEach(each -> names.put(each.pid(), each.name()));
          return names;
        };
  }

  /** From now on an endpoint answers so. */
  public void behave(String endpoint, Behaviour behaviour) {
    behaviours.put(endpoint, behaviour);
  }

  /** Closes the port: connections are refused until {@link #accept}. */
  public void refuse() {
    HttpServer now = server;
    server = null;
    if (now != null) {
      try {
        now.close().toCompletionStage().toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException e) {
        throw new IllegalStateException("the receiver cannot be closed", e);
      }
    }
  }

  /** Listens again on the same port after {@link #refuse}. */
  public void accept() {
    if (server == null) {
      listen();
    }
  }

  /** Returns how many attempts have arrived. */
  public int count() {
    return count.get();
  }

  /** Returns all attempts that have arrived, in about their order. */
  public List<Arrival> arrivals() {
    return List.copyOf(arrivals);
  }

  @Override
  public void close() {
    var unused = vertx.close();
  }
}
