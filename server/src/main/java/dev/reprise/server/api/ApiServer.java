package dev.reprise.server.api;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.http.VettedResolver;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The HTTP API of an engine, listening. */
public final class ApiServer {
  /** How many bytes of requests may be held at the same time. */
  static final long MAX_REQUEST_BYTES = 64L << 20;

  /** How many bytes of long answers may be held at the same time. */
  static final long MAX_ANSWER_BYTES = 64L << 20;

  private static final int WORKERS = 8;
  private static final int PROBES = 2;

  private final Vertx vertx;
  private final Listener.Threads threads;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Router router;
  private final ApiKeys keys;
  private final Metrics metrics;
  private final Listener.Budgets budgets =
      new Listener.Budgets(new ByteBudget(MAX_REQUEST_BYTES), new ByteBudget(MAX_ANSWER_BYTES));
  private volatile int port;

  /** The API of {@code engine}; it answers nobody yet. */
  public ApiServer(
      Vertx vertx, DeliveryEngine engine, VettedResolver resolver, ApiKeys keys, Metrics metrics) {
    this.vertx = vertx;
    this.keys = keys;
    this.metrics = metrics;
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
    this.router = new Router(routes(engine, resolver, keys, metrics, executor));
  }

  /** Everything that can be asked for. */
  static List<Route> routes(
      DeliveryEngine engine,
      VettedResolver resolver,
      ApiKeys keys,
      Metrics metrics,
      Executor executor) {
    EndpointState states = new EndpointState(engine, executor);
    List<Route> routes = new ArrayList<>();
    routes.addAll(new PublishOperations(engine, metrics).routes());
    routes.addAll(new TopicOperations(engine).routes());
    routes.addAll(
        new SubscriptionOperations(engine, new EndpointCheck(resolver), states, executor).routes());
    routes.addAll(new DeliveryOperations(engine, states).routes());
    routes.addAll(new DeadLetterOperations(engine, executor).routes());
    routes.addAll(new LedgerOperations(engine).routes());
    routes.addAll(new PolicyOperations().routes());
    routes.addAll(new KeyOperations(keys, engine).routes());
    routes.addAll(new OpenOperations(engine, metrics).routes());
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
          Listener listener = new Listener(vertx, context, router, keys, budgets, threads, metrics);
          listeners.add(listener);
          return listener.listen(host, port).onSuccess(bound -> actual[0] = bound);
        };
    return vertx.deployVerticle(deployable).map(id -> actual[0]);
  }

  /** The port that is listened on. */
  public int port() {
    return port;
  }

  /** Accepts nothing more, and completes when what is being answered is answered. */
  public Future<Void> shutdown(Duration most) {
    return Future.all(listeners.stream().map(listener -> listener.shutdown(most)).toList())
        .mapEmpty();
  }
}
