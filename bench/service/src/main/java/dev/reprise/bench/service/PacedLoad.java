package dev.reprise.bench.service;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes at a fixed rate whatever the service does, and notes when each message was sent, when
 * its publish was acknowledged and when its first attempt arrived. Times count from the moment at
 * which the message should have been sent, so that a pause is not hidden.
 */
final class PacedLoad implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final Receiver receiver;
  private final AtomicLongArray sentNanos;
  private final AtomicLongArray arrivedNanos;
  private final AtomicLongArray acknowledgedNanos;
  private final AtomicIntegerArray failed = new AtomicIntegerArray(1);
  private final AtomicInteger repeated = new AtomicInteger();

  PacedLoad(int count) throws Exception {
    this.sentNanos = new AtomicLongArray(count);
    this.arrivedNanos = new AtomicLongArray(count);
    this.acknowledgedNanos = new AtomicLongArray(count);
    this.receiver = new Receiver(vertx, this::arrived);
  }

  int port() {
    return receiver.port();
  }

  private void arrived(long number) {
    if (!arrivedNanos.compareAndSet((int) number, 0, System.nanoTime())) {
      repeated.incrementAndGet();
    }
  }

  /** Returns how many arrivals were not the first of their message. */
  int repeated() {
    return repeated.get();
  }

  /**
   * Publishes messages {@code from} to {@code to} over the topics {@code fast0} and so on, and
   * waits until all have arrived.
   *
   * @throws IllegalStateException if one failed or has not arrived
   */
  void run(String url, int from, int to, int topics, double perSecond) throws InterruptedException {
    publish(url, from, to, topics, perSecond);
    if (failed.get(0) > 0 || !allArrived(from, to)) {
      throw new IllegalStateException(
          failed.get(0) + " publishes failed; all arrived: " + allArrived(from, to));
    }
  }

  /** As {@link #run}, whatever comes of the messages; waits for a minute at the most. */
  void publish(String url, int from, int to, int topics, double perSecond)
      throws InterruptedException {
    URI uri = URI.create(url);
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions().setTcpNoDelay(true), new PoolOptions().setHttp1MaxSize(256));
    long start = System.nanoTime();
    for (int i = from; i < to; i++) {
      long due = start + (long) ((i - from) * 1e9 / perSecond);
      while (System.nanoTime() < due) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      sentNanos.set(i, due);
      int number = i;
      RequestOptions options =
          new RequestOptions()
              .setMethod(HttpMethod.POST)
              .setHost(uri.getHost())
              .setPort(uri.getPort())
              .setURI("/v1/topics/fast" + i % topics + "/messages")
              .putHeader("Content-Type", "application/json");
      client
          .request(options)
          .compose(request -> request.send(Buffer.buffer(Messages.publish(number))))
          .onComplete(
              done -> {
                if (done.succeeded() && done.result().statusCode() == 202) {
                  acknowledgedNanos.set(number, System.nanoTime());
                } else {
                  failed.incrementAndGet(0);
                }
              });
    }
    long patience = System.nanoTime() + 60_000_000_000L;
    while (!allArrived(from, to) && System.nanoTime() < patience) {
      Thread.sleep(10);
    }
  }

  private boolean allArrived(int from, int to) {
    for (int i = from; i < to; i++) {
      if (arrivedNanos.get(i) == 0) {
        return false;
      }
    }
    return true;
  }

  /** When a message's first attempt arrived, as of {@code System.nanoTime()}. */
  long arrivedNanos(int number) {
    return arrivedNanos.get(number);
  }

  /** Returns how many publishes were not acknowledged. */
  int failed() {
    return failed.get(0);
  }

  /** Returns how many messages were acknowledged and have not arrived. */
  int lost() {
    int lost = 0;
    for (int i = 0; i < arrivedNanos.length(); i++) {
      lost += acknowledgedNanos.get(i) != 0 && arrivedNanos.get(i) == 0 ? 1 : 0;
    }
    return lost;
  }

  /** When a message was to be sent, as of {@code System.nanoTime()}. */
  long sentNanos(int number) {
    return sentNanos.get(number);
  }

  /** Nanoseconds from sending to the first attempt's arrival. */
  long[] toFirstAttempt(int from, int to) {
    return differences(arrivedNanos, from, to);
  }

  /** Nanoseconds from sending to the acknowledgement. */
  long[] toAcknowledgement(int from, int to) {
    return differences(acknowledgedNanos, from, to);
  }

  private long[] differences(AtomicLongArray ends, int from, int to) {
    long[] nanos = new long[to - from];
    for (int i = from; i < to; i++) {
      nanos[i - from] = ends.get(i) - sentNanos.get(i);
    }
    return nanos;
  }

  @Override
  public void close() {
    receiver.close();
  }
}
