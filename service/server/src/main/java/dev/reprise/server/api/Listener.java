package dev.reprise.server.api;

import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.AuditTrail;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.ApiFailures;
import dev.reprise.server.http.BodyIntake;
import dev.reprise.server.http.ByteBudget;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.ClientConnection;
import dev.reprise.server.http.ClientConnections;
import dev.reprise.server.http.EventLoopQueue;
import dev.reprise.server.http.LocalRequests;
import dev.reprise.server.http.Permit;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.RequestHead;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Router;
import dev.reprise.server.nodes.Forwarding;
import dev.reprise.server.proxy.ProxySettings;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.proxy.RequestSource;
import dev.reprise.server.proxy.TrustedProxies;
import dev.reprise.server.watch.Metrics;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One event loop of the API: receives requests, has them answered, and writes the answers. Nothing
 * here waits for anything.
 *
 * <p>What a client can cost: a connection is closed whose request does not arrive within {@value
 * #RECEIVE_SECONDS} seconds after its head, and by {@link ClientConnections#closeIdle} one that
 * sends no request, sends its head too slowly or does not read its answers; one whose request is
 * being answered is not. A client that does not read its answers gets no further request served,
 * and long answers are held within a budget for all clients.
 */
public final class Listener {
  static final int RECEIVE_SECONDS = 30;
  public static final int MAX_HEADER_BYTES = 16 * 1024;
  public static final int MAX_LINE_BYTES = 8 * 1024;

  /** Answers up to this size are not counted: a connection's buffers hold as much anyway. */
  private static final int SHORT_ANSWER_BYTES = 16 * 1024;

  private final Router router;
  private final AccessControl access;
  private final AuditTrail audit;
  private final Budgets budgets;
  private final Threads threads;
  private final Metrics metrics;
  private final EventLoopQueue queue;
  private final HttpServer server;
  private final ClientConnections connections;
  private final String scheme;
  private final PublicUrl publicUrl;
  private final TrustedProxies trustedProxies;
  private final @Nullable Forwarding forwarding;
  private final Set<BodyIntake> receiving = new LinkedHashSet<>();

  /** The bytes of requests and of answers that may be held for all clients together. */
  record Budgets(ByteBudget requests, ByteBudget answers) {}

  /**
   * The threads of operations that wait: one pool for the store, one for what must be answered even
   * then.
   */
  record Threads(WorkerExecutor workers, WorkerExecutor probes) {}

  Listener(
      Vertx vertx,
      Context context,
      @Nullable ServerSSLOptions tls,
      Router router,
      AccessControl access,
      AuditTrail audit,
      Budgets budgets,
      Threads threads,
      ClientConnections connections,
      Metrics metrics,
      @Nullable Forwarding forwarding,
      ProxySettings proxies) {
    this.publicUrl = proxies.publicUrl();
    this.trustedProxies = proxies.trusted();
    this.forwarding = forwarding;
    this.router = router;
    this.access = access;
    this.audit = audit;
    this.budgets = budgets;
    this.threads = threads;
    this.connections = connections;
    this.metrics = metrics;
    this.queue = new EventLoopQueue(context);
    this.scheme = tls == null ? "http" : "https";
    this.server =
        vertx
            .createHttpServer(options(tls))
            .requestHandler(this::receive)
            .invalidRequestHandler(this::refuseInvalid)
            .connectionHandler(connections::watch);
    vertx.setPeriodic(1000, ignored -> closeSlow());
  }

  private static HttpServerOptions options(@Nullable ServerSSLOptions tls) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_LINE_BYTES)
            .setHandle100ContinueAutomatically(true)
            .setAcceptBacklog(4096)
            // Its handler would look at every request and answer.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setHttp2ClearTextEnabled(false);
    if (tls != null) {
      options
          .setSsl(true)
          .setUseAlpn(false)
          .setKeyCertOptions(tls.getKeyCertOptions())
          .setEnabledSecureTransportProtocols(tls.getEnabledSecureTransportProtocols());
    }
    return options;
  }

  /** Takes another certificate for connections from here on. */
  Future<Boolean> use(ServerSSLOptions tls) {
    return server.updateSSLOptions(tls);
  }

  /** Listens; the future returns the port. Listeners with the same port share its connections. */
  Future<Integer> listen(String host, int port) {
    return server.listen(port, host).map(HttpServer::actualPort);
  }

  /** Accepts nothing more, and closes when what is being answered is answered. */
  Future<Void> shutdown(Duration most) {
    return server.shutdown(most);
  }

  private void receive(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (!response.writeQueueFull()) {
      serve(request);
      return;
    }
    // A client that sends and sends but does not read: first it takes what it has asked for.
    request.pause();
    response.drainHandler(
        ignored -> {
          response.drainHandler(null);
          request.resume();
          serve(request);
        });
  }

  private void serve(HttpServerRequest request) {
    ClientConnection connection = connections.of(request.connection());
    connection.began();
    try {
      RequestHead.checkFraming(request);
    } catch (ApiException e) {
      refuseAndClose(request, e.error());
      return;
    }
    Router.Match match;
    Permit permit;
    MultiMap query;
    try {
      RequestHead.checkHost(request);
      String path = request.path();
      if (publicUrl.lacksSlash(path)) {
        refuse(request, movedToSlash(request));
        return;
      }
      String uri = publicUrl.uri(path, request.query(), request.uri());
      match =
          router.match(
              request.method().name(), publicUrl.inside(path), request.getHeader("Content-Type"));
      RequestSource source = source(match.route(), request);
      if (match.route().access() == Route.Access.OPEN) {
        permit = Permit.open(source);
      } else {
        if (access.keys().open()
            && !isPublic(request)
            && !access.isFromPeer(request.method().name(), uri, request.headers())) {
          LocalRequests.check(scheme, request.headers());
        }
        permit = access.admit(match.route(), uri, request.headers(), source);
        connection.keyed();
        String renewed = access.sessions().renewed(request.headers());
        if (renewed != null) {
          request.response().putHeader("Set-Cookie", renewed);
        }
      }
      query = query(request);
    } catch (RuntimeException e) {
      refuse(request, ApiFailures.toError(e).toAnswer());
      return;
    }
    Route route = match.route();
    BodyIntake intake =
        new BodyIntake(
            request,
            route.maxBodyBytes(),
            budgets.requests(),
            error -> write(request, error.toAnswer()));
    begin(
        request,
        intake,
        body -> {
          if (body == null) {
            return;
          }
          if (body.length > 0 && request.getHeader("Content-Type") == null) {
            // Browsers let any page send a body without a type to any server.
            finish(request, intake, noType(route).toAnswer());
          } else {
            run(
                route,
                new Call(
                    match.path(),
                    query,
                    route.description().parameters(),
                    request.headers(),
                    body,
                    permit),
                request,
                intake);
          }
        });
  }

  private static ApiError noType(Route route) {
    return ApiError.of(
        415,
        "unsupported_media_type",
        "Content-Type is absent: must be " + route.mediaType() + " or another that is described");
  }

  private static MultiMap query(HttpServerRequest request) {
    if (request.query() == null) {
      return MultiMap.caseInsensitiveMultiMap();
    }
    try {
      return request.params();
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(
          "query",
          RequestFields.shortened(String.valueOf(request.query())),
          "must have two hexadecimal digits after each %");
    }
  }

  private RequestSource source(Route route, HttpServerRequest request) {
    if (!trustedProxies.isEmpty()) {
      return trustedProxies.sourceOf(request.remoteAddress().hostAddress(), request.headers());
    }
    // Only where it is recorded: making the text of an address takes a while.
    String client = route.needsClient() ? request.remoteAddress().hostAddress() : "";
    return new RequestSource(client, request.getHeader("Host"), false);
  }

  /** A page at the path without its slash would look for everything one level too high. */
  private Answer movedToSlash(HttpServerRequest request) {
    String query = request.query() == null ? "" : "?" + request.query();
    return new Answer(308, "", new byte[0], Map.of("Location", publicUrl.path() + query));
  }

  /** Returns whether no page but one of the public URL can have sent a request. */
  private boolean isPublic(HttpServerRequest request) {
    String origin = request.getHeader("Origin");
    return origin == null
        ? publicUrl.isHost(request.getHeader("Host"))
        : publicUrl.isOrigin(origin);
  }

  private void refuse(HttpServerRequest request, Answer answer) {
    BodyIntake intake = new BodyIntake(request, 0, budgets.requests(), ignored -> {});
    intake.drop();
    begin(request, intake, body -> {});
    write(request, answer);
  }

  private void begin(
      HttpServerRequest request, BodyIntake intake, Consumer<byte @Nullable []> ended) {
    receiving.add(intake);
    request.exceptionHandler(
        gone -> {
          receiving.remove(intake);
          intake.drop();
        });
    intake.start(
        body -> {
          receiving.remove(intake);
          ended.accept(body);
        });
  }

  private void run(Route route, Call call, HttpServerRequest request, BodyIntake intake) {
    Forwarding others = forwarding;
    if (others == null || route.access() == Route.Access.OPEN) {
      runHere(route, call, request, intake);
      return;
    }
    CompletionStage<Optional<Answer>> elsewhere;
    try {
      elsewhere =
          others.elsewhere(
              route,
              call,
              request.method().name(),
              publicUrl.uri(request.path(), request.query(), request.uri()));
    } catch (RuntimeException e) {
      finish(request, intake, ApiFailures.toError(e).toAnswer());
      return;
    }
    if (elsewhere == null) {
      runHere(route, call, request, intake);
      return;
    }
    elsewhere.whenComplete(
        (answer, error) -> {
          if (error != null) {
            finish(request, intake, ApiFailures.toError(error).toAnswer());
          } else if (answer.isPresent()) {
            finish(request, intake, answer.get());
          } else {
            queue.run(() -> runHere(route, call, request, intake));
          }
        });
  }

  private void runHere(Route route, Call call, HttpServerRequest request, BodyIntake intake) {
    if (route.thread() == Route.RunsOn.EVENT_LOOP) {
      answer(route, call, request, intake);
      return;
    }
    WorkerExecutor executor =
        route.thread() == Route.RunsOn.PROBE ? threads.probes() : threads.workers();
    Future<@Nullable Void> ran =
        executor.executeBlocking(
            () -> {
              answer(route, call, request, intake);
              return null;
            },
            false);
    ran.onFailure(e -> finish(request, intake, ApiFailures.toError(e).toAnswer()));
  }

  /** Whatever is thrown: the client gets an answer, and the budget its bytes. */
  private void answer(Route route, Call call, HttpServerRequest request, BodyIntake intake) {
    try {
      audit
          .run(route, call)
          .whenComplete(
              (answer, error) ->
                  finish(
                      request,
                      intake,
                      error == null ? answer : ApiFailures.toError(error).toAnswer()));
    } catch (Throwable e) {
      finish(request, intake, ApiFailures.toError(e).toAnswer());
    }
  }

  private void finish(HttpServerRequest request, BodyIntake intake, Answer answer) {
    queue.run(
        () -> {
          intake.release();
          try {
            write(request, answer);
          } catch (RuntimeException | Error e) {
            // Half an answer is of no use; the client sees that the connection has ended.
            request.connection().close();
            throw e;
          }
        });
  }

  private void write(HttpServerRequest request, Answer answer) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      if (answer.transfer() != null) {
        answer.transfer().drop();
      }
      return;
    }
    int length = answer.body().length;
    boolean counted = length > SHORT_ANSWER_BYTES;
    if (counted && answer.mustArrive()) {
      budgets.answers().takeAnyway(length);
    } else if (counted && !budgets.answers().take(length)) {
      ApiError busy =
          ApiError.of(503, "overloaded", "too many long answers are being sent: try again soon");
      write(request, busy.withHeader("Retry-After", "1").toAnswer());
      return;
    }
    metrics.answered(answer.status());
    response.setStatusCode(answer.status());
    answer.headers().forEach(response::putHeader);
    // Bodies hold text of strangers, and a browser must take none of them for a page or a script.
    response.putHeader("X-Content-Type-Options", "nosniff");
    if (isOfApi(request) && !response.headers().contains("Cache-Control")) {
      // Payloads and endpoints must stay in no cache of a browser or proxy.
      response.putHeader("Cache-Control", "no-store");
    }
    if (connections.areEnding()) {
      response.putHeader("Connection", "close");
    }
    if (!answer.contentType().isEmpty()) {
      response.putHeader("Content-Type", answer.contentType());
    }
    ClientConnection connection = connections.of(request.connection());
    if (answer.transfer() != null) {
      // Being answered for as long as it goes on, so that it is not closed as idle.
      answer
          .transfer()
          .begin(response, queue)
          .onComplete(
              // Transfers end on threads of their own.
              ignored ->
                  queue.run(
                      () -> {
                        connection.answered(System.nanoTime());
                        connection.written(System.nanoTime());
                      }));
      return;
    }
    Future<Void> written;
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader("Content-Length", String.valueOf(length));
      written = response.end();
    } else {
      written = response.end(Buffer.buffer(answer.body()));
    }
    connection.answered(System.nanoTime());
    written.onComplete(ignored -> connection.written(System.nanoTime()));
    if (counted) {
      written.onComplete(ignored -> budgets.answers().give(length));
    }
  }

  private boolean isOfApi(HttpServerRequest request) {
    String path = request.path();
    return path != null && publicUrl.inside(path).startsWith("/v1/");
  }

  private void closeSlow() {
    long now = System.nanoTime();
    connections.closeIdle(now);
    Iterator<BodyIntake> oldestFirst = receiving.iterator();
    while (oldestFirst.hasNext()) {
      BodyIntake intake = oldestFirst.next();
      if (now - intake.startedNanos() < TimeUnit.SECONDS.toNanos(RECEIVE_SECONDS)) {
        return;
      }
      oldestFirst.remove();
      intake.drop();
      intake.closeConnection();
    }
  }

  private void refuseInvalid(HttpServerRequest request) {
    refuseAndClose(request, invalid(request.decoderResult().cause()));
  }

  private void refuseAndClose(HttpServerRequest request, ApiError error) {
    request.response().putHeader("Connection", "close");
    write(request, error.toAnswer());
    request.connection().close();
  }

  private static ApiError invalid(@Nullable Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return ApiError.of(
          414, "too_large", "the request line has more than " + MAX_LINE_BYTES + " bytes");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return ApiError.of(
          431, "too_large", "the headers have more than " + MAX_HEADER_BYTES + " bytes");
    }
    return ApiError.of(400, "invalid", "this is not an HTTP request: " + cause);
  }
}
