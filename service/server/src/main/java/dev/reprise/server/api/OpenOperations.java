package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.ProbeDocument;
import dev.reprise.server.event.ServiceFacts;
import dev.reprise.server.event.ServiceWatch;
import dev.reprise.server.event.Troubles;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Gzip;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.log.LogText;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.nodes.ShardProbe;
import dev.reprise.server.openapi.OpenApi;
import dev.reprise.server.openapi.OpenApi30;
import dev.reprise.server.openapi.ServiceDescriptions;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.watch.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/** Operations that need no key: health, metrics, and the description of the API. */
final class OpenOperations {
  private static final String STOPPING = "stopping";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final DeliveryEngine engine;
  private final Carriers carriers;
  private final ServiceFacts facts;
  private final Remembered<List<ShardProbe.Sign>> signs;
  private final Metrics metrics;
  private final BooleanSupplier stopping;
  private final ClusterView cluster;
  private final Remembered<byte[]> description;
  private final Remembered<byte[]> description30;

  OpenOperations(
      DeliveryEngine engine,
      Carriers carriers,
      Metrics metrics,
      BooleanSupplier stopping,
      ClusterView cluster,
      Supplier<List<Route>> all,
      PublicUrl publicUrl) {
    // Made when they are first asked for: most services are never asked.
    this.description =
        new Remembered<>(() -> OpenApi.of(all.get(), publicUrl), Long.MAX_VALUE, System::nanoTime);
    this.description30 =
        new Remembered<>(() -> OpenApi30.of(description.get()), Long.MAX_VALUE, System::nanoTime);
    this.cluster = cluster;
    this.carriers = carriers;
    this.facts = new ServiceFacts(engine, carriers);
    this.stopping = stopping;
    this.engine = engine;
    this.signs =
        new Remembered<>(
            new ShardProbe(engine)::ask, TimeUnit.SECONDS.toNanos(1), System::nanoTime);
    this.metrics = metrics;
  }

  List<Route> routes() {
    return List.of(
        Routes.open("/health/live", this::live).described(ServiceDescriptions.LIVE),
        Routes.open("/health/ready", this::ready).described(ServiceDescriptions.READY),
        Routes.open("/metrics", this::metrics).described(ServiceDescriptions.METRICS),
        Routes.open("/openapi.json", call -> json(description))
            .described(ServiceDescriptions.DESCRIBE),
        Routes.open("/openapi-3.0.json", call -> json(description30))
            .described(ServiceDescriptions.DESCRIBE30));
  }

  private static Answer json(Remembered<byte[]> document) {
    return new Answer(200, Answer.JSON, document.get(), Map.of());
  }

  private Answer live(Call call) {
    // A full disk is no reason for a restart, so only permanent failures count here. The reason
    // goes to the log only, because this request needs no key.
    return engine.failure() == null
        ? health(200, ProbeDocument.LIVE, null)
        : health(
            503,
            ProbeDocument.FAILED,
            "a shard or the store has failed for good; restart the process");
  }

  private Answer ready(Call call) {
    String reason = notReady();
    if (reason != null) {
      return health(503, ProbeDocument.NOT_READY, reason);
    }
    // A carrier that is down is no reason to take the service out of its balancer.
    Map<String, String> faults = new TreeMap<>();
    carriers
        .states()
        .forEach(
            (name, state) -> {
              if (state.fault() != null) {
                faults.put(
                    name,
                    "at fault since "
                        + Times.text(state.faultSinceMillis())
                        + ": "
                        + RefusalHold.withoutLast(Troubles.harmless(state.fault())));
              }
            });
    return Answer.json(
        200,
        new ProbeDocument(
            ProbeDocument.READY, null, faults, held(), standing(), cluster.clockHere()));
  }

  /** A line for each code; any client may ask here, so it names neither subscription nor host. */
  private List<String> held() {
    Map<String, List<RefusalHold>> byCode = new TreeMap<>();
    for (RefusalHold each : engine.held()) {
      byCode.computeIfAbsent(each.code(), code -> new ArrayList<>()).add(each);
    }
    List<String> lines = new ArrayList<>();
    byCode.forEach(
        (code, all) -> {
          long groups = all.stream().filter(each -> each.subscription() == 0).count();
          lines.add(
              Troubles.harmless(code)
                  + ": refused "
                  + all.stream().mapToLong(RefusalHold::count).sum()
                  + " deliveries in a row; the rest of "
                  + count(all.size() - groups, "subscription", "subscriptions")
                  + (groups == 0 || groups == all.size() ? "" : " and of ")
                  + count(groups, "host, carrier or function", "hosts, carriers or functions")
                  + " waits");
        });
    return lines;
  }

  /** A shard that stands is no reason to take its node out of a balancer: others of it go on. */
  private List<String> standing() {
    return cluster.standingHere().stream().map(LogText::harmless).toList();
  }

  private static String count(long count, String one, String several) {
    return count == 0 ? "" : count + " " + (count == 1 ? one : several);
  }

  private @Nullable String notReady() {
    if (stopping.getAsBoolean()) {
      return STOPPING;
    }
    ServiceWatch.Disk disk = facts.disk(false);
    if (disk.isLow()) {
      return "storage is full: " + disk.detail();
    }
    String ofCluster = cluster.notReady();
    if (ofCluster != null) {
      return ofCluster;
    }
    String fault = engine.fault();
    if (fault != null) {
      // The fault itself names the data folder, and any client may ask here.
      return fault.equals(STOPPING)
          ? STOPPING
          : cluster.isClustered()
              ? "the brokers take nothing, or a shard has failed; the log says why"
              : "storage is unavailable, or a shard has failed; the log says why";
    }
    List<ShardProbe.Sign> shards = signs.get();
    if (shards.contains(ShardProbe.Sign.ENDED)) {
      return STOPPING;
    }
    return shards.contains(ShardProbe.Sign.SILENT)
        ? "storage is stalled: a shard has not answered in " + ShardProbe.MAX_WAIT_MILLIS + " ms"
        : null;
  }

  private static Answer health(int status, String word, @Nullable String reason) {
    return Answer.json(
        status, new ProbeDocument(word, reason, Map.of(), List.of(), List.of(), null));
  }

  private Answer metrics(Call call) {
    byte[] plain = metrics.scrape(engine, carriers.states()).getBytes(UTF_8);
    return Gzip.isTakenBy(call)
        ? new Answer(
            200,
            PROMETHEUS,
            Gzip.compress(plain, Deflater.BEST_SPEED),
            Map.of("Content-Encoding", "gzip", "Vary", "Accept-Encoding"))
        : new Answer(200, PROMETHEUS, plain, Map.of("Vary", "Accept-Encoding"));
  }
}
