package dev.reprise.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A real HTTP server on this machine that answers what it is told, and 200 from then on. */
final class FlakyService implements AutoCloseable {
  /** A status that stands for no answer at all. */
  static final int HANG = 0;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicInteger requests = new AtomicInteger();
  private final Iterator<Integer> statuses;
  private final boolean repeatsLast;
  private int last = 200;

  private FlakyService(boolean repeatsLast, List<Integer> statuses) {
    this.statuses = statuses.iterator();
    this.repeatsLast = repeatsLast;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Starts a server that answers each status once. */
  static FlakyService answering(Integer... statuses) {
    return new FlakyService(false, List.of(statuses));
  }

  /** Starts a server that always answers the same. */
  static FlakyService alwaysAnswering(int status) {
    return new FlakyService(true, List.of(status));
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  int requests() {
    return requests.get();
  }

  private synchronized int nextStatus() {
    if (statuses.hasNext()) {
      last = statuses.next();
    } else if (!repeatsLast) {
      last = 200;
    }
    return last;
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    int status = nextStatus();
    if (status == HANG) {
      hang();
    }
    if (status == 429) {
      exchange.getResponseHeaders().set("Retry-After", "1");
    }
    byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status == HANG ? 200 : status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void hang() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
