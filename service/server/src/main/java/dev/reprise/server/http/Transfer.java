package dev.reprise.server.http;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;

/** The rest of an answer that is sent bit by bit, after its status and headers. */
public interface Transfer {
  /**
   * Begins to send. Called once, on the event loop of the client, where it must not wait.
   *
   * @return completes when the answer has ended, sent as a whole or not
   */
  Future<Void> begin(HttpServerResponse response, EventLoopQueue queue);

  /** The client has gone before anything was sent. Called instead of {@link #begin}. */
  default void drop() {}
}
