package dev.reprise.server.api;

import dev.reprise.server.document.Documents;
import dev.reprise.server.document.OverviewDocument;
import dev.reprise.server.document.OverviewMinutesDocument;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.EventSource;
import dev.reprise.server.http.Project;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients that are sent the overview once a second. A stream ends after a minute, and the browser
 * opens it anew: a key that was revoked, or has expired, is noticed then.
 */
final class OverviewStreams {
  static final long EVERY_MILLIS = 1000;
  static final int MAX_STREAMS = 200;

  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Overview overview;
  private final LongSupplier nanoTime;
  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private static final class Watcher {
    final @Nullable Project project;
    final EventSource.Listening client;
    final long endNanos;
    int left;

    Watcher(@Nullable Project project, EventSource.Listening client, long endNanos, int events) {
      this.project = project;
      this.client = client;
      this.endNanos = endNanos;
      this.left = events;
    }
  }

  OverviewStreams(Overview overview, LongSupplier nanoTime) {
    this.overview = overview;
    this.nanoTime = nanoTime;
  }

  /**
   * Returns what one caller may see, now.
   *
   * @param project null for everything
   */
  OverviewDocument now(@Nullable Project project) {
    return overview.of(project);
  }

  /**
   * Returns the attempts of the last hour that one caller may see.
   *
   * @param project null for everything
   */
  OverviewMinutesDocument minutes(@Nullable Project project) {
    return overview.minutes(project);
  }

  /**
   * Returns a stream of what one caller may see.
   *
   * @param events the number after which it ends
   * @throws ApiException 503 if there are too many streams, or the service stops
   */
  EventSource open(@Nullable Project project, int events) {
    if (closed || watchers.size() >= MAX_STREAMS) {
      throw new ApiException(
          ApiError.of(
                  503,
                  "overloaded",
                  closed
                      ? "the service is stopping"
                      : "there are " + MAX_STREAMS + " streams already: ask without a stream")
              .withHeader("Retry-After", "5"));
    }
    byte[] first = Documents.write(overview.of(project));
    return client -> {
      client.send(first);
      Watcher watcher = new Watcher(project, client, nanoTime.getAsLong() + MAX_NANOS, events - 1);
      watchers.add(watcher);
      if (closed || watcher.left == 0) {
        end(watcher);
      }
    };
  }

  /**
   * Sends the figures to all clients. To be called by one thread at a time, which may read the
   * store.
   */
  void tick() {
    if (watchers.isEmpty()) {
      return;
    }
    watchers.removeIf(watcher -> watcher.client.gone());
    Map<@Nullable Project, byte[]> documents = new HashMap<>();
    long now = nanoTime.getAsLong();
    for (Watcher watcher : watchers) {
      watcher.client.send(
          documents.computeIfAbsent(
              watcher.project, project -> Documents.write(overview.of(project))));
      watcher.left--;
      if (watcher.left == 0 || now - watcher.endNanos >= 0) {
        end(watcher);
      }
    }
  }

  private void end(Watcher watcher) {
    watchers.remove(watcher);
    watcher.client.end();
  }

  /** Ends all streams; there are no others from here on. */
  void close() {
    closed = true;
    watchers.forEach(this::end);
  }
}
