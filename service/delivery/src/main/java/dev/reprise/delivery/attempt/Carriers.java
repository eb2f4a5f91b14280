package dev.reprise.delivery.attempt;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.CarrierDocuments;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.secret.SecretKeys;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The carriers of this process, running. One whose kind, settings or secrets this program cannot
 * use is at fault until it is changed: its deliveries wait, and everything else goes on. Safe for
 * use by many threads.
 */
public final class Carriers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Carriers.class);

  /** The wait of what is given back by a carrier that only the operator can repair. */
  private static final Duration UNTIL_MENDED = Duration.ofSeconds(30);

  /** The wait of what is given back because this process has its part of a carrier's window. */
  private static final Duration UNTIL_ONE_IS_FREE = Duration.ofMillis(100);

  private final CarrierTypes types;
  private final SecretKeys keys;
  private final HttpSender http;
  private final AddressGuard guard;
  private final Map<String, Carrier> running = new ConcurrentHashMap<>();
  private final Catalog catalog;

  /** Of each carrier that is shared with other processes, the attempts under way here. */
  private final Map<String, AtomicInteger> underWay = new ConcurrentHashMap<>();

  private volatile IntUnaryOperator part = IntUnaryOperator.identity();
  private volatile Supplier<List<RefusalHold>> holds = List::of;
  private volatile Events events = Events.NONE;
  private volatile boolean closed;

  /** Is notified of what carriers report beside the outcomes of attempts, and of their limits. */
  public interface Events {
    /** Ignores all events. */
    Events NONE = new Events() {};

    /** A carrier is new, or has other limits. */
    default void limited(CarrierDefinition carrier) {}

    /** A carrier has reported how a message fared later. */
    default void received(String carrier, Receipt receipt) {}

    /** A carrier works again. */
    default void recovered(String carrier) {}

    /** A carrier was changed: what it refused before says nothing of what it will. */
    default void changed(String carrier) {}
  }

  /**
   * The carriers of a catalog, none of which runs before {@link #start}.
   *
   * @param http the client for carriers that speak HTTP
   * @param guard the addresses that HTTP may go to
   */
  public Carriers(
      Catalog catalog, CarrierTypes types, SecretKeys keys, HttpSender http, AddressGuard guard) {
    this.catalog = catalog;
    this.types = types;
    this.keys = keys;
    this.http = http;
    this.guard = guard;
  }

  /** Starts the carriers that there are. To be called before anything is sent through them. */
  public void start(Events newEvents) {
    events = newEvents;
    catalog.carriers().forEach(this::run);
  }

  /**
   * Sets up a carrier.
   *
   * @param document the request, see {@link CarrierDocuments}
   * @return the carrier, which is not stored yet: {@link #put} does that
   * @throws InvalidRequestException with every rule that is broken
   */
  public CarrierDefinition read(
      JsonNode document, @Nullable CarrierDefinition before, long nowMillis) {
    return CarrierDocuments.read(document, before, types, keys, nowMillis);
  }

  /**
   * Stores a carrier and runs it, in place of the one with its name if there is one.
   *
   * @param before the carrier as the caller knows it; null for a new one
   * @throws dev.reprise.delivery.catalog.ConflictException if another change came between
   */
  public synchronized void put(CarrierDefinition carrier, @Nullable CarrierDefinition before) {
    catalog.putCarrier(carrier, before);
    events.limited(carrier);
    run(carrier);
    // What waits for the old one is tried with the new one.
    events.recovered(carrier.name());
    events.changed(carrier.name());
  }

  /** Deletes a carrier that no subscription names. */
  public synchronized void delete(String name) {
    catalog.deleteCarrier(name);
    end(name, running.remove(name));
  }

  /** A carrier was changed by another process: it runs as it is now, or ends. */
  public synchronized void refresh(String name) {
    CarrierDefinition now = catalog.findCarrier(name);
    if (now == null) {
      end(name, running.remove(name));
      return;
    }
    events.limited(now);
    run(now);
    events.recovered(name);
  }

  private void run(CarrierDefinition definition) {
    Carrier before = running.put(definition.name(), open(definition, new Context(definition)));
    end(definition.name(), before);
    if (closed) {
      end(definition.name(), running.remove(definition.name()));
    }
  }

  /** Encrypts every secret again that is not under the current key; returns how many had to be. */
  public int rotateSecrets() {
    return keys.isEmpty() ? 0 : catalog.rotateSecrets(keys, types::secretsOf);
  }

  private Carrier open(CarrierDefinition definition, CarrierContext context) {
    CarrierType<?> type = types.find(definition.type());
    if (type == null) {
      return unusable(
          definition, "this program has no kind of carrier called '" + definition.type() + "'");
    }
    try {
      return CarrierDocuments.open(type, definition, keys, context);
    } catch (SecretKeys.UnreadableSecretException | InvalidRequestException e) {
      return unusable(definition, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.error("carrier {} could not be started", definition.name(), e);
      return unusable(definition, "could not be started: " + e);
    }
  }

  private static Carrier unusable(CarrierDefinition definition, String reason) {
    LOG.warn("carrier {} cannot be used: {}", definition.name(), reason);
    return new Unusable(reason, System.currentTimeMillis());
  }

  /**
   * Sets how many of a carrier's attempts at the same time belong to this process: other processes
   * may use the same carrier.
   *
   * @param newPart given the limit; asked at each attempt
   */
  public void shareBy(IntUnaryOperator newPart) {
    part = newPart;
  }

  /** Makes an attempt through a carrier. */
  void send(String name, CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    Carrier carrier = running.get(name);
    if (carrier == null) {
      done.accept(AttemptOutcome.givenBack("carrier '" + name + "' does not run", UNTIL_MENDED));
      return;
    }
    Consumer<AttemptOutcome> ended = begin(name, done);
    if (ended != null) {
      carrier.send(attempt, ended);
    }
  }

  /**
   * Counts an attempt of a carrier that is shared with other processes.
   *
   * @return what is to be given the outcome; null if the attempt was given back, because the others
   *     may use the rest
   */
  @Nullable Consumer<AttemptOutcome> begin(String name, Consumer<AttemptOutcome> done) {
    CarrierDefinition definition = catalog.findCarrier(name);
    int limit = definition == null ? 0 : definition.maxInFlight();
    int here = part.applyAsInt(limit);
    if (here == limit) {
      return done;
    }
    AtomicInteger count = underWay.computeIfAbsent(name, key -> new AtomicInteger());
    if (count.incrementAndGet() > here) {
      count.decrementAndGet();
      done.accept(
          AttemptOutcome.givenBack(
              here + " attempts are under way, this node's part of " + limit, UNTIL_ONE_IS_FREE));
      return null;
    }
    return outcome -> {
      count.decrementAndGet();
      done.accept(outcome);
    };
  }

  /** Returns the carrier with this name; null if it does not run. */
  public @Nullable Carrier find(String name) {
    return running.get(name);
  }

  /**
   * Returns the states of all carriers, by name. One that refuses everything alike is at fault as
   * well: {@link #holdsFrom}.
   */
  public Map<String, CarrierState> states() {
    List<RefusalHold> held = holds.get();
    Map<String, CarrierState> states = new TreeMap<>();
    running.forEach((name, carrier) -> states.put(name, state(name, carrier, held)));
    return states;
  }

  /** Returns the state of one carrier, which is at fault if it does not run. */
  public CarrierState state(String name) {
    Carrier carrier = running.get(name);
    return carrier == null
        ? new CarrierState("does not run", 0, 0, 0)
        : state(name, carrier, holds.get());
  }

  /** Sets the source of the deliveries that wait because those before them were refused alike. */
  public void holdsFrom(Supplier<List<RefusalHold>> newHolds) {
    holds = newHolds;
  }

  private CarrierState state(String name, Carrier carrier, List<RefusalHold> held) {
    CarrierState state = carrier.state();
    // What waits behind a proxy was refused by its endpoint.
    if (state.fault() != null || held.isEmpty() || carrier instanceof ProxyCarrier) {
      return state;
    }
    RefusalHold hold = hold(name, held);
    return hold == null
        ? state
        : new CarrierState(
            hold.reason(), hold.sinceMillis(), state.connections(), state.inFlight());
  }

  /** All of a carrier is held, at once or each of its subscriptions; null if that is not so. */
  private @Nullable RefusalHold hold(String name, List<RefusalHold> held) {
    String group = SubscriptionSettings.groupOf(name);
    Map<Long, RefusalHold> single = new HashMap<>();
    for (RefusalHold each : held) {
      if (!each.group().equals(group)) {
        continue;
      }
      if (each.subscription() == 0) {
        return each;
      }
      single.put(each.subscription(), each);
    }
    if (single.isEmpty()) {
      return null;
    }
    for (Subscription subscription : catalog.subscriptions()) {
      if (subscription.settings().group().equals(group)
          && !single.containsKey(subscription.number())) {
        return null;
      }
    }
    return Collections.min(single.values(), Comparator.comparingLong(RefusalHold::sinceMillis));
  }

  /** Returns the kinds of carriers that this program knows. */
  public CarrierTypes types() {
    return types;
  }

  /** Returns the keys under which secrets are encrypted. */
  public SecretKeys keys() {
    return keys;
  }

  /**
   * Connects as the carrier would, and sends nothing.
   *
   * @return completes with what was reached; fails with a {@link CarrierException}
   */
  public CompletionStage<String> test(CarrierDefinition definition) {
    Carrier carrier = open(definition, new Trial(definition));
    // Not on a thread of the carrier, whose end is waited for.
    return carrier.test().whenCompleteAsync((reached, error) -> end(definition.name(), carrier));
  }

  private static void end(String name, @Nullable Carrier carrier) {
    if (carrier == null) {
      return;
    }
    try {
      carrier.close();
    } catch (Exception e) {
      LOG.warn("carrier {} did not stop in order", name, e);
    }
  }

  @Override
  public void close() {
    closed = true;
    running.keySet().forEach(name -> end(name, running.remove(name)));
  }

  /** The surroundings of a carrier that is only tried. */
  private class Trial implements CarrierContext {
    final CarrierDefinition definition;

    Trial(CarrierDefinition definition) {
      this.definition = definition;
    }

    @Override
    public String name() {
      return definition.name();
    }

    @Override
    public int maxInFlight() {
      return definition.maxInFlight();
    }

    @Override
    public HttpSender http() {
      return http;
    }

    @Override
    public AddressGuard guard() {
      return guard;
    }

    @Override
    public void received(Receipt receipt) {
      // A trial has sent nothing.
    }

    @Override
    public void recovered() {
      // No delivery waits for a trial.
    }
  }

  private final class Context extends Trial {
    Context(CarrierDefinition definition) {
      super(definition);
    }

    @Override
    public void received(Receipt receipt) {
      events.received(name(), receipt);
    }

    @Override
    public void recovered() {
      events.recovered(name());
    }
  }

  private record Unusable(String reason, long sinceMillis) implements Carrier {
    @Override
    public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
      done.accept(AttemptOutcome.givenBack(reason, UNTIL_MENDED));
    }

    @Override
    public CarrierState state() {
      return new CarrierState(reason, sinceMillis, 0, 0);
    }

    @Override
    public CompletionStage<String> test() {
      return CompletableFuture.failedFuture(new CarrierException(reason));
    }

    @Override
    public void close() {
      // Nothing runs.
    }
  }
}
