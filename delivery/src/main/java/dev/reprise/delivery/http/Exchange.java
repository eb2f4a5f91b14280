package dev.reprise.delivery.http;

import dev.reprise.delivery.http.VettedResolver.Forbidden;
import dev.reprise.delivery.http.VettedResolver.Resolution;
import dev.reprise.delivery.http.VettedResolver.Unresolved;
import dev.reprise.delivery.http.VettedResolver.Vetted;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one attempt: resolve, connect, send, read. Everything happens on the event loop of
 * its lane, but for its creation and, after the sender was closed, its end.
 */
final class Exchange implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Exchange.class);
  private static final byte[] NOTHING = new byte[0];

  /**
   * How much of a body is read to keep the connection for the next attempt, in bytes. Beyond this,
   * a new connection is cheaper.
   */
  private static final int MAX_DRAINED_BYTES = 64 * 1024;

  private enum Step {
    WAITING("waiting for its turn"),
    RESOLVING("looking up the host's address"),
    CONNECTING("connecting"),
    SENT("waiting for the response"),
    READING("reading the response");

    private final String text;

    Step(String text) {
      this.text = text;
    }
  }

  private final SendLane lane;
  private final HttpClient client;
  private final VettedResolver resolver;
  private final HttpAttempt attempt;
  private final Consumer<HttpOutcome> done;
  private final long startedNanos = System.nanoTime();
  private final AtomicBoolean reported = new AtomicBoolean();

  /** Links of the lane's list. */
  @Nullable Exchange previous;

  @Nullable Exchange next;

  private Step step = Step.WAITING;
  private boolean over;
  private boolean inLane;
  private long timer = -1;
  private int triedAddresses;
  private @Nullable String address;
  private @Nullable HttpClientRequest request;
  private byte[] excerpt = NOTHING;
  private int excerptLength;
  private long readBytes;

  Exchange(
      SendLane lane,
      HttpClient client,
      VettedResolver resolver,
      HttpAttempt attempt,
      Consumer<HttpOutcome> done) {
    this.lane = lane;
    this.client = client;
    this.resolver = resolver;
    this.attempt = attempt;
    this.done = done;
  }

  /** Begins, on the event loop. */
  @Override
  public void run() {
    if (lane.isClosed()) {
      abandon();
      return;
    }
    String refusal = RequestHeaders.refusal(attempt);
    if (refusal != null) {
      end(new HttpOutcome.Refused(refusal, latencyNanos()));
      return;
    }
    long leftNanos = attempt.timeout().toNanos() - latencyNanos();
    if (leftNanos <= 0) {
      timedOut();
      return;
    }
    lane.add(this);
    inLane = true;
    timer = lane.setTimer((leftNanos + 999_999) / 1_000_000, this);
    step = Step.RESOLVING;
    resolver.resolve(
        attempt.url(),
        resolution -> {
          if (lane.isCurrent()) {
            resolved(resolution);
          } else {
            lane.execute(() -> resolved(resolution));
          }
        });
  }

  private void resolved(Resolution resolution) {
    if (over) {
      return;
    }
    if (resolution instanceof Forbidden forbidden) {
      end(new HttpOutcome.Refused(forbidden.detail(), latencyNanos()));
    } else if (resolution instanceof Unresolved unresolved) {
      end(new HttpOutcome.ConnectionFailed(unresolved.detail(), true, null, latencyNanos()));
    } else if (resolution instanceof Vetted addresses) {
      connect(addresses, addresses.preferred());
    }
  }

  private void connect(Vetted addresses, int place) {
    step = Step.CONNECTING;
    triedAddresses++;
    EndpointUrl url = attempt.url();
    SocketAddress server = SocketAddress.inetSocketAddress(url.port(), addresses.address(place));
    address = server.toString();
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setServer(server)
            .setHost(url.bracketedHost())
            .setPort(url.port())
            .setSsl(url.tls())
            .setURI(url.target())
            .setFollowRedirects(false);
    if (!url.tls()) {
      options.setProtocolVersion(HttpVersion.HTTP_1_1);
    }
    client.request(options).onComplete(result -> connected(result, addresses, place));
  }

  private void connected(AsyncResult<HttpClientRequest> result, Vetted addresses, int place) {
    if (over) {
      if (result.succeeded()) {
        result.result().reset();
      }
      return;
    }
    if (result.succeeded()) {
      transmit(result.result());
      return;
    }
    Throwable fault = result.cause();
    if (Faults.isOfTcp(fault)) {
      int next = addresses.after(place);
      if (triedAddresses < addresses.size()) {
        connect(addresses, next);
        return;
      }
    }
    String detail = Faults.connecting(fault, String.valueOf(address), attempt.url().host());
    end(new HttpOutcome.ConnectionFailed(detail, true, address, latencyNanos()));
  }

  private void transmit(HttpClientRequest request) {
    step = Step.SENT;
    this.request = request;
    request.putHeader(HttpHeaders.CONTENT_TYPE, attempt.contentType());
    for (Map.Entry<String, String> header : attempt.headers()) {
      request.headers().add(header.getKey(), header.getValue());
    }
    request.send(Buffer.buffer(attempt.body())).onComplete(this::answered);
  }

  private void answered(AsyncResult<HttpClientResponse> result) {
    if (over) {
      return;
    }
    if (result.failed()) {
      broken(result.cause());
      return;
    }
    step = Step.READING;
    HttpClientResponse response = result.result();
    response.exceptionHandler(this::broken);
    if (response.statusCode() < 200) {
      // 100 and 103 never get here; the client cannot read on after any other interim status.
      String detail = address + " sent the interim status " + response.statusCode();
      end(new HttpOutcome.ConnectionFailed(detail, false, address, latencyNanos()));
      return;
    }
    response.handler(chunk -> read(response, chunk));
    response.endHandler(
        end -> {
          report(response);
          leave();
        });
  }

  private void read(HttpClientResponse response, Buffer chunk) {
    int room = HttpSender.MAX_EXCERPT_BYTES - excerptLength;
    int taken = Math.min(room, chunk.length());
    if (taken > 0) {
      excerpt = Arrays.copyOf(excerpt, excerptLength + taken);
      chunk.getBytes(0, taken, excerpt, excerptLength);
      excerptLength += taken;
    }
    readBytes += chunk.length();
    if (chunk.length() > taken) {
      report(response);
      if (readBytes > MAX_DRAINED_BYTES) {
        leave();
        response.request().reset();
      }
    }
  }

  private void broken(Throwable fault) {
    end(
        new HttpOutcome.ConnectionFailed(
            Faults.exchanging(fault, String.valueOf(address)), false, address, latencyNanos()));
  }

  /** The attempt's time is up, or, if its outcome is reported, the time to drain its response. */
  void timedOut() {
    timer = -1;
    end(new HttpOutcome.TimedOut(step.text + ofAddress(), neverSent(), address, latencyNanos()));
  }

  /** The sender is closed, and this is the event loop. */
  void abandon() {
    end(abandoned());
  }

  /** The sender is closed; on any thread. The event loop, if there still is one, tidies up. */
  void reportAbandoned() {
    report(abandoned());
  }

  private HttpOutcome abandoned() {
    return new HttpOutcome.ConnectionFailed(
        "the sender was closed, " + step.text + ofAddress(), neverSent(), address, latencyNanos());
  }

  private boolean neverSent() {
    return step.compareTo(Step.SENT) < 0;
  }

  private String ofAddress() {
    return address == null ? "" : neverSent() ? " to " + address : " of " + address;
  }

  private long latencyNanos() {
    return System.nanoTime() - startedNanos;
  }

  private void end(HttpOutcome outcome) {
    if (over) {
      return;
    }
    leave();
    HttpClientRequest cut = request;
    if (cut != null) {
      // Closes an HTTP/1.1 connection, and only the stream of an HTTP/2 one.
      cut.reset();
    }
    report(outcome);
  }

  private void leave() {
    if (over) {
      return;
    }
    over = true;
    if (timer >= 0) {
      lane.cancelTimer(timer);
    }
    if (inLane) {
      lane.remove(this);
    }
  }

  private void report(HttpClientResponse response) {
    if (!reported.get()) {
      report(
          new HttpOutcome.Response(
              response.statusCode(),
              response.getHeader(HttpHeaders.RETRY_AFTER),
              response.getHeader(HttpHeaders.DATE),
              excerpt,
              String.valueOf(address),
              latencyNanos()));
    }
  }

  private void report(HttpOutcome outcome) {
    if (reported.compareAndSet(false, true)) {
      try {
        done.accept(outcome);
      } catch (RuntimeException e) {
        log.error("The receiver of an outcome failed", e);
      }
    }
  }
}
