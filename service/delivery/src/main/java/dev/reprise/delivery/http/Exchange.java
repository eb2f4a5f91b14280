package dev.reprise.delivery.http;

import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.address.VettedResolver.Forbidden;
import dev.reprise.delivery.address.VettedResolver.Resolution;
import dev.reprise.delivery.address.VettedResolver.Unresolved;
import dev.reprise.delivery.address.VettedResolver.Vetted;
import io.netty.buffer.ByteBuf;
import io.vertx.core.http.StreamResetException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one attempt: resolve, connect, send, read. Everything happens on the event loop of
 * its lane, but for its creation and, after the sender was closed, its end.
 *
 * <p>The head of a final response decides: from then on the outcome is that response, whatever
 * becomes of its body. It is reported when the body ends or breaks, when more than the excerpt has
 * come, or {@value #EXCERPT_MILLIS} ms after the head, whichever is first. What is left of the body
 * is then read on for the sake of the connection, up to {@value #MAX_DRAINED_BYTES} bytes and
 * {@value #DRAIN_MILLIS} ms after the head; beyond that the exchange is cut off.
 *
 * <p>A request may be sent again within its attempt: if the endpoint says that it has not processed
 * it, and, once, if a connection that was kept and that no other exchange used is lost soon, before
 * a byte of an answer has come. The endpoint closed it when it was idle, most likely, and the two
 * crossed on the way; if not, the message's id tells the receiver (RFC 9110, 9.2.2). One that was
 * in use, or is lost later, was not closed for being idle: the endpoint may have died of its work.
 */
final class Exchange implements Runnable, Connections.Waiter, RequestStream.Receiver {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final byte[] NOTHING = new byte[0];

  /**
   * The part of a body that is read to keep the connection for the next attempt, in bytes. Beyond
   * this, a new connection is cheaper.
   */
  private static final int MAX_DRAINED_BYTES = 64 * 1024;

  /**
   * The time that the outcome waits for the excerpt of a body; most bodies come with their head.
   */
  private static final long EXCERPT_MILLIS = 250;

  /** As with bytes: a connection for which more patience is needed is not worth it. */
  private static final long DRAIN_MILLIS = 1000;

  /**
   * So often one attempt is sent again because it was not processed, on connections on which
   * nothing was. Where a GOAWAY says that others were, the endpoint gets on with its work, and only
   * the attempt's time is a bound: an nginx ends each connection after {@code keepalive_requests},
   * however many wait.
   */
  private static final int MAX_UNPROCESSED = 3;

  /**
   * The longest time after the sending within which the loss of a connection may be the closing of
   * an idle one, in nanoseconds: a round trip, and the pauses of either machine.
   */
  private static final long MAX_CROSSING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The connection is for another host (RFC 9110, 15.5.20). */
  private static final int MISDIRECTED_REQUEST = 421;

  private enum Step {
    WAITING("waiting for its turn"),
    RESOLVING("looking up the host's address"),
    HELD("waiting for a free connection"),
    CONNECTING("connecting"),
    SENT("waiting for the response"),
    READING("reading the response");

    private final String text;

    Step(String text) {
      this.text = text;
    }
  }

  private final SendLane lane;
  private final VettedResolver resolver;
  private final HttpAttempt attempt;
  private final Consumer<HttpOutcome> done;
  private final AtomicBoolean reported = new AtomicBoolean();

  /** Links of the lane's list. */
  @Nullable Exchange previous;

  @Nullable Exchange next;

  /** For the lane: when the time of the present step is up, of {@link SendLane#nanoTime}. */
  long deadlineNanos;

  private Step step = Step.WAITING;
  private long startedNanos;
  private long heldSinceNanos;
  private boolean over;
  private boolean inLane;
  private int triedAddresses;
  private @Nullable Vetted addresses;
  private int place;
  private @Nullable Origin origin;
  private @Nullable PooledConnection connection;
  private long headsBefore;

  /** Whether the connection had been idle, kept for the next exchange, when this one took it. */
  private boolean wasIdle;

  private long sentNanos;
  private @Nullable RequestStream stream;

  /** The loss of the kept connection over which the request was sent first; null without one. */
  private @Nullable String loss;

  private int unprocessed;
  private @Nullable ResponseHead response;
  private long headNanos;
  private byte[] excerpt = NOTHING;
  private int excerptLength;
  private long readBytes;

  Exchange(
      SendLane lane, VettedResolver resolver, HttpAttempt attempt, Consumer<HttpOutcome> done) {
    this.lane = lane;
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
    startedNanos = lane.nanoTime();
    String refusal = RequestHeaders.refusal(attempt);
    if (refusal != null) {
      end(new HttpOutcome.Refused(refusal, latencyNanos()));
      return;
    }
    lane.add(this);
    inLane = true;
    setTimer(attempt.timeout().toMillis(), startedNanos);
    step = Step.RESOLVING;
    HttpProxy proxy = attempt.options().proxy();
    if (proxy != null && proxy.resolves()) {
      resolved(resolver.vetForProxy(attempt.url()));
      return;
    }
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
    this.addresses = addresses;
    this.place = place;
    triedAddresses++;
    Origin origin = Origin.of(attempt.url(), addresses.address(place), attempt.options());
    this.origin = origin;
    step = Step.CONNECTING;
    lane.connections().acquire(origin, this);
  }

  /** Waiting begins; it is not the endpoint's fault, so its time does not run. */
  @Override
  public void held() {
    step = Step.HELD;
    heldSinceNanos = lane.nanoTime();
    setTimer(attempt.timeout().toMillis(), heldSinceNanos);
  }

  @Override
  public void connecting() {
    if (step == Step.HELD) {
      startOver();
    }
  }

  private void startOver() {
    step = Step.CONNECTING;
    startedNanos = lane.nanoTime();
    setTimer(attempt.timeout().toMillis(), startedNanos);
  }

  @Override
  public void failed(Throwable fault) {
    Vetted tried = addresses;
    if (over || tried == null) {
      return;
    }
    if (Faults.isOfTcp(fault)) {
      int next = tried.after(place);
      if (triedAddresses < tried.size()) {
        connect(tried, next);
        return;
      }
    }
    String detail = Faults.connecting(fault, place(), attempt.url().host());
    if (fault instanceof TunnelException tunnel && !tunnel.isOfEndpoint()) {
      end(new HttpOutcome.ProxyFailed(detail, tunnel.isExplained(), latencyNanos()));
    } else if (fault instanceof InvalidTlsException invalid) {
      end(new HttpOutcome.Refused("TLS " + invalid.problem(), latencyNanos()));
    } else {
      end(new HttpOutcome.ConnectionFailed(detail, true, address(), latencyNanos()));
    }
  }

  @Override
  public void connected(PooledConnection connection) {
    if (step == Step.HELD) {
      startOver();
    }
    this.connection = connection;
    if (!attempt.mayBegin().getAsBoolean()) {
      end(new HttpOutcome.NotStarted("it might not begin any more when it had a connection"));
      return;
    }
    headsBefore = connection.heads();
    wasIdle = headsBefore > 0 && connection.hasOneUser();
    RequestStream stream = connection.stream();
    this.stream = stream;
    stream.send(attempt, this);
  }

  @Override
  public void unsent() {
    PooledConnection gone = Objects.requireNonNull(connection);
    connection = null;
    stream = null;
    step = Step.CONNECTING;
    gone.retire();
    lane.connections().release(gone, this);
    lane.connections().acquire(Objects.requireNonNull(origin), this);
  }

  /** Sends the request again, if that may be; it never is after any part of a response. */
  private boolean isSentAgain(Throwable fault, RequestStream.Progress progress) {
    PooledConnection used = connection;
    if (over || response != null || used == null || lane.isClosed()) {
      return false;
    }
    if (progress == RequestStream.Progress.UNPROCESSED) {
      // A stream that was reset was refused by itself, whatever a GOAWAY says of others.
      boolean left = used.isLeftAfterWork() && !(fault instanceof StreamResetException);
      if (!left && ++unprocessed > MAX_UNPROCESSED) {
        return false;
      }
      lane.figures().sentUnprocessed();
    } else if (progress == RequestStream.Progress.UNANSWERED && mayHaveCrossed() && loss == null) {
      loss = Faults.exchanging(fault, place(), used.goAwayCode());
      lane.figures().sentAfterLoss();
      lane.connections().closeUnused(Objects.requireNonNull(origin));
    } else {
      return false;
    }
    unsent();
    return true;
  }

  /**
   * Whether the endpoint may have closed the connection for being idle, and not got the request.
   */
  private boolean mayHaveCrossed() {
    return wasIdle && lane.nanoTime() - sentNanos <= MAX_CROSSING_NANOS;
  }

  @Override
  public void sending() {
    step = Step.SENT;
    sentNanos = lane.nanoTime();
  }

  @Override
  public void head(ResponseHead head) {
    step = Step.READING;
    response = head;
    long nowNanos = lane.nanoTime();
    headNanos = nowNanos - startedNanos;
    Objects.requireNonNull(connection).answered();
    if (head.fault() != null) {
      lane.figures().cutHead();
    }
    if (head.status() == MISDIRECTED_REQUEST) {
      lane.connections().abandonAll(Objects.requireNonNull(origin));
    }
    setTimer(EXCERPT_MILLIS, nowNanos);
  }

  @Override
  public void end() {
    ResponseHead response = Objects.requireNonNull(this.response);
    long nanos = latencyNanos();
    if (Objects.requireNonNull(stream).isWritten()) {
      leave();
    } else {
      // The rest of the request would keep the stream open behind our back.
      cut();
    }
    // Last, so that an attempt that follows from it finds the connection free.
    report(response, nanos);
  }

  @Override
  public void body(ByteBuf part) {
    int most = attempt.options().excerptBytes();
    int length = part.readableBytes();
    int taken = Math.min(most - excerptLength, length);
    if (taken > 0) {
      int needed = excerptLength + taken;
      if (needed > excerpt.length) {
        // Twice as much as before, for a body may come byte by byte.
        excerpt = Arrays.copyOf(excerpt, Math.max(needed, Math.min(most, 2 * excerpt.length)));
      }
      part.getBytes(part.readerIndex(), excerpt, excerptLength, taken);
      excerptLength += taken;
    }
    readBytes += length;
    if (length > taken) {
      report(Objects.requireNonNull(response), latencyNanos());
      if (readBytes > MAX_DRAINED_BYTES) {
        cut();
      }
    }
  }

  @Override
  public void broken(Throwable fault, RequestStream.Progress progress) {
    if (isSentAgain(fault, progress)) {
      return;
    }
    if (response == null && Faults.isOfLongHead(fault)) {
      lane.figures().cutHead();
    }
    Long goAway = connection == null ? null : connection.goAwayCode();
    String detail = Faults.exchanging(fault, place(), goAway);
    end(new HttpOutcome.ConnectionFailed(detail, false, address(), latencyNanos()));
  }

  @Override
  public void flooded(long bytes) {
    String detail = place() + " sent " + bytes + " bytes in a row that answer nothing";
    end(new HttpOutcome.ConnectionFailed(detail, false, address(), latencyNanos()));
  }

  /** The time of the present step is up. */
  void timedOut() {
    if (over) {
      return;
    }
    ResponseHead response = this.response;
    if (response != null) {
      boolean drained = reported.get();
      report(response, headNanos);
      if (drained) {
        cut();
      } else {
        setTimer(DRAIN_MILLIS - EXCERPT_MILLIS, lane.nanoTime());
      }
      return;
    }
    if (step == Step.HELD) {
      Duration held = Duration.ofNanos(lane.nanoTime() - heldSinceNanos);
      end(new HttpOutcome.NotStarted("no connection was free for " + held.toMillis() + " ms"));
      return;
    }
    HttpProxy proxy = attempt.options().proxy();
    Origin tried = origin;
    if (proxy != null
        && step == Step.CONNECTING
        && connection == null
        && tried != null
        && !lane.connections().isProxyReached(tried)) {
      String detail = "connecting to the proxy " + proxy + " timed out";
      end(new HttpOutcome.ProxyFailed(detail, true, latencyNanos()));
      return;
    }
    PooledConnection silent = connection;
    if (silent != null && silent.heads() == headsBefore) {
      // Whether it is the endpoint or the connection that is dead, no other exchange should wait
      // for it.
      silent.retireAfterUse();
    }
    end(new HttpOutcome.TimedOut(step.text + ofAddress(), neverSent(), address(), latencyNanos()));
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
        "the sender was closed, " + step.text + ofAddress(),
        neverSent(),
        address(),
        latencyNanos());
  }

  private boolean neverSent() {
    return step.compareTo(Step.SENT) < 0;
  }

  /** Where the attempt goes, or would go; null as long as it is not known. */
  private @Nullable String address() {
    PooledConnection used = connection;
    Origin tried = origin;
    return used != null ? used.endpoint().address() : tried == null ? null : tried.toString();
  }

  /** As {@link #address}, and by which way; for people. */
  private String place() {
    HttpProxy proxy = attempt.options().proxy();
    return proxy == null ? String.valueOf(address()) : address() + " through the proxy " + proxy;
  }

  private String ofAddress() {
    return address() == null ? "" : neverSent() ? " to " + place() : " of " + place();
  }

  private long latencyNanos() {
    return step == Step.WAITING ? 0 : lane.nanoTime() - startedNanos;
  }

  private void setTimer(long millis, long nowNanos) {
    // Half of the range of a long is time enough, and never overflows.
    long nanos = Math.min(TimeUnit.MILLISECONDS.toNanos(millis), Long.MAX_VALUE / 2);
    deadlineNanos = nowNanos + nanos;
    lane.awaitDeadline(this);
  }

  /** Ends with an outcome, or, once the head of a response has come, with that. */
  private void end(HttpOutcome outcome) {
    if (over) {
      return;
    }
    ResponseHead response = this.response;
    cut();
    if (response != null) {
      report(response, headNanos);
    } else {
      report(loss == null ? outcome : afterLoss(outcome, loss));
    }
  }

  /** The request has been on its way once, so no outcome may say that it was not. */
  private HttpOutcome afterLoss(HttpOutcome outcome, String lost) {
    if (outcome instanceof HttpOutcome.TimedOut timedOut) {
      return new HttpOutcome.TimedOut(
          timedOut.detail(), false, timedOut.address(), timedOut.latencyNanos());
    }
    String detail = lost;
    if (outcome instanceof HttpOutcome.ConnectionFailed failed) {
      detail += "; then " + failed.detail();
    } else if (outcome instanceof HttpOutcome.Refused refused) {
      detail += "; then " + refused.detail();
    } else if (outcome instanceof HttpOutcome.ProxyFailed failed) {
      detail += "; then " + failed.detail();
    }
    return new HttpOutcome.ConnectionFailed(detail, false, address(), latencyNanos());
  }

  /** Leaves in the middle of the exchange. */
  private void cut() {
    RequestStream unfinished = over ? null : stream;
    PooledConnection used = connection;
    if (unfinished != null && used != null && !used.isHttp2()) {
      used.retireAfterUse();
    }
    leave();
    if (unfinished != null) {
      unfinished.reset();
    }
  }

  private void leave() {
    if (over) {
      return;
    }
    over = true;
    if (inLane) {
      lane.remove(this);
    }
    if (connection != null) {
      lane.connections().release(connection, this);
    } else if (origin != null) {
      lane.connections().cancel(origin, this);
    }
  }

  private void report(ResponseHead response, long nanos) {
    if (!reported.get()) {
      report(
          new HttpOutcome.Response(
              response.status(),
              response.retryAfter(),
              response.date(),
              response.headers(),
              excerptLength == excerpt.length ? excerpt : Arrays.copyOf(excerpt, excerptLength),
              String.valueOf(address()),
              nanos,
              note(response)));
    }
  }

  private @Nullable String note(ResponseHead response) {
    String again = loss == null ? null : "sent a second time, since " + loss;
    if (response.fault() == null) {
      return again;
    }
    return Faults.clean(again == null ? response.fault() : response.fault() + "; " + again);
  }

  private void report(HttpOutcome outcome) {
    if (reported.compareAndSet(false, true)) {
      try {
        done.accept(outcome);
      } catch (RuntimeException e) {
        LOG.error("The receiver of an outcome failed", e);
      }
    }
  }
}
