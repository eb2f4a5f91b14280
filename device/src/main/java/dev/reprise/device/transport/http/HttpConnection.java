package dev.reprise.device.transport.http;

import dev.reprise.common.order.InOrder;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.TransportConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The assumption that the other side is there; see {@link HttpTransport}. */
final class HttpConnection implements TransportConnection {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  /** The time that the body of an answer may take beyond the request timeout. */
  private static final Duration BODY_GRACE = Duration.ofSeconds(1);

  /**
   * The time after the HTTP client's own timeout at which a request without an answer is ended. It
   * covers requests that the client lost or never began because its name lookups hang. It is long
   * enough that the two timeouts do not fall due together after a pause of the process.
   */
  private static final Duration CLIENT_GRACE = Duration.ofSeconds(10);

  private final HttpSettings settings;
  private final boolean wantsCommands;
  private final ConnectionListener listener;

  /** All that is told, is told here, so that nothing follows the end. */
  private final InOrder events =
      new InOrder(SharedHttp.eventPool(), e -> LOG.warn("a listener of a connection threw", e));

  private final AtomicInteger underWay = new AtomicInteger();

  /** The actions that end the requests under way. */
  private final Set<Runnable> cancels = ConcurrentHashMap.newKeySet();

  private final Set<Upload> uploads = ConcurrentHashMap.newKeySet();
  private final LinkSpeed speed;

  private volatile Credential credential;
  private volatile @Nullable HttpClient client;
  private volatile boolean ready;
  private volatile boolean ended;
  private volatile boolean proven;

  HttpConnection(
      HttpSettings settings, LinkSpeed speed, ConnectRequest request, ConnectionListener listener) {
    this.settings = settings;
    this.speed = speed;
    this.credential = request.credential();
    this.wantsCommands = request.receivesCommands();
    this.listener = listener;
  }

  void begin(HttpClient client) {
    this.client = client;
    URI probe = settings.probe();
    if (probe == null) {
      tell(this::nowReady);
      return;
    }
    HttpRequest.Builder request = authorized(probe);
    if (request == null) {
      lose(HttpErrors.credentialNotSayable());
      return;
    }
    exchange(
        client,
        request
            .timeout(settings.requestTimeout())
            .method("HEAD", HttpRequest.BodyPublishers.noBody())
            .build(),
        null,
        this::probed);
  }

  @Override
  public boolean hasMoved() {
    boolean moved = false;
    for (Upload upload : uploads) {
      moved |= upload.hasMoved();
    }
    return moved;
  }

  @Override
  public int capacity() {
    return ready && !ended ? Math.max(0, settings.parallelRequests() - underWay.get()) : 0;
  }

  @Override
  public void send(Message message, int attempt, SendCallback callback) {
    HttpClient sender = client;
    if (sender == null || ended) {
      return;
    }
    underWay.incrementAndGet();
    HttpRequest.Builder request = authorized(settings.uri());
    if (request == null) {
      tell(() -> fail(callback, HttpErrors.credentialNotSayable()));
      return;
    }
    try {
      HttpEncoding.Content content = settings.encoding().encode(message);
      Upload upload =
          new Upload(content.body(), callback, speed, settings.requestTimeout().toNanos());
      exchange(
          sender,
          posted(request, message, content, upload),
          upload,
          (answer, failure) -> sent(answer, failure, callback));
    } catch (RuntimeException e) {
      // An encoding is the work of others, too.
      tell(() -> fail(callback, HttpErrors.notSayable(e)));
    }
  }

  @Override
  public boolean renew(Credential credential) {
    this.credential = credential;
    tell(listener::onRenewed);
    return true;
  }

  @Override
  public void subscribe() {
    tell(() -> listener.onSubscribed(HttpErrors.noCommands()));
  }

  @Override
  public boolean isProven() {
    return proven;
  }

  @Override
  public void close() {
    ended = true;
    cancels.forEach(Runnable::run);
  }

  /** Tells that the connection is lost, and ends it. */
  void lose(TransportException cause) {
    tell(
        () -> {
          close();
          listener.onLost(cause);
        });
  }

  private interface AnswerReceiver {
    void accept(@Nullable HttpAnswer answer, @Nullable TransportException failure);
  }

  private HttpRequest posted(
      HttpRequest.Builder request, Message message, HttpEncoding.Content content, Upload upload) {
    // The client's own timeout would count the time in which a large body moves.
    if (!upload.isLarge()) {
      request.timeout(settings.requestTimeout());
    }
    request.POST(upload).setHeader("Idempotency-Key", PercentEncoding.visible(message.id()));
    content.headers().forEach(request::setHeader);
    return request.build();
  }

  /** Returns the beginning of a request, or null when the credential cannot be said in a header. */
  private HttpRequest.@Nullable Builder authorized(URI uri) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).version(settings.version());
    try {
      settings.authorization().headers(credential).forEach(request::setHeader);
    } catch (RuntimeException e) {
      return null;
    }
    return request;
  }

  /**
   * Sends a request. The client's own timeout knows whether there was a connection, so it comes
   * first, but it does not cover the body of an answer.
   */
  private void exchange(
      HttpClient sender, HttpRequest request, @Nullable Upload upload, AnswerReceiver receiver) {
    CompletableFuture<HttpResponse<String>> outcome = new CompletableFuture<>();
    AtomicReference<@Nullable Excerpt> begun = new AtomicReference<>();
    long beganNanos = System.nanoTime();
    CompletableFuture<HttpResponse<String>> exchange =
        sender.sendAsync(
            request,
            head -> {
              Excerpt excerpt = new Excerpt(head);
              begun.set(excerpt);
              limit(outcome, BODY_GRACE, System.nanoTime() - beganNanos);
              return excerpt;
            });
    Runnable cancel = () -> exchange.cancel(true);
    cancels.add(cancel);
    if (ended) {
      cancel.run();
    }
    if (upload != null) {
      uploads.add(upload);
      upload.sent();
    }
    if (upload != null && upload.isLarge()) {
      watch(upload, outcome, System.nanoTime());
    } else {
      limit(outcome, CLIENT_GRACE, 0);
    }
    var unused =
        exchange.whenComplete(
            (response, thrown) -> {
              if (thrown == null) {
                outcome.complete(response);
              } else {
                outcome.completeExceptionally(thrown);
              }
            });
    var unusedToo =
        outcome.whenComplete(
            (response, thrown) -> {
              if (upload != null) {
                uploads.remove(upload);
                upload.release();
                if (begun.get() != null) {
                  upload.answered();
                }
              }
              cancels.remove(cancel);
              cancel.run();
              Excerpt excerpt = begun.get();
              // Once there is a status, it counts, however the body ends: breaking off, or never.
              tell(
                  excerpt != null
                      ? () -> receiver.accept(excerpt.answer(request.uri()), null)
                      : () -> receiver.accept(null, failure(thrown)));
            });
  }

  /** Ends a request when its body has not moved, or was not answered, for the request timeout. */
  private void watch(
      Upload upload, CompletableFuture<HttpResponse<String>> outcome, long dueNanos) {
    if (outcome.isDone()) {
      return;
    }
    long now = System.nanoTime();
    long timeoutNanos = settings.requestTimeout().toNanos();
    if (now - dueNanos > timeoutNanos / 2) {
      upload.stoodStill(now);
    }
    HttpTimeoutException silence = upload.silence(now);
    if (silence != null) {
      outcome.completeExceptionally(silence);
      return;
    }
    long delayNanos = Math.max(1, Math.min(timeoutNanos, upload.deadlineNanos() - now));
    CompletableFuture<@Nullable Void> look = new CompletableFuture<>();
    // Nothing may hold the body once the request has ended.
    var unused = outcome.whenComplete((response, thrown) -> look.complete(null));
    look.completeOnTimeout(null, delayNanos, TimeUnit.NANOSECONDS);
    var unusedToo =
        look.thenRunAsync(() -> watch(upload, outcome, now + delayNanos), SharedHttp.eventPool());
  }

  private TransportException failure(@Nullable Throwable thrown) {
    return HttpErrors.ofFailure(
        thrown == null ? new IOException("an answer without a head") : thrown,
        settings.requestTimeout());
  }

  /** Ends the exchange the grace after the request timeout, but not before the grace is over. */
  private void limit(
      CompletableFuture<HttpResponse<String>> outcome, Duration grace, long passedNanos) {
    long leftNanos = Math.max(0, settings.requestTimeout().toNanos() - passedNanos);
    var unused = outcome.orTimeout(leftNanos + grace.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void sent(
      @Nullable HttpAnswer answer, @Nullable TransportException failure, SendCallback callback) {
    // A status of success is the acknowledgement, whatever the body says.
    if (answer != null && HttpFailure.isSuccess(answer.status())) {
      proven = true;
      callback.onAcknowledged();
      free();
      return;
    }
    fail(callback, cause(answer, failure));
  }

  private void fail(SendCallback callback, TransportException cause) {
    // A failure beyond this message leaves all messages under way without an outcome.
    if (cause.scope() == ErrorScope.CONNECTION) {
      close();
      listener.onLost(cause);
      return;
    }
    callback.onFailed(cause);
    free();
  }

  /**
   * Frees the place of a request after its outcome is told, never before: the outcome may be that
   * nothing is to be sent for a while.
   */
  private void free() {
    if (underWay.getAndDecrement() == settings.parallelRequests()) {
      listener.onWritable();
    }
  }

  private void probed(@Nullable HttpAnswer answer, @Nullable TransportException failure) {
    if (answer != null && showsPresence(answer.status())) {
      nowReady();
      return;
    }
    close();
    listener.onLost(cause(answer, failure));
  }

  private static boolean showsPresence(int status) {
    // The answer comes from a gateway before the hub.
    if (DeviceErrors.row("http", status).kind() == ErrorKind.NETWORK) {
      return false;
    }

    // The server answers, so it is there, even if it has nothing at this address.
    return status < 500 && status != 401 && status != 429;
  }

  private TransportException cause(
      @Nullable HttpAnswer answer, @Nullable TransportException failure) {
    if (failure != null) {
      return failure;
    }
    if (answer == null) {
      throw new IllegalStateException("an exchange ended with neither answer nor failure");
    }
    return HttpErrors.ofStatus(answer, settings);
  }

  private void nowReady() {
    if (wantsCommands) {
      listener.onSubscribed(HttpErrors.noCommands());
    }
    ready = true;
    listener.onReady();
  }

  private void tell(Runnable event) {
    events.execute(
        () -> {
          if (!ended) {
            event.run();
          }
        });
  }
}
