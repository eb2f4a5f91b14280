package dev.reprise.device.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

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
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The assumption that the other side is there; see {@link HttpTransport}. All events happen on one
 * loop, so that nothing follows the end.
 */
final class HttpConnection implements TransportConnection {
  /** The headers that say how a request is sent, in lower case. */
  private static final Set<String> OWN_HEADERS =
      Set.of("connection", "content-length", "expect", "host", "transfer-encoding", "upgrade");

  private static final byte[] NO_BODY = {};

  private final HttpSettings settings;
  private final boolean wantsCommands;
  private final ConnectionListener listener;
  private final EventLoop loop;
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<RequestExchange> exchanges = ConcurrentHashMap.newKeySet();
  private final LinkSpeed speed;

  private volatile Credential credential;
  private volatile @Nullable HttpOrigin origin;
  private volatile boolean ready;
  private volatile boolean ended;
  private volatile boolean proven;

  HttpConnection(
      HttpSettings settings,
      LinkSpeed speed,
      ConnectRequest request,
      ConnectionListener listener,
      EventLoop loop) {
    this.settings = settings;
    this.speed = speed;
    this.credential = request.credential();
    this.wantsCommands = request.receivesCommands();
    this.listener = listener;
    this.loop = loop;
  }

  /**
   * Begins to serve.
   *
   * @param tls the encryption of https; null where no address has it
   */
  void begin(@Nullable SslContext tls) {
    origin = HttpOrigin.of(settings.uri(), tls);
    URI probe = settings.probe();
    if (probe == null) {
      tell(this::nowReady);
      return;
    }
    HttpOrigin probed = HttpOrigin.of(probe, tls);
    HttpRequest head = authorized(HttpMethod.HEAD, probe, probed);
    if (head == null) {
      lose(HttpErrors.credentialNotSayable());
      return;
    }
    exchange(probe, probed, head, upload(NO_BODY, () -> {}), this::probed);
  }

  @Override
  public boolean hasMoved() {
    boolean moved = false;
    for (RequestExchange exchange : exchanges) {
      moved |= exchange.upload().hasMoved();
    }
    return moved;
  }

  @Override
  public int capacity() {
    return ready && !ended ? Math.max(0, settings.parallelRequests() - underWay.get()) : 0;
  }

  @Override
  public void send(Message message, int attempt, SendCallback callback) {
    HttpOrigin to = origin;
    if (to == null || ended) {
      return;
    }
    underWay.incrementAndGet();
    HttpRequest head = authorized(HttpMethod.POST, settings.uri(), to);
    if (head == null) {
      tell(() -> fail(callback, HttpErrors.credentialNotSayable()));
      return;
    }
    try {
      HttpEncoding.Content content = settings.encoding().encode(message);
      Upload upload = upload(content.body(), callback::onLeft);
      head.headers()
          .set(HttpHeaderNames.CONTENT_LENGTH, upload.bytes())
          .set("Idempotency-Key", PercentEncoding.visible(message.id()));
      content.headers().forEach((name, value) -> set(head, name, value));
      exchange(
          settings.uri(), to, head, upload, (answer, failure) -> sent(answer, failure, callback));
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
  public Executor executor() {
    return loop;
  }

  @Override
  public boolean isProven() {
    return proven;
  }

  @Override
  public void close() {
    ended = true;
    loop.execute(() -> exchanges.forEach(RequestExchange::cancel));
  }

  /** Tells that the connection is lost, and ends it. */
  void lose(TransportException cause) {
    tell(
        () -> {
          close();
          listener.onLost(cause);
        });
  }

  /** Returns the head of a request, or null when the credential cannot be said in a header. */
  private @Nullable HttpRequest authorized(HttpMethod method, URI uri, HttpOrigin to) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, to.target(uri));
    head.headers()
        .set(HttpHeaderNames.HOST, to.authority())
        .set(HttpHeaderNames.USER_AGENT, "Reprise/0.1");
    try {
      settings.authorization().headers(credential).forEach((name, value) -> set(head, name, value));
    } catch (RuntimeException e) {
      return null;
    }
    return head;
  }

  private static void set(HttpRequest head, String name, String value) {
    if (OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("the header " + name + " must not be set");
    }
    if (!ISO_8859_1.newEncoder().canEncode(value)) {
      throw new IllegalArgumentException("the header " + name + " must be ISO 8859-1");
    }
    head.headers().set(name, value);
  }

  private Upload upload(byte[] body, Runnable onLeft) {
    return new Upload(body, onLeft, speed, settings.requestTimeout().toNanos());
  }

  private void exchange(
      URI uri, HttpOrigin to, HttpRequest head, Upload upload, RequestExchange.Receiver receiver) {
    RequestExchange exchange =
        new RequestExchange(loop, to, uri, head, upload, settings.requestTimeout(), receiver);
    tell(
        () -> {
          exchanges.add(exchange);
          exchange.begin(() -> exchanges.remove(exchange));
        });
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

  /** Runs an event on the loop, unless the connection has ended by then. */
  private void tell(Runnable event) {
    loop.execute(
        () -> {
          if (!ended) {
            event.run();
          }
        });
  }
}
