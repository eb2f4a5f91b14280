package dev.reprise.delivery.http;

import io.vertx.core.http.impl.HttpClientConnection;
import io.vertx.core.http.impl.UnpooledHttpClientConnection;

/**
 * A connection that was not made by the client of Vert.x, which would otherwise see to what the
 * endpoint changes: how many streams it allows, and when it takes no more.
 */
final class TunnelledConnection extends UnpooledHttpClientConnection {
  private long streams;

  TunnelledConnection(HttpClientConnection actual) {
    super(actual);
    streams = actual.concurrency();
    // Without a handler Vert.x logs each connection that ends as a warning.
    actual.evictionHandler(nothing -> {});
    actual.concurrencyChangeHandler(this::changed);
  }

  private synchronized void changed(long now) {
    streams = now;
  }

  /** Never more than at first: beyond that, Vert.x would let requests wait. */
  @Override
  public synchronized long maxActiveStreams() {
    return Math.min(streams, super.maxActiveStreams());
  }
}
