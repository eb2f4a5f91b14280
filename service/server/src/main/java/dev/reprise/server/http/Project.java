package dev.reprise.server.http;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.ProjectCatalog;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A project at work: what belongs to it, and its quotas. Safe for use by many threads. */
public final class Project {
  /** Seconds after which a publish may be tried again when too much is pending. */
  private static final String LATER = "5";

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final ProjectCatalog catalog;
  private final long createdAtMillis;
  private final LongSupplier nanoTime;
  private final LongAdder publishes = new LongAdder();
  private volatile State state;
  private boolean deleted;
  private volatile long pending;
  private volatile double publishesPerSecond;

  /** The settings, and what enforces them. */
  private record State(ProjectSettings settings, @Nullable RateLimit rate) {
    static State of(ProjectSettings settings, LongSupplier nanoTime) {
      int perSecond = settings.quotas().publishesPerSecond();
      return new State(
          settings, perSecond == ProjectQuotas.NONE ? null : new RateLimit(perSecond, nanoTime));
    }
  }

  /**
   * A project.
   *
   * @param createdAtMillis when it was created, wall time; 0 for the default one, which always was
   * @param nanoTime a monotonic clock
   */
  public Project(
      ProjectCatalog catalog,
      long createdAtMillis,
      ProjectSettings settings,
      LongSupplier nanoTime) {
    this.catalog = catalog;
    this.createdAtMillis = createdAtMillis;
    this.nanoTime = nanoTime;
    this.state = State.of(settings, nanoTime);
  }

  public String name() {
    return catalog.project();
  }

  public ProjectCatalog catalog() {
    return catalog;
  }

  public long createdAtMillis() {
    return createdAtMillis;
  }

  public ProjectSettings settings() {
    return state.settings();
  }

  /** Takes other settings. A rate that stays goes on with the tokens that are left. */
  public void use(ProjectSettings settings) {
    State before = state;
    boolean sameRate =
        before.settings().quotas().publishesPerSecond() == settings.quotas().publishesPerSecond();
    state = sameRate ? new State(settings, before.rate()) : State.of(settings, nanoTime);
  }

  /**
   * Lets a message pass.
   *
   * @throws ApiException 413 if it is larger than the quota, 429 if the project has published too
   *     much in this second or has too much pending
   */
  public void admit(Payload payload) {
    State now = state;
    ProjectQuotas quotas = now.settings().quotas();
    if (quotas.messageBytes() != ProjectQuotas.NONE) {
      long bytes =
          payload.body().length + (long) payload.attributes().length + payload.bodies().length;
      if (bytes > quotas.messageBytes()) {
        throw new ApiException(
            ApiError.of(
                413,
                "too_large",
                sentence("messageBytes", quotas.messageBytes(), "the message has " + bytes)));
      }
    }
    if (quotas.pendingDeliveries() != ProjectQuotas.NONE && pending >= quotas.pendingDeliveries()) {
      throw new ApiException(
          exceeded(429, "pendingDeliveries", quotas.pendingDeliveries(), "there are " + pending)
              .error()
              .withHeader("Retry-After", LATER));
    }
    RateLimit rate = now.rate();
    long wait = rate == null ? 0 : rate.take();
    if (wait > 0) {
      long seconds = Math.max(1, (wait + SECOND - 1) / SECOND);
      throw new ApiException(
          exceeded(429, "publishesPerSecond", quotas.publishesPerSecond(), "it is reached")
              .error()
              .withHeader("Retry-After", String.valueOf(seconds)));
    }
    publishes.increment();
  }

  /** Makes a topic, unless that would be one too many. No other is made meanwhile. */
  public synchronized <T> T addingTopic(String topic, Supplier<T> change) {
    if (deleted) {
      throw new NotFoundException("project", name());
    }
    int most = settings().quotas().topics();
    if (most != ProjectQuotas.NONE && catalog.find(topic) == null) {
      int count = catalog.topicCount();
      if (count >= most) {
        throw exceeded(409, "topics", most, "there are " + count);
      }
    }
    return change.get();
  }

  /** Makes a subscription, unless that would be one too many. No other is made meanwhile. */
  public synchronized <T> T addingSubscription(Supplier<T> change) {
    if (deleted) {
      throw new NotFoundException("project", name());
    }
    int most = settings().quotas().subscriptions();
    if (most != ProjectQuotas.NONE) {
      int count = catalog.subscriptionCount();
      if (count >= most) {
        throw exceeded(409, "subscriptions", most, "there are " + count);
      }
    }
    return change.get();
  }

  /** Deletes it: {@code change} throws if it must stay. No topic is made meanwhile, or after. */
  public synchronized void delete(Runnable change) {
    change.run();
    deleted = true;
  }

  private ApiException exceeded(int status, String quota, int most, String used) {
    return new ApiException(ApiError.of(status, "quota_exceeded", sentence(quota, most, used)));
  }

  private String sentence(String quota, int most, String used) {
    return "quota " + quota + " of project '" + name() + "' is " + most + ": " + used;
  }

  /** Returns true if what is pending must be counted. */
  public boolean boundsPending() {
    return settings().quotas().pendingDeliveries() != ProjectQuotas.NONE;
  }

  /** Takes the number of pending deliveries as it was just counted. */
  public void countedPending(long count) {
    pending = count;
  }

  /** Notes how much was published since the last call. */
  public void countedPublishes(double seconds) {
    publishesPerSecond = publishes.sumThenReset() / seconds;
  }

  /** Publishes a second, as they were last counted. */
  public double publishesPerSecond() {
    return publishesPerSecond;
  }
}
