package dev.reprise.server.event;

import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Labelling;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.OverloadedException;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.store.StoreException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes operator events to the reserved topic of the project that they are about, on a thread
 * of its own. A caller never waits: there is a bounded queue, and what finds no room in it is
 * dropped and counted; counts of deliveries wait instead. An event is durable once it is published;
 * what a crash loses is what happened just before it.
 *
 * <p>There is no event about deliveries of operator events. Without a subscription, an event is
 * only counted in the metrics. Safe for use by many threads.
 */
public final class OperatorEvents implements AutoCloseable {
  /** The most events that wait to be published. */
  static final int MAX_WAITING = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(OperatorEvents.class);

  private static final long LOOK_MILLIS = 1000;
  private static final long MAX_PUBLISH_SECONDS = 30;
  private static final long MAX_CLOSE_SECONDS = 2;

  private final Counts counts;
  private final Queue<EventMessage> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Troubles troubles =
      new Troubles(this::offer, System::nanoTime, System::currentTimeMillis);
  private final AtomicBoolean publishesSoon = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1,
          work -> {
            Thread daemon = new Thread(work, "reprise-operator-events");
            daemon.setDaemon(true);
            return daemon;
          },
          // Events that come after the end are not published; close() logs how many were left.
          new ThreadPoolExecutor.DiscardPolicy());

  private volatile @Nullable DeliveryEngine engine;

  /** Counts events. */
  public interface Counts {
    /** An event was made, with or without a subscription to it. */
    void told(OperatorEvent.Type type);

    /** An event was dropped. */
    void dropped(OperatorEvent.Type type);
  }

  /** Events that wait until {@link #start}. */
  public OperatorEvents(Counts counts) {
    this.counts = counts;
  }

  /**
   * Begins to publish, and to watch carriers, disk and clock.
   *
   * @param node of a cluster that this is; null for a single service
   */
  public void start(DeliveryEngine running, Carriers carriers, @Nullable String node) {
    ServiceFacts facts = new ServiceFacts(running, carriers);
    ServiceWatch watch =
        new ServiceWatch(
            facts::carriers,
            () -> holds(running, facts),
            facts::disk,
            new ServiceWatch.Clock(node, facts::clock),
            System::nanoTime,
            this::tell);
    engine = running;
    var unused =
        thread.scheduleWithFixedDelay(() -> look(watch), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Returns all that waits because everything before it was refused alike, but for carriers. */
  private static Map<String, OperatorEvent.EndpointHeld> holds(
      DeliveryEngine running, ServiceFacts facts) {
    Map<String, OperatorEvent.EndpointHeld> events = new HashMap<>();
    for (RefusalHold hold : facts.held()) {
      Subscription subscription =
          hold.subscription() == 0 ? null : running.catalog().findSubscription(hold.subscription());
      events.put(
          hold.group() + " " + hold.subscription(),
          new OperatorEvent.EndpointHeld(
              subscription == null ? Topic.DEFAULT_PROJECT : subscription.project(),
              subscription == null ? null : subscription.topic(),
              subscription == null ? null : subscription.id(),
              subscription == null ? hold.group() : null,
              Troubles.harmless(hold.code()),
              hold.count(),
              Troubles.harmless(hold.reason())));
    }
    return events;
  }

  private void look(ServiceWatch watch) {
    try {
      watch.look();
      troubles.tell();
      publishAll();
    } catch (RuntimeException e) {
      // The next look must come.
      LOG.error("operator events could not be published", e);
    }
  }

  // --- what happens -----------------------------------------------------------------------

  /** A delivery was given up. */
  public void gaveUp(Subscription subscription, GivenUp delivery) {
    if (!subscription.isOfOperator()) {
      troubles.gaveUp(subscription, delivery);
    }
  }

  /** Returns true if the next success of a subscription is to be passed to {@link #delivered}. */
  public boolean awaits(long subscription) {
    return troubles.awaits(subscription);
  }

  /** An attempt has succeeded. */
  public void delivered(long subscription) {
    troubles.delivered(subscription);
  }

  /** A subscription was deleted. */
  public void forget(long subscription) {
    troubles.forget(subscription);
  }

  /**
   * A subscription was suspended or released. One that was created suspended is as it should be.
   */
  public void suspensionChanged(Subscription subscription, SuspensionChange change) {
    Suspension suspension = change.suspension();
    if (subscription.isOfOperator()
        || (suspension != null && suspension.cause() == Suspension.Cause.CREATION)) {
      return;
    }
    if (suspension == null) {
      tell(OperatorEvent.SubscriptionReleased.of(subscription));
      return;
    }
    if (suspension.cause() == Suspension.Cause.ENDPOINT) {
      troubles.gone(subscription);
    }
    tell(
        new OperatorEvent.SubscriptionSuspended(
            subscription.project(),
            subscription.topic(),
            subscription.id(),
            suspension.cause().name().toLowerCase(Locale.ROOT),
            suspension.reason().isEmpty() ? null : Troubles.harmless(suspension.reason())));
  }

  /** Anything else has happened. */
  public void tell(OperatorEvent event) {
    if (!offer(event)) {
      counts.dropped(event.type());
    }
  }

  private boolean offer(OperatorEvent event) {
    if (mayBeWanted(event)) {
      if (!waiting.offer(EventMessage.of(event, labelling(event), System.currentTimeMillis()))) {
        return false;
      }
      publishSoon();
    }
    counts.told(event.type());
    return true;
  }

  /** Returns by what the subscription of an event is recognized, if it is still there. */
  private Labelling labelling(OperatorEvent event) {
    DeliveryEngine running = engine;
    String id = event.subscription();
    Subscription subscription =
        running == null || id == null
            ? null
            : running.catalog().of(event.project()).findSubscription(id);
    return subscription == null ? Labelling.NONE : subscription.settings().labelling();
  }

  private boolean mayBeWanted(OperatorEvent event) {
    DeliveryEngine running = engine;
    return running == null || !topic(running, event).subscriptions().isEmpty();
  }

  private static Catalog.Entry topic(DeliveryEngine engine, OperatorEvent event) {
    return engine.catalog().of(event.project()).topic(Topic.OPERATOR);
  }

  // --- publishing -------------------------------------------------------------------------

  private void publishSoon() {
    if (publishesSoon.compareAndSet(false, true)) {
      thread.execute(
          () -> {
            publishesSoon.set(false);
            publishAll();
          });
    }
  }

  /** Publishes what waits; what cannot be published just now is tried again at the next look. */
  private void publishAll() {
    DeliveryEngine running = engine;
    EventMessage next;
    while (running != null && (next = waiting.peek()) != null) {
      try {
        publish(running, next);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (ExecutionException | TimeoutException | RuntimeException e) {
        Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
        if (isPassing(cause)) {
          return;
        }
        LOG.error("an operator event could not be published: {}", next.event(), cause);
        counts.dropped(next.event().type());
      }
      waiting.remove();
    }
  }

  private static void publish(DeliveryEngine engine, EventMessage message)
      throws ExecutionException, InterruptedException, TimeoutException {
    Catalog.Entry topic = topic(engine, message.event());
    if (topic.wants(message.attributes())) {
      engine
          .publishFromReserve(topic, message.payload(), message.attributes(), message.key())
          .toCompletableFuture()
          .get(MAX_PUBLISH_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static boolean isPassing(@Nullable Throwable error) {
    return error instanceof StoreException
        || error instanceof OverloadedException
        || error instanceof ShardElsewhereException
        || error instanceof EngineClosedException
        || error instanceof TimeoutException;
  }

  /** Publishes what waits, the counts of the last minute included, for two seconds at the most. */
  @Override
  public void close() {
    thread.execute(
        () -> {
          troubles.tellAll();
          publishAll();
        });
    thread.shutdown();
    try {
      if (!thread.awaitTermination(MAX_CLOSE_SECONDS, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
    if (!waiting.isEmpty()) {
      LOG.warn("{} operator events were not published", waiting.size());
    }
  }
}
