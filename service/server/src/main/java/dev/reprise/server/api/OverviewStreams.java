package dev.reprise.server.api;

import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.EventSource;
import dev.reprise.server.http.Project;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients that are sent the overview once a second. A stream ends after a minute, and the browser
 * opens it anew. It ends at the next event when its key or session is good no more.
 *
 * <p>Streams are bounded for each key, for each project and for all projects together, so that
 * operators find places whatever projects do. A place is taken before the answer begins: the bounds
 * hold however many ask at once. Safe for use by many threads.
 */
final class OverviewStreams {
  static final long EVERY_MILLIS = 1000;
  static final int MAX_OF_KEY = 25;
  static final int MAX_OF_PROJECT = 40;

  /** The most of all projects together; the rest is for operators. */
  static final int MAX_OF_PROJECTS = 150;

  static final int MAX_STREAMS = 200;

  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Figures figures;
  private final LongSupplier nanoTime;

  /** Those that have a place, whether their answers have begun or not. */
  private final List<Watcher> watchers = new ArrayList<>();

  private volatile boolean closed;

  /** The figures that a client is sent. */
  interface Figures {
    /**
     * Returns what one caller may see, now, as JSON.
     *
     * @param project null for everything
     */
    byte[] of(@Nullable Project project);
  }

  private final class Watcher implements EventSource {
    final @Nullable Project project;
    final Caller caller;
    final BooleanSupplier admitted;
    final long endNanos;
    private byte[] first = {};
    private int left;
    private EventSource.@Nullable Listening client;

    Watcher(@Nullable Project project, Caller caller, BooleanSupplier admitted, int events) {
      this.project = project;
      this.caller = caller;
      this.admitted = admitted;
      this.endNanos = nanoTime.getAsLong() + MAX_NANOS;
      this.left = events;
    }

    @Override
    public synchronized void start(Listening listening) {
      client = listening;
      send(first);
    }

    /** Does nothing before it was started. */
    synchronized void send(byte[] event) {
      if (client == null) {
        return;
      }
      if (left > 0) {
        client.send(event);
        left--;
      }
      if (left == 0 || closed) {
        end();
      }
    }

    synchronized void end() {
      left = 0;
      drop();
      if (client != null) {
        client.end();
        client = null;
      }
    }

    @Override
    public void drop() {
      remove(this);
    }

    synchronized boolean isOver() {
      return nanoTime.getAsLong() - endNanos >= 0 || (client != null && client.gone());
    }
  }

  /**
   * No streams yet.
   *
   * @param nanoTime a monotonic clock
   */
  OverviewStreams(Figures figures, LongSupplier nanoTime) {
    this.figures = figures;
    this.nanoTime = nanoTime;
  }

  /**
   * Returns a stream of what one caller may see.
   *
   * @param admitted whether the key or session of the request is still good; asked at each event
   * @param events the number after which it ends
   * @throws ApiException 503 if there are too many streams, or the service stops
   */
  EventSource open(@Nullable Project project, Caller caller, BooleanSupplier admitted, int events) {
    Watcher watcher = new Watcher(project, caller, admitted, events);
    synchronized (watchers) {
      checkRoom(caller);
      watchers.add(watcher);
    }
    try {
      watcher.first = figures.of(project);
    } catch (RuntimeException | Error e) {
      watcher.drop();
      throw e;
    }
    return watcher;
  }

  private void checkRoom(Caller caller) {
    String project = caller.project();
    if (closed) {
      throw refused("the service is stopping");
    }
    if (count(other -> other.key().equals(caller.key())) >= MAX_OF_KEY) {
      throw full(caller.described() + " has", MAX_OF_KEY, "the most of a key");
    }
    if (project != null) {
      if (count(other -> project.equals(other.project())) >= MAX_OF_PROJECT) {
        throw full("project '" + project + "' has", MAX_OF_PROJECT, "the most of a project");
      }
      if (count(other -> !other.isOperator()) >= MAX_OF_PROJECTS) {
        throw full("there are", MAX_OF_PROJECTS, "the most of all projects");
      }
    }
    if (watchers.size() >= MAX_STREAMS) {
      throw full("there are", MAX_STREAMS, "the most of all");
    }
  }

  private long count(Predicate<Caller> callers) {
    return watchers.stream().filter(each -> callers.test(each.caller)).count();
  }

  private static ApiException full(String subject, int most, String bound) {
    return refused(
        subject + " " + most + " streams already, " + bound + ": ask for /v1/overview instead");
  }

  private static ApiException refused(String message) {
    return new ApiException(ApiError.of(503, "overloaded", message).withHeader("Retry-After", "5"));
  }

  private void remove(Watcher watcher) {
    synchronized (watchers) {
      watchers.remove(watcher);
    }
  }

  private List<Watcher> all() {
    synchronized (watchers) {
      return List.copyOf(watchers);
    }
  }

  /**
   * Sends the figures to all clients. To be called by one thread at a time, which may read the
   * store.
   */
  void tick() {
    Map<@Nullable Project, byte[]> documents = new HashMap<>();
    for (Watcher watcher : all()) {
      if (watcher.isOver() || !watcher.admitted.getAsBoolean()) {
        watcher.end();
      } else {
        watcher.send(documents.computeIfAbsent(watcher.project, figures::of));
      }
    }
  }

  /** Ends all streams; there are no others from here on. */
  void close() {
    closed = true;
    all().forEach(Watcher::end);
  }
}
