package dev.reprise.chaos;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Publishes numbered messages at a pace to the nodes in turn, as a client behind a balancer does:
 * what was certainly not done, and everything that has an idempotency key, is tried again at the
 * next node. Every second message has a key; of the others an unclear answer is final.
 */
public final class Load implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final long AGAIN_MILLIS = 100;

  /** Where all nodes are away for long, thousands of publishes are tried again and again. */
  private static final long MAX_AGAIN_MILLIS = 3_000;

  /** Shorter than a node drains, which then closes what is idle: perhaps as it is used. */
  private static final int MAX_IDLE_SECONDS = 2;

  private static final int MAX_UNDER_WAY = 2_000;

  private final Nodes nodes;
  private final String topic;
  private final int perSecond;

  /**
   * One thread reads and sends. So after this process has stood still it first sees which of its
   * connections the other side has closed, and sends on none of these.
   */
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

  private final HttpClient client =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setConnectTimeout((int) CONNECT_TIMEOUT.toMillis())
              .setKeepAliveTimeout(MAX_IDLE_SECONDS),
          new PoolOptions().setHttp1MaxSize(MAX_UNDER_WAY));
  private final Map<Long, Accepted> accepted = new ConcurrentHashMap<>();
  private final Map<Long, String> unclear = new ConcurrentHashMap<>();
  private final Map<String, Integer> troubles = new ConcurrentSkipListMap<>();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger turn = new AtomicInteger();
  private final Set<Long> failed = ConcurrentHashMap.newKeySet();
  private final Set<Long> refused = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;
  private volatile boolean givingUp;
  private final Thread thread;

  /**
   * A message that was acknowledged.
   *
   * @param number its number
   * @param keyed whether it has an idempotency key
   * @param answer the body of the answer
   * @param beganNanos when it was sent first, by {@link System#nanoTime}
   * @param ackedNanos when it was acknowledged
   * @param tries how often it was sent
   */
  public record Accepted(
      long number, boolean keyed, String answer, long beganNanos, long ackedNanos, int tries) {}

  private record Answer(int status, String body) {}

  private Load(Nodes nodes, String topic, int perSecond) {
    this.nodes = nodes;
    this.topic = topic;
    this.perSecond = perSecond;
    this.thread = new Thread(this::run, "load");
    thread.setDaemon(true);
  }

  /** Begins to publish to a topic, until {@link #finish}. */
  public static Load start(Nodes nodes, String topic, int perSecond) {
    Load load = new Load(nodes, topic, perSecond);
    load.thread.start();
    return load;
  }

  private void run() {
    long gapNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    long next = System.nanoTime();
    while (!stopping) {
      long wait = next - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        continue;
      }
      next += gapNanos;
      if (underWay.get() < MAX_UNDER_WAY) {
        underWay.incrementAndGet();
        long number = sent.getAndIncrement();
        long beganNanos = System.nanoTime();
        vertx.runOnContext(ignored -> send(number, beganNanos, 1));
      }
    }
  }

  private static boolean isKeyed(long number) {
    return number % 2 == 0;
  }

  private void send(long number, long beganNanos, int tries) {
    List<NodeProcess> all = nodes.all();
    NodeProcess node = all.get(Math.floorMod(turn.getAndIncrement(), all.size()));
    RequestOptions request =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setAbsoluteURI(node.url() + "/v1/topics/" + topic + "/messages")
            .setTimeout(TIMEOUT.toMillis())
            .putHeader("Content-Type", "application/json");
    node.authorization().forEach(request::putHeader);
    if (isKeyed(number)) {
      request.putHeader("Idempotency-Key", topic + "-" + number);
    }
    client
        .request(request)
        .compose(ready -> ready.send(Buffer.buffer("{\"body\":" + number + "}")))
        .compose(
            response -> response.body().map(b -> new Answer(response.statusCode(), b.toString())))
        .onComplete((answer, error) -> done(node, number, beganNanos, tries, answer, error));
  }

  private void done(
      NodeProcess node,
      long number,
      long beganNanos,
      int tries,
      @Nullable Answer answer,
      @Nullable Throwable error) {
    if (answer != null && answer.status() / 100 == 2) {
      accepted.put(
          number,
          new Accepted(
              number, isKeyed(number), answer.body(), beganNanos, System.nanoTime(), tries));
      underWay.decrementAndGet();
      return;
    }
    String trouble = node + ": " + (answer == null ? error : answer.status() + " " + answer.body());
    boolean undone = answer == null ? isUnsent(error) : isUndone(answer.status());
    if (!undone) {
      failed.add(number);
      if (answer != null) {
        refused.add(number);
      }
      troubles.merge(trouble, 1, Integer::sum);
    }
    if (givingUp || (!undone && !isKeyed(number))) {
      unclear.put(number, trouble);
      underWay.decrementAndGet();
      return;
    }
    vertx.setTimer(
        Math.min(MAX_AGAIN_MILLIS, AGAIN_MILLIS * tries),
        ignored -> send(number, beganNanos, tries + 1));
  }

  /** Whether an answer says that nothing was done. */
  private static boolean isUndone(int status) {
    return status == 429 || status == 404;
  }

  /** Whether there was no connection; that it took too long to make one is such a failure too. */
  private static boolean isUnsent(@Nullable Throwable error) {
    return error instanceof ConnectException;
  }

  /** Sends nothing new, and waits until everything that was sent is acknowledged or unclear. */
  public void finish(Duration patience) throws InterruptedException {
    stopping = true;
    thread.join();
    long end = System.nanoTime() + patience.toNanos();
    while (underWay.get() > 0) {
      if (System.nanoTime() - end > 0) {
        givingUp = true;
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  /** Returns how many messages were sent. */
  public long sent() {
    return sent.get();
  }

  /** Returns the messages that were acknowledged, by number. */
  public Map<Long, Accepted> accepted() {
    return Map.copyOf(accepted);
  }

  /** Returns the messages of which it is not known whether they were accepted, by number. */
  public Map<Long, String> unclear() {
    return Map.copyOf(unclear);
  }

  /**
   * Returns the share of messages that had no answer but acknowledgements and refusals that every
   * client tries again at another node; 0 to 1.
   */
  public double answered() {
    return 1 - (double) failed.size() / Math.max(1, sent());
  }

  /**
   * Returns how many of the others had an answer: those without one met a connection that ended.
   */
  public int refused() {
    return refused.size();
  }

  /** Returns the longest time in which nothing was acknowledged, between two that were. */
  public Duration longestPause() {
    long[] acked = accepted.values().stream().mapToLong(Accepted::ackedNanos).sorted().toArray();
    long longest = 0;
    for (int i = 1; i < acked.length; i++) {
      longest = Math.max(longest, acked[i] - acked[i - 1]);
    }
    return Duration.ofNanos(longest);
  }

  /** Returns what was answered in place of acknowledgements, by whom, and how often. */
  public Map<String, Integer> troubles() {
    return new TreeMap<>(troubles);
  }

  @Override
  public void close() {
    stopping = true;
    givingUp = true;
    var unused = vertx.close();
  }
}
