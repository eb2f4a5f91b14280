package dev.reprise.server.watch;

import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.ShardTotals;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.http.HttpFigures;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.event.OperatorEvent;
import dev.reprise.server.event.OperatorEvents;
import dev.reprise.server.http.ByteBudget;
import dev.reprise.server.http.ClientConnections;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The metrics of the service, in the format of Prometheus.
 *
 * <p>There are no labels for topics or subscriptions: with thousands of them, each series would be
 * multiplied by thousands. The API returns the figures of each: {@code /v1/ledger} and {@code
 * /v1/subscriptions/ID}. Only deliveries that were given up are counted by subscription, for so
 * many as {@link GivenUpSeries} is to have.
 */
public final class Metrics implements AutoCloseable {
  private static final Duration[] BUCKETS =
      IntStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private static final List<String> HELD_KINDS = List.of("subscription", "host", "carrier");

  /** Stands for the code where the series is there for its 0 only. */
  private static final String NO_CODE = "(none)";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  private final Counter published = counter("reprise.messages.published", "Messages accepted");
  private final Counter known =
      counter("reprise.messages.repeated", "Publishes whose idempotency key was known");
  private final Counter refused =
      counter(
          "reprise.publishes.failed",
          "Publishes that were refused as invalid, or failed; each line counts by itself");
  private final LongAdder publishing = new LongAdder();
  private final Timer publishTime =
      timer("reprise.publish.duration", "From the arrival of a publish until it is durable");
  private final Timer firstAttempt =
      timer("reprise.first.attempt.delay", "From publishing until the first attempt starts");
  private final Timer attemptTime = timer("reprise.attempt.duration", "How long attempts take");
  private final Counter[] byStatus =
      Stream.of("1xx", "2xx", "3xx", "4xx", "5xx").map(this::attempts).toArray(Counter[]::new);
  private final Counter[] answers =
      Stream.of("1xx", "2xx", "3xx", "4xx", "5xx").map(this::answers).toArray(Counter[]::new);
  private final Counter otherStatus = attempts("other");
  private final Counter timeouts = attempts("timeout");
  private final Counter connectionErrors = attempts("connection");
  private final Counter refusals = attempts("refused");
  private final Counter notMade =
      counter(
          "reprise.attempts.not.made",
          "Attempts postponed because no connection was free; not counted as attempts");

  private final GivenUpSeries givenUp;

  private final MultiGauge carrierFaults =
      multiGauge(
          "reprise.carrier.fault", "1 while a carrier cannot be used, so that its deliveries wait");
  private final MultiGauge carrierAttempts =
      multiGauge("reprise.carrier.in.flight", "Attempts under way through a carrier");
  private final MultiGauge carrierConnections =
      multiGauge("reprise.carrier.connections", "Connections of a carrier that are open");
  private final ReceiptSeries receipts;

  private final Map<OperatorEvent.Type, Counter> events = new EnumMap<>(OperatorEvent.Type.class);
  private final Map<OperatorEvent.Type, CounterFromZero> eventsDropped =
      new EnumMap<>(OperatorEvent.Type.class);

  private final GrowthHere accepted = new GrowthHere();
  private final GrowthHere delivered = new GrowthHere();
  private final Map<RepeatReason, GrowthHere> repeated = new EnumMap<>(RepeatReason.class);

  /** The ledger at the last scrape. */
  private volatile Ledger ledger = Ledger.EMPTY;

  /**
   * Metrics of nothing yet.
   *
   * @param subscriptions how many subscriptions have series of their own; 0 or more
   * @param zeroFor how long counters that alerts are on stay 0 from their first reading
   * @param nanoTime a monotonic clock
   */
  public Metrics(int subscriptions, Duration zeroFor, LongSupplier nanoTime) {
    CounterFromZero.Maker fromZero = new CounterFromZero.Maker(registry, zeroFor, nanoTime);
    givenUp = new GivenUpSeries(fromZero, subscriptions);
    receipts = new ReceiptSeries(fromZero);
    FunctionCounter.builder("reprise.deliveries.accepted", accepted, GrowthHere::sum)
        .description("Deliveries that shards of this process have accepted since the start")
        .register(registry);
    FunctionCounter.builder("reprise.deliveries.delivered", delivered, GrowthHere::sum)
        .description("Deliveries that shards of this process have delivered since the start")
        .register(registry);
    for (RepeatReason reason : RepeatReason.values()) {
      GrowthHere growth = new GrowthHere();
      repeated.put(reason, growth);
      FunctionCounter.builder("reprise.attempts.repeated", growth, GrowthHere::sum)
          .tag("reason", reason.wireName())
          .description(
              "Attempts since the start that may have delivered a message again, by reason")
          .register(registry);
    }
    for (OperatorEvent.Type type : OperatorEvent.Type.values()) {
      events.put(
          type,
          Counter.builder("reprise.operator.events")
              .description("Operator events, with or without a subscription to them")
              .tag("type", type.wireName())
              .register(registry));
      eventsDropped.put(
          type,
          fromZero.counter(
              "reprise.operator.events.dropped",
              "Operator events that were not published because there was no room",
              Tags.of("type", type.wireName())));
    }
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  private Counter attempts(String outcome) {
    return Counter.builder("reprise.attempts")
        .description("Attempts that have ended, by outcome")
        .tag("outcome", outcome)
        .register(registry);
  }

  private Counter answers(String status) {
    return Counter.builder("reprise.api.answers")
        .description("Requests answered, by status")
        .tag("status", status)
        .register(registry);
  }

  private final MultiGauge held =
      multiGauge(
          "reprise.held",
          "Subscriptions, hosts and carriers whose deliveries are held because all before them were"
              + " refused with this code");
  private final MultiGauge heldRefused =
      multiGauge(
          "reprise.held.refused",
          "Deliveries that were given up with this code before the rest was held");

  private MultiGauge multiGauge(String name, String description) {
    return MultiGauge.builder(name).description(description).register(registry);
  }

  private Timer timer(String name, String description) {
    return Timer.builder(name)
        .description(description)
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  /** Also shows what the engine knows. */
  public void watch(DeliveryEngine engine) {
    gauge("reprise.publishes.waiting", "Publishes not yet durable", this, m -> m.publishing.sum());
    gauge("reprise.attempts.in.flight", "Attempts under way", engine, DeliveryEngine::inFlight);
    gauge(
        "reprise.store.disk.bytes",
        "Bytes of the data folder",
        engine,
        e -> orUnknown(() -> e.store().diskBytes()));
    gauge(
        "reprise.store.native.memory.bytes",
        "Memory of the store outside the heap",
        engine,
        e -> orUnknown(() -> e.store().nativeBytes()));
    gauge(
        "reprise.store.free.bytes",
        "Bytes that are free on the disk",
        engine,
        e -> e.store().usableBytes());
    gauge(
        "reprise.store.fault",
        "1 while nothing can be accepted because of the store or a shard",
        engine,
        e -> e.fault() == null ? 0 : 1);
    gauge(
        "reprise.clock.off.seconds",
        "Clock offset: by how much the service's clock is ahead of the system's",
        engine,
        e -> e.clock().aheadMillis() / 1000.0);
    gauge("reprise.topics", "Topics", engine, e -> e.catalog().topics().size());
    gauge(
        "reprise.subscriptions", "Subscriptions", engine, e -> e.catalog().subscriptions().size());
    look(engine);
    deliveries("pending", Ledger::pending);
    deliveries("delivered", Ledger::delivered);
    deliveries("dead_lettered", Ledger::deadLettered);
    deliveries("discarded", Ledger::discarded);
    deliveries("expired", Ledger::expired);
    deliveries("moved", Ledger::moved);
    Gauge.builder("reprise.build.info", () -> 1)
        .description("Always 1; the labels have the versions")
        .tag("version", version())
        .tag("java", Runtime.version().toString())
        .register(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    gc.bindTo(registry);
  }

  /** Also shows what a node of a cluster knows. */
  public void watch(ClusterHost node) {
    watch(ClusterSeries.of(node));
  }

  /** Also shows what a node knows that need not be of a real cluster. */
  void watch(ClusterSeries.Node node) {
    ClusterSeries.begin(registry, node);
  }

  /** Also shows what became of requests and responses below their attempts. */
  public void watch(HttpFigures http) {
    FunctionCounter.builder("reprise.http.heads.cut", http, HttpFigures::cutHeads)
        .description("Responses whose head was not read to its end: too long, or malformed")
        .register(registry);
    sentAgain("connection_lost", http, HttpFigures::sentAgainAfterLoss);
    sentAgain("not_processed", http, HttpFigures::sentAgainUnprocessed);
  }

  private void sentAgain(String reason, HttpFigures http, ToDoubleFunction<HttpFigures> count) {
    FunctionCounter.builder("reprise.http.sent.again", http, count)
        .description("Requests that were sent again within their attempt, on another connection")
        .tag("reason", reason)
        .register(registry);
  }

  private void deliveries(String state, ToDoubleFunction<Ledger> count) {
    Gauge.builder("reprise.deliveries", this, m -> count.applyAsDouble(m.ledger))
        .description("Deliveries by state, as the ledger has them at this scrape")
        .tag("state", state)
        .register(registry);
  }

  private <T> void gauge(String name, String description, T of, ToDoubleFunction<T> value) {
    Gauge.builder(name, of, value).description(description).register(registry);
  }

  private interface Bytes {
    long get();
  }

  private static double orUnknown(Bytes bytes) {
    try {
      return bytes.get();
    } catch (StoreException e) {
      return Double.NaN;
    }
  }

  /** The version that this was built as. */
  public static String version() {
    String version = Metrics.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** All of it, as Prometheus reads it. Reads the ledger first. */
  public String scrape(DeliveryEngine engine, Map<String, CarrierState> carriers) {
    look(engine);
    carriers(carriers);
    held(engine.held());
    return text();
  }

  /** Shows the carriers that there are. */
  void carriers(Map<String, CarrierState> all) {
    receipts.begin(all.keySet());
    rows(carrierFaults, all, state -> state.fault() == null ? 0 : 1);
    rows(carrierAttempts, all, CarrierState::inFlight);
    rows(carrierConnections, all, CarrierState::connections);
  }

  /**
   * Reads what shards carry along, and begins the series of new subscriptions. One after the other:
   * what was read earlier and noted later would be counted twice.
   */
  private synchronized void look(DeliveryEngine engine) {
    look(engine.totalsHere());
    givenUp.begin(engine.catalog().subscriptions().stream().map(Subscription::id).toList());
  }

  /**
   * Takes note of what the shards of this process carry along.
   *
   * @param here by stay, as {@link GrowthHere#look} takes them
   */
  synchronized void look(Map<?, ShardTotals> here) {
    ledger = here.values().stream().map(ShardTotals::ledger).reduce(Ledger.EMPTY, Ledger::plus);
    accepted.look(by(here, each -> each.ledger().accepted()));
    delivered.look(by(here, each -> each.ledger().delivered()));
    repeated.forEach((reason, growth) -> growth.look(by(here, each -> each.repeats().of(reason))));
  }

  private static Map<Object, Long> by(Map<?, ShardTotals> here, ToLongFunction<ShardTotals> count) {
    Map<Object, Long> counts = new HashMap<>();
    here.forEach((stay, totals) -> counts.put(stay, count.applyAsLong(totals)));
    return counts;
  }

  private static void rows(
      MultiGauge gauge, Map<String, CarrierState> carriers, ToDoubleFunction<CarrierState> value) {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    carriers.forEach(
        (name, state) ->
            rows.add(MultiGauge.Row.of(Tags.of("carrier", name), value.applyAsDouble(state))));
    gauge.register(rows, true);
  }

  /** The kind of a group: all but hosts have it in front of their name. */
  private static String kindOf(String group) {
    return group.contains("://") ? "host" : group.substring(0, Math.max(0, group.indexOf(' ')));
  }

  /** Shows what is held, of all kinds even while nothing is. */
  void held(List<RefusalHold> all) {
    Map<Tags, List<RefusalHold>> byTags = new HashMap<>();
    for (String kind : HELD_KINDS) {
      byTags.put(Tags.of("kind", kind, "code", NO_CODE), List.of());
    }
    for (RefusalHold each : all) {
      String kind = each.subscription() != 0 ? "subscription" : kindOf(each.group());
      byTags
          .computeIfAbsent(Tags.of("kind", kind, "code", each.code()), key -> new ArrayList<>())
          .add(each);
    }
    List<MultiGauge.Row<?>> numbers = new ArrayList<>();
    List<MultiGauge.Row<?>> refused = new ArrayList<>();
    byTags.forEach(
        (tags, of) -> {
          numbers.add(MultiGauge.Row.of(tags, of.size()));
          refused.add(MultiGauge.Row.of(tags, of.stream().mapToLong(RefusalHold::count).sum()));
        });
    held.register(numbers, /* overwrite= */ true);
    heldRefused.register(refused, /* overwrite= */ true);
  }

  /**
   * A carrier has reported the outcome of a message.
   *
   * @param known whether the delivery is known
   */
  public void received(String carrier, boolean delivered, boolean known) {
    receipts.received(carrier, delivered, known);
  }

  /** Returns the same as {@link #scrape}, with the ledger of the last scrape. */
  String text() {
    return registry.scrape();
  }

  /** An attempt has ended, or was not made. */
  void attemptEnded(Attempt attempt, long begunAtMillis, AttemptOutcome outcome) {
    if (!outcome.made()) {
      notMade.increment();
      return;
    }
    if (attempt.attempt() == 1) {
      long waited = begunAtMillis - attempt.message().publishedAtMillis();
      firstAttempt.record(Math.max(0, waited), TimeUnit.MILLISECONDS);
    }
    counterOf(outcome).increment();
    attemptTime.record(outcome.durationNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns the counts of operator events. */
  public OperatorEvents.Counts operatorEvents() {
    return new OperatorEvents.Counts() {
      @Override
      public void told(OperatorEvent.Type type) {
        Objects.requireNonNull(events.get(type)).increment();
      }

      @Override
      public void dropped(OperatorEvent.Type type) {
        Objects.requireNonNull(eventsDropped.get(type)).increment();
      }
    };
  }

  /** A delivery of the subscription was given up. */
  void gaveUp(String subscription) {
    givenUp.gaveUp(subscription);
  }

  private Counter counterOf(AttemptOutcome outcome) {
    if (outcome.isRefused()) {
      return refusals;
    }
    if (outcome.failure() instanceof HttpFailure failure
        && failure.kind() != HttpFailure.Kind.STATUS) {
      return switch (failure.kind()) {
        case TIMEOUT -> timeouts;
        default -> connectionErrors;
      };
    }
    int hundreds = outcome.status() / 100;
    return hundreds >= 1 && hundreds <= byStatus.length ? byStatus[hundreds - 1] : otherStatus;
  }

  /** A request was answered. */
  public void answered(int status) {
    answers[status / 100 - 1].increment();
  }

  /** Also shows what the API holds for its clients. */
  public void watch(ByteBudget requests, ByteBudget longAnswers) {
    gauge("reprise.api.request.bytes", "Bytes of requests held", requests, ByteBudget::held);
    gauge("reprise.api.answer.bytes", "Bytes of long answers held", longAnswers, ByteBudget::held);
  }

  /** Also shows how many clients are connected. */
  public void watch(ClientConnections connections) {
    gauge(
        "reprise.api.connections", "Connections of clients", connections, ClientConnections::open);
    gauge(
        "reprise.api.connections.max",
        "The most connections of clients",
        connections,
        ClientConnections::most);
    FunctionCounter.builder(
            "reprise.api.connections.closed", connections, ClientConnections::closedForRoom)
        .description("Connections closed before their time to make room for others")
        .register(registry);
    FunctionCounter.builder(
            "reprise.api.connections.refused", connections, ClientConnections::refused)
        .description("Connections closed as they came because there was no room")
        .register(registry);
  }

  /** A publish has arrived. */
  public Publish publishStarted() {
    publishing.increment();
    return new Publish(System.nanoTime());
  }

  /** A publish was refused before it was one: a rule is broken, or there is no such topic. */
  public void publishRefused() {
    refused.increment();
  }

  /** A publish under way; ends with exactly one of the calls. */
  public final class Publish {
    private final long startNanos;

    private Publish(long startNanos) {
      this.startNanos = startNanos;
    }

    public void accepted(boolean isKnown) {
      publishing.decrement();
      (isKnown ? known : Metrics.this.published).increment();
      publishTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }

    public void failed() {
      publishing.decrement();
      refused.increment();
    }
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
