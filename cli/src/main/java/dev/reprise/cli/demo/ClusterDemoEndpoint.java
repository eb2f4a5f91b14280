package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.base.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The endpoint of all subscriptions of the cluster's demo, and the count of what it was sent. It
 * answers 503 to each 25th request until {@link #recover}, and for ever refuses each fortieth order
 * of one subscription with 422. Safe for use by many threads.
 */
final class ClusterDemoEndpoint implements AutoCloseable {
  private static final int THREADS = 16;
  private static final int FAILING = 25;
  private static final int REFUSED = 40;

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          task -> {
            Thread thread = new Thread(task, "demo-endpoint");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final Set<String> taken = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final ConcurrentMap<String, Long> lastNanos = new ConcurrentHashMap<>();
  private volatile boolean recovered;
  private volatile String picky = "";

  ClusterDemoEndpoint() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    } catch (IOException e) {
      throw CommandFailure.failed("the demo's endpoint cannot listen: " + e.getMessage());
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hooks";
  }

  /** Names the subscription whose orders are refused now and then. */
  void refuseSomeOf(String subscription) {
    picky = subscription;
  }

  /** Ends its 503. */
  void recover() {
    recovered = true;
  }

  /** Returns when a subscription was last attempted, of {@link System#nanoTime}; null if never. */
  Map<String, Long> lastNanos() {
    return lastNanos;
  }

  /** Returns true if it has taken a message for a subscription, or has refused it for good. */
  boolean hasDecided(String subscription, String message) {
    String delivery = message + "@" + subscription;
    return taken.contains(delivery) || refused.contains(delivery);
  }

  /** Returns how often it was sent what it had taken before. */
  long repeated() {
    return repeated.get();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String subscription = header(exchange, "Reprise-Subscription");
      String delivery = header(exchange, "Reprise-Message-Id") + "@" + subscription;
      lastNanos.put(subscription, System.nanoTime());
      long order = Long.parseLong(body.replaceAll("\\D", ""));
      if (subscription.equals(picky) && order % REFUSED == 0) {
        refused.add(delivery);
        exchange.sendResponseHeaders(422, -1);
      } else if (!recovered && requests.incrementAndGet() % FAILING == 0) {
        exchange.sendResponseHeaders(503, -1);
      } else {
        if (!taken.add(delivery)) {
          repeated.incrementAndGet();
        }
        exchange.sendResponseHeaders(204, -1);
      }
    }
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
