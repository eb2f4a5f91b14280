package dev.reprise.server.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells which connections nothing happens on: no request is being received or answered, and none
 * has ended for a while. A client that does not read its answer counts as idle from when the answer
 * was written. On one event loop.
 *
 * @param <C> a connection
 */
final class IdleConnections<C> {
  private final long maxIdleNanos;
  private final Map<C, Activity> connections = new HashMap<>();

  private static final class Activity {
    long sinceNanos;
    int underWay;

    Activity(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }
  }

  IdleConnections(int maxIdleSeconds) {
    this.maxIdleNanos = TimeUnit.SECONDS.toNanos(maxIdleSeconds);
  }

  void opened(C connection, long nowNanos) {
    connections.put(connection, new Activity(nowNanos));
  }

  void closed(C connection) {
    connections.remove(connection);
  }

  /** A request has begun. */
  void began(C connection) {
    Activity activity = connections.get(connection);
    if (activity != null) {
      activity.underWay++;
    }
  }

  /** The answer to a request was handed over for writing. */
  void answered(C connection, long nowNanos) {
    Activity activity = connections.get(connection);
    if (activity != null) {
      activity.underWay = Math.max(0, activity.underWay - 1);
      activity.sinceNanos = nowNanos;
    }
  }

  /** An answer was written as a whole: the client reads. */
  void written(C connection, long nowNanos) {
    Activity activity = connections.get(connection);
    if (activity != null) {
      activity.sinceNanos = nowNanos;
    }
  }

  /** Those that may be closed. */
  List<C> idle(long nowNanos) {
    List<C> idle = new ArrayList<>(0);
    connections.forEach(
        (connection, activity) -> {
          if (activity.underWay == 0 && nowNanos - activity.sinceNanos >= maxIdleNanos) {
            idle.add(connection);
          }
        });
    return idle;
  }
}
