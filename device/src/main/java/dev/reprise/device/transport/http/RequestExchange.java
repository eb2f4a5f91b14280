package dev.reprise.device.transport.http;

import dev.reprise.device.error.NetworkErrors;
import dev.reprise.device.error.TransportException;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.io.EOFException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer, and their time. What it knows belongs to the loop of its connection;
 * the events of its channel come from another one, and are handed over.
 */
final class RequestExchange implements HttpPool.Taker {
  /** The time that the body of an answer may take beyond the request timeout. */
  private static final Duration BODY_GRACE = Duration.ofSeconds(1);

  /** A timer that is later than this shows that the process stood still. */
  private static final Duration MAX_LATE = Duration.ofMillis(500);

  /** The time that the other loops have to read what came during a pause. */
  private static final Duration AFTER_PAUSE = Duration.ofSeconds(1);

  /** Receives what became of a request, on the loop of its connection: one of both. */
  interface Receiver {
    void accept(@Nullable HttpAnswer answer, @Nullable TransportException failure);
  }

  private final EventLoop loop;
  private final HttpOrigin origin;
  private final URI asked;
  private final HttpRequest head;
  private final Upload upload;
  private final Duration timeout;
  private final Receiver receiver;

  private Runnable whenEnded = () -> {};
  private volatile boolean ended;
  private @Nullable Channel channel;

  /** Ends the channel, unless it serves other requests already. */
  private @Nullable Runnable aborting;

  private @Nullable Excerpt answer;
  private @Nullable Future<?> timer;
  private long beganNanos;

  /**
   * A request that is not sent yet.
   *
   * @param head the head, complete
   * @param timeout the time for the answer
   */
  RequestExchange(
      EventLoop loop,
      HttpOrigin origin,
      URI asked,
      HttpRequest head,
      Upload upload,
      Duration timeout,
      Receiver receiver) {
    this.loop = loop;
    this.origin = origin;
    this.asked = asked;
    this.head = head;
    this.upload = upload;
    this.timeout = timeout;
    this.receiver = receiver;
  }

  /**
   * Sends the request; on the loop.
   *
   * @param whenEnded called before the outcome
   */
  void begin(Runnable whenEnded) {
    this.whenEnded = whenEnded;
    beganNanos = System.nanoTime();
    Duration limit = timeout.compareTo(HttpDial.MAX_TIME) < 0 ? timeout : HttpDial.MAX_TIME;
    limit(limit.toNanos(), () -> end(HttpErrors.noConnection(limit)));
    HttpPool.shared().acquire(origin, this);
  }

  /** Ends the request without an outcome; on the loop. */
  void cancel() {
    if (!ended) {
      release();
    }
  }

  Upload upload() {
    return upload;
  }

  @Override
  public void connected(Channel connection, boolean reused) {
    if (ended) {
      HttpPool.shared().giveBack(origin, connection, HttpPool.MAX_IDLE);
      return;
    }
    if (!connection.isActive()) {
      if (reused) {
        // The server ended it before anything was sent.
        HttpPool.shared().acquire(origin, this);
      } else {
        failed(new EOFException("the server ended the connection"));
      }
      return;
    }
    ExchangeHandler handler = new ExchangeHandler(origin, this);
    connection.pipeline().addLast(handler);
    connection
        .write(head)
        .addListener(
            written -> {
              if (!written.isSuccess()) {
                handler.notWritten(connection, written.cause());
              }
            });
    upload.begin(connection, handler);
    Runnable abort = () -> connection.eventLoop().execute(() -> handler.abort(connection));
    loop.execute(() -> began(connection, abort));
  }

  @Override
  public void failed(Throwable cause) {
    loop.execute(() -> end(NetworkErrors.of(cause)));
  }

  /** The head of the answer has come; called on any loop. */
  void answered(Excerpt excerpt) {
    loop.execute(
        () -> {
          if (ended) {
            return;
          }
          answer = excerpt;
          long leftNanos = Math.max(0, timeout.toNanos() - (System.nanoTime() - beganNanos));
          limit(leftNanos + BODY_GRACE.toNanos(), () -> end(null));
        });
  }

  /** The answer is complete; called on any loop. */
  void completed() {
    loop.execute(() -> end(null));
  }

  private void began(Channel connection, Runnable abort) {
    if (ended) {
      abort.run();
      return;
    }
    channel = connection;
    aborting = abort;
    if (upload.isLarge()) {
      watch(System.nanoTime());
    } else {
      limit(timeout.toNanos() - (System.nanoTime() - beganNanos), this::silent);
    }
  }

  /** Ends a request when its body has not moved, or was not answered, for the request timeout. */
  private void watch(long dueNanos) {
    long now = System.nanoTime();
    if (now - dueNanos > timeout.toNanos() / 2) {
      upload.stoodStill(now);
    }
    if (upload.isSilent(now)) {
      silent();
      return;
    }
    long delayNanos = Math.max(1, Math.min(timeout.toNanos(), upload.deadlineNanos() - now));
    limit(delayNanos, () -> watch(now + delayNanos));
  }

  private void silent() {
    if (channel instanceof Http2StreamChannel stream) {
      // If it is the connection that is dead, the next request shall not wait on it, too.
      HttpPool.shared().retire(origin, stream.parent());
    }
    end(HttpErrors.noAnswer(timeout));
  }

  private void limit(long nanos, Runnable due) {
    Future<?> before = timer;
    if (before != null) {
      before.cancel(false);
    }
    long dueNanos = System.nanoTime() + nanos;
    timer =
        loop.schedule(
            () -> {
              if (System.nanoTime() - dueNanos > MAX_LATE.toNanos()) {
                // The process stood still: what came meanwhile is yet to be read.
                limit(AFTER_PAUSE.toNanos(), due);
              } else {
                due.run();
              }
            },
            nanos,
            TimeUnit.NANOSECONDS);
  }

  /** Ends the request. Once there is a status, it counts, however the body ends. */
  private void end(@Nullable TransportException failure) {
    if (ended) {
      return;
    }
    Excerpt excerpt = answer;
    if (excerpt != null) {
      upload.answered();
    }
    release();
    receiver.accept(
        excerpt == null ? null : excerpt.answer(asked), excerpt == null ? failure : null);
  }

  private void release() {
    ended = true;
    whenEnded.run();
    upload.release();
    Future<?> last = timer;
    if (last != null) {
      last.cancel(false);
    }
    Runnable abort = aborting;
    if (abort != null) {
      abort.run();
    }
  }
}
