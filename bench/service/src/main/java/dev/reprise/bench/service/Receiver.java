package dev.reprise.bench.service;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Endpoints in this process that tell when a numbered message has arrived. */
final class Receiver implements AutoCloseable {
  /** The beginning of the paths that are never answered. */
  static final String HANGING = "/hanging";

  private final Vertx vertx;
  private final int port;

  /** {@code arrived} is told the number in the body, on one thread. */
  Receiver(Vertx vertx, LongConsumer arrived) throws Exception {
    this.vertx = vertx;
    this.port =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("0.0.0.0").setPort(0))
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              if (!request.path().startsWith(HANGING)) {
                                arrived.accept(Messages.number(body.toString()));
                                request.response().setStatusCode(204).end();
                              }
                            }))
            .listen()
            .toCompletionStage()
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS)
            .actualPort();
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    vertx.close();
  }
}
