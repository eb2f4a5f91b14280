package dev.reprise.server.api;

import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.attempt.ReceiverChecks;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.function.Functions;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.AuditTrail;
import dev.reprise.server.access.SignedSessions;
import dev.reprise.server.document.Documents;
import dev.reprise.server.event.OperatorEvents;
import dev.reprise.server.http.ByteBudget;
import dev.reprise.server.http.ClientConnections;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Router;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.nodes.Forwarding;
import dev.reprise.server.nodes.TroubleList;
import dev.reprise.server.peer.Peers;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.publish.BulkQueue;
import dev.reprise.server.trace.Tracing;
import dev.reprise.server.watch.Metrics;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP API of an engine, listening. */
public final class ApiServer {
  private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);

  /** The most bytes of requests, and of long answers, that are held at the same time. */
  private static final long MAX_BYTES = 64L << 20;

  /** The most requests of many lines that wait for their turn: a few seconds' work. */
  private static final int MAX_BULK_WAITING = 256;

  /** The time between two counts of what projects use. */
  private static final long REFRESH_MILLIS = 1000;

  private static final int WORKERS = 8;
  private static final int PROBES = 2;

  private final Vertx vertx;
  private final Listener.Threads threads;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final List<Context> eventLoops = new CopyOnWriteArrayList<>();
  private final Router router;
  private final AccessControl access;
  private final AuditTrail audit;
  private final Metrics metrics;
  private final Listener.Budgets budgets;
  private final ClientConnections connections;
  private final OverviewStreams streams;
  private final List<Long> timers;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final @Nullable ServerSSLOptions tls;
  private final @Nullable Forwarding forwarding;
  private volatile int port;

  /**
   * The parts of the service by which endpoints are reached.
   *
   * @param resolver vets the addresses of URLs
   * @param carriers the carriers, running
   * @param functions those in this process
   * @param receivers checks those of URLs
   */
  public record Endpoints(
      VettedResolver resolver, Carriers carriers, Functions functions, ReceiverChecks receivers) {}

  /**
   * The API of {@code engine}; it does not listen yet.
   *
   * @param connections those of {@code vertx}
   * @param tls the certificate and its key; null for HTTP without TLS
   * @param peers the other nodes of the cluster; null if there is none
   */
  public ApiServer(
      Vertx vertx,
      ClientConnections connections,
      @Nullable ServerSSLOptions tls,
      DeliveryEngine engine,
      Endpoints endpoints,
      AccessControl access,
      Metrics metrics,
      Tracing tracing,
      OperatorEvents events,
      @Nullable Peers peers) {
    this.vertx = vertx;
    this.forwarding = peers == null ? null : Forwarding.of(engine, peers);
    this.connections = connections;
    this.tls = tls;
    this.access = access;
    this.metrics = metrics;
    long heap = Runtime.getRuntime().maxMemory();
    this.budgets =
        new Listener.Budgets(
            new ByteBudget(Math.min(MAX_BYTES, heap / 8)),
            new ByteBudget(Math.min(MAX_BYTES, heap / 8)));
    metrics.watch(connections);
    metrics.watch(budgets.requests(), budgets.answers());
    WorkerExecutor workers =
        vertx.createSharedWorkerExecutor("reprise-api", WORKERS, 10, TimeUnit.MINUTES);
    WorkerExecutor probes =
        vertx.createSharedWorkerExecutor("reprise-probe", PROBES, 10, TimeUnit.MINUTES);
    this.threads = new Listener.Threads(workers, probes);
    Executor executor =
        work ->
            workers.executeBlocking(
                () -> {
                  work.run();
                  return null;
                },
                false);
    this.audit =
        new AuditTrail(
            forwarding == null
                ? access.audit()::add
                : record -> forwarding.record(record, access.audit()),
            engine::nowMillis,
            executor);
    long refresh =
        vertx.setPeriodic(
            REFRESH_MILLIS,
            timer ->
                workers.executeBlocking(
                    () -> {
                      access.refresh();
                      return null;
                    },
                    true));
    ClusterView cluster = new ClusterView(engine, endpoints.carriers(), access, peers);
    TroubleList troubles = new TroubleList(engine, endpoints.carriers(), access, cluster);
    BulkQueue bulk = new BulkQueue(heap / 16, MAX_BULK_WAITING, executor);
    PublishOperations publish =
        new PublishOperations(engine, metrics, bulk, budgets.answers(), executor, tracing);
    Overview overview = new Overview(engine, endpoints.carriers(), cluster, troubles);
    this.streams =
        new OverviewStreams(project -> Documents.write(overview.of(project)), System::nanoTime);
    long tick =
        vertx.setPeriodic(
            OverviewStreams.EVERY_MILLIS,
            timer ->
                workers.executeBlocking(
                    () -> {
                      streams.tick();
                      return null;
                    },
                    true));
    this.timers = List.of(refresh, tick);
    List<Route> all =
        new ArrayList<>(
            routes(
                engine,
                endpoints,
                access,
                metrics,
                publish,
                new OverviewOperations(overview, streams, access),
                stopping::get,
                executor,
                events,
                cluster,
                troubles,
                access.proxies().publicUrl()));
    ConsoleRoutes console = new ConsoleRoutes();
    all.addAll(console.files());
    all.addAll(new SessionOperations(access).routes());
    if (peers != null) {
      SignedSessions sessions = access.trust(peers);
      all.addAll(new PeerOperations(peers, access, sessions, cluster).routes());
    }
    Route noSuchPage = console.noSuchPage(all);
    all.addAll(console.pages());
    this.router = new Router(all, noSuchPage);
  }

  /** Everything that can be asked for. */
  static List<Route> routes(
      DeliveryEngine engine,
      Endpoints endpoints,
      AccessControl access,
      Metrics metrics,
      PublishOperations publish,
      OverviewOperations overview,
      BooleanSupplier stopping,
      Executor executor,
      OperatorEvents events,
      ClusterView cluster,
      TroubleList troubles,
      PublicUrl publicUrl) {
    EndpointState states = new EndpointState(engine, executor);
    List<Route> routes = new ArrayList<>();
    routes.addAll(publish.routes());
    routes.addAll(new TopicOperations(engine).routes());
    EndpointCheck check =
        new EndpointCheck(
            endpoints.resolver(), engine, endpoints.carriers(), endpoints.functions());
    routes.addAll(
        new SubscriptionOperations(engine, check, states, executor, endpoints.carriers(), events)
            .routes());
    routes.addAll(new CarrierOperations(engine, endpoints.carriers(), executor, cluster).routes());
    routes.addAll(new DeliveryOperations(engine, states).routes());
    routes.addAll(new SuspensionOperations(engine, executor).routes());
    routes.addAll(new ReceiverOperations(endpoints.receivers()).routes());
    routes.addAll(new DeadLetterOperations(engine, executor).routes());
    routes.addAll(new MinuteOperations(engine, states).routes());
    routes.addAll(new LedgerOperations(engine, cluster, executor).routes());
    routes.addAll(overview.routes());
    routes.addAll(new TroubleOperations(troubles, engine, executor).routes());
    routes.addAll(new PolicyOperations().routes());
    routes.addAll(new SchemaOperations().routes());
    routes.addAll(new OutageOperations().routes());
    routes.addAll(new LabOperations().routes());
    routes.addAll(new KeyOperations(access, engine, events).routes());
    routes.addAll(new ProjectOperations(access, engine, cluster).routes());
    routes.addAll(new AuditOperations(access).routes());
    routes.addAll(new BackupOperations(engine, stopping, cluster.isClustered()).routes());
    routes.addAll(new ClusterOperations(cluster, engine).routes());
    routes.addAll(new RecordOperations(cluster).routes());
    routes.addAll(
        new OpenOperations(
                engine,
                endpoints.carriers(),
                metrics,
                stopping,
                cluster,
                () -> List.copyOf(routes),
                publicUrl)
            .routes());
    return routes;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any that is free
   * @param eventLoops how many threads receive requests, from 1
   */
  public Future<Integer> listen(String host, int port, int eventLoops) {
    Future<Integer> first = deploy(host, port);
    return first.compose(
        actual -> {
          this.port = actual;
          List<Future<Integer>> others = new ArrayList<>();
          for (int i = 1; i < eventLoops; i++) {
            others.add(deploy(host, actual));
          }
          return Future.all(others).map(actual);
        });
  }

  private Future<Integer> deploy(String host, int port) {
    int[] actual = new int[1];
    Deployable deployable =
        context -> {
          Listener listener =
              new Listener(
                  vertx,
                  context,
                  tls,
                  router,
                  access,
                  audit,
                  budgets,
                  threads,
                  connections,
                  metrics,
                  forwarding,
                  access.proxies());
          listeners.add(listener);
          eventLoops.add(context);
          return listener.listen(host, port).onSuccess(bound -> actual[0] = bound);
        };
    return vertx.deployVerticle(deployable).map(id -> actual[0]);
  }

  /** The port that is listened on. */
  public int port() {
    return port;
  }

  /**
   * Completes once each thread that receives requests, and one of those that answer probes, has had
   * its turn: so long a request to {@code /health/live} would take.
   */
  public Future<?> turn() {
    List<Future<String>> turns = new ArrayList<>();
    turns.add(threads.probes().executeBlocking(() -> "", false));
    for (Context eventLoop : eventLoops) {
      Promise<String> turn = Promise.promise();
      eventLoop.runOnContext(ignored -> turn.complete(""));
      turns.add(turn.future());
    }
    return Future.all(turns);
  }

  /** Takes another certificate for connections from here on. */
  public void use(ServerSSLOptions newTls) {
    for (Listener listener : listeners) {
      listener
          .use(newTls)
          .onFailure(e -> LOG.warn("the old certificate stays: {}", e.getMessage()));
    }
  }

  /**
   * Makes {@code /health/ready} answer that the service is not ready; serves on, and has clients
   * take new connections, which balancers make elsewhere.
   */
  public void announceStop() {
    // In this order: a client that gets "not ready" is asked to close its connection as well.
    connections.announceEnd();
    stopping.set(true);
  }

  /** Accepts nothing more, and completes when what is being answered is answered. */
  public Future<Void> shutdown(Duration most) {
    // Their threads end before those that the timers run on.
    timers.forEach(vertx::cancelTimer);
    streams.close();
    connections.shut();
    return Future.all(listeners.stream().map(listener -> listener.shutdown(most)).toList())
        .mapEmpty();
  }
}
