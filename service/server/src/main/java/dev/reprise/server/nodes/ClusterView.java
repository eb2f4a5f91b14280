package dev.reprise.server.nodes;

import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.cluster.ownership.TopicRecords;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.ClockState;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.document.ClusterDocument;
import dev.reprise.server.document.ClusterDocument.Figures;
import dev.reprise.server.document.Documents;
import dev.reprise.server.document.LedgerDocument;
import dev.reprise.server.document.NodeDocument;
import dev.reprise.server.document.NotTakenDocument;
import dev.reprise.server.document.OverviewDocument;
import dev.reprise.server.event.ServiceFacts;
import dev.reprise.server.event.ServiceWatch;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.StrictJson;
import dev.reprise.server.peer.Peers;
import dev.reprise.server.watch.Metrics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * All nodes of the cluster, each as it sees itself. Figures that nodes have in memory alone are
 * summed up with those of the others as they were a second or two ago; no caller waits for a node
 * that does not answer. Safe for use by many threads.
 */
public final class ClusterView {
  private static final long MAX_WAIT_MILLIS = 3000;
  private static final String WAITING = word(NodeState.Phase.WAITING_FOR_BROKERS);
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DeliveryEngine engine;
  private final Carriers carriers;
  private final AccessControl access;
  private final ServiceFacts facts;
  private final @Nullable Peers peers;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final AtomicLong askedNanos = new AtomicLong(System.nanoTime() - FRESH_NANOS);

  /** By name. */
  private volatile Map<ShardMap.Node, NodeDocument> others = Map.of();

  /** The nodes that have not answered when they were last asked, and why. */
  private volatile Map<String, String> silent = Map.of();

  /** A node, and what it has answered or why it has not. */
  private record Told(ShardMap.Node node, @Nullable NodeDocument document, String problem) {}

  /**
   * The view of a node.
   *
   * @param peers null for a single service
   */
  public ClusterView(
      DeliveryEngine engine, Carriers carriers, AccessControl access, @Nullable Peers peers) {
    this.engine = engine;
    this.carriers = carriers;
    this.access = access;
    this.facts = new ServiceFacts(engine, carriers);
    this.peers = peers;
  }

  /** Returns whether there is a cluster. */
  public boolean isClustered() {
    return peers != null;
  }

  /**
   * Returns why clients should not ask this node just now; null if nothing of the cluster speaks
   * against it. One that owns nothing may be asked: it accepts messages, and forwards.
   */
  public @Nullable String notReady() {
    Peers known = peers;
    if (known == null) {
      return null;
    }
    if (known.host().map().shards() == 0) {
      return "the group of the cluster has not taken this node in yet";
    }
    long off = known.host().state().clockOffMillis();
    return Math.abs(off) > ClusterHost.MAX_CLOCK_OFF_MILLIS
        ? "the clock of this node differs from the brokers' by " + off + " ms"
        : null;
  }

  /**
   * Returns the records from which shards take messages.
   *
   * @throws ConflictException if this is no node of a cluster
   */
  public TopicRecords records() {
    Peers known = peers;
    if (known == null) {
      throw new ConflictException("this service is no node of a cluster, which has such records");
    }
    return known.host().records();
  }

  /** Returns the name of one of the logs from which a shard takes messages. */
  public String partition(IntakeLog log, int shard) {
    Peers known = peers;
    return (known == null ? log.name() : known.host().topic(log)) + "-" + shard;
  }

  /** Returns how many shards there are. */
  public int shards() {
    return engine.shardCount();
  }

  // --- figures that every node has a part of -----------------------------------------------

  /** Returns the other nodes as they last answered; asks them again if that is a while ago. */
  private Map<ShardMap.Node, NodeDocument> others() {
    Peers known = peers;
    long now = System.nanoTime();
    if (known != null
        && now - askedNanos.get() >= FRESH_NANOS
        && asking.compareAndSet(false, true)) {
      var unused = askOthers(known).whenComplete((done, error) -> asking.set(false));
    }
    return others;
  }

  private CompletableFuture<Void> askOthers(Peers known) {
    List<CompletableFuture<Told>> answers = known.others().stream().map(this::ask).toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenRun(
            () -> {
              Map<ShardMap.Node, NodeDocument> told = new TreeMap<>(NodeProblems.ORDER);
              Map<String, String> missing = new TreeMap<>();
              for (CompletableFuture<Told> answer : answers) {
                NodeDocument document = answer.join().document();
                if (document == null) {
                  missing.put(answer.join().node().name(), answer.join().problem());
                } else {
                  told.put(answer.join().node(), document);
                }
              }
              others = told;
              silent = missing;
              askedNanos.set(System.nanoTime());
            });
  }

  /** Asks the other nodes anew; completes when they have answered, or within three seconds. */
  CompletionStage<Void> askAgain() {
    Peers known = peers;
    return known == null ? CompletableFuture.completedFuture(null) : askOthers(known);
  }

  /** Returns the nodes that have not answered when they were last asked, by name, and why. */
  Map<String, String> silent() {
    return silent;
  }

  /**
   * Returns all nodes that have answered, this one among them, by name; "" for a single service.
   */
  Map<String, NodeDocument> nodes() {
    Map<String, NodeDocument> all = new TreeMap<>();
    others().forEach((node, document) -> all.put(node.name(), document));
    Peers known = peers;
    all.put(known == null ? "" : known.host().node(), here());
    return all;
  }

  /**
   * Returns the publishes a second that all nodes have accepted.
   *
   * @param project null for those of all projects
   */
  public double publishesPerSecond(@Nullable Project project) {
    double sum = 0;
    for (Project each : project == null ? access.projects().list() : List.of(project)) {
      sum += each.publishesPerSecond();
      for (NodeDocument other : others().values()) {
        sum += other.publishesPerSecond().getOrDefault(each.name(), 0.0);
      }
    }
    return sum;
  }

  /** Returns a carrier as it is at all nodes together: at fault if it is at one of them. */
  public CarrierState carrier(String name, CarrierState here) {
    String fault = here.fault();
    long since = here.faultSinceMillis();
    int connections = here.connections();
    int inFlight = here.inFlight();
    for (NodeDocument other : others().values()) {
      NodeDocument.Carrier there = other.carriers().get(name);
      if (there == null) {
        continue;
      }
      connections += there.connections();
      inFlight += there.inFlight();
      String faultThere = given(there.fault());
      if (faultThere != null && (fault == null || there.faultSinceMillis() < since)) {
        fault = faultThere;
        since = there.faultSinceMillis();
      }
    }
    return new CarrierState(fault, since, connections, inFlight);
  }

  /** Returns the shards of all nodes that stand; does not wait for a node that does not answer. */
  public List<ClusterDocument.Standing> standing() {
    ShardReports reports = reports();
    return reports == null ? List.of() : reports.standing();
  }

  /** The same, with their owners. */
  List<ShardReports.Stands> stands() {
    ShardReports reports = reports();
    return reports == null ? List.of() : reports.stands();
  }

  private @Nullable ShardReports reports() {
    Peers known = peers;
    if (known == null) {
      return null;
    }
    Map<ShardMap.Node, NodeDocument> nodes = new TreeMap<>(NodeProblems.ORDER);
    nodes.putAll(others());
    nodes.put(own(known), here());
    return new ShardReports(known.host().map(), nodes);
  }

  private static ShardMap.Node own(Peers known) {
    return new ShardMap.Node(known.host().node(), known.host().settings().url());
  }

  /** Returns a line for each shard that stands and that this node is to report. */
  public List<String> standingHere() {
    Peers known = peers;
    if (known == null) {
      return List.of();
    }
    return ShardReports.standing(known.host().state(), known.host().tellsOfUnowned());
  }

  /** Returns how this node's clock differs from its system's, in a sentence; null if not. */
  public @Nullable String clockHere() {
    NodeDocument.Clock clock = clock();
    return clock == null ? null : clock.text();
  }

  private NodeDocument.@Nullable Clock clock() {
    ClockState state = facts.clock();
    return state.differs()
        ? new NodeDocument.Clock(state.aheadMillis(), state.forMillis(), state.text())
        : null;
  }

  /** Returns the clocks that differ from their systems'; waits for no other node. */
  public List<OverviewDocument.ClockOff> clocks() {
    Peers known = peers;
    List<OverviewDocument.ClockOff> all = new ArrayList<>();
    add(all, known == null ? null : known.host().node(), clock());
    if (known != null) {
      others().forEach((node, document) -> add(all, node.name(), document.clock()));
    }
    return all;
  }

  private static void add(
      List<OverviewDocument.ClockOff> all,
      @Nullable String node,
      NodeDocument.@Nullable Clock clock) {
    if (clock != null) {
      all.add(
          new OverviewDocument.ClockOff(
              node, clock.aheadMillis(), clock.forMillis(), clock.text()));
    }
  }

  // --- the nodes ---------------------------------------------------------------------------

  /** Returns this node, for the others. */
  NodeDocument here() {
    Map<String, Double> publishes = new LinkedHashMap<>();
    access.projects().list().forEach(each -> publishes.put(each.name(), each.publishesPerSecond()));
    Map<String, NodeDocument.Carrier> states = new LinkedHashMap<>();
    carriers
        .states()
        .forEach(
            (name, state) ->
                states.put(
                    name,
                    new NodeDocument.Carrier(
                        state.fault(),
                        state.faultSinceMillis(),
                        state.connections(),
                        state.inFlight())));
    Peers known = peers;
    if (known == null) {
      String fault = engine.fault();
      return new NodeDocument(
          fault,
          null,
          List.of(),
          List.of(),
          List.of(),
          publishes,
          states,
          clock(),
          fault == null ? List.of() : List.of(fault),
          disk());
    }
    NodeState state = known.host().state();
    NodeDocument.Clock clock = clock();
    return new NodeDocument(
        NodeProblems.of(
            engine.fault(), clock, known.host().brokerClocks(), known.host().problems()),
        figures(state, known.host().figures()),
        state.owned().stream()
            .map(
                each ->
                    new NodeDocument.Owned(
                        each.shard(),
                        word(each.phase()),
                        each.leaseHeld(),
                        ShardReports.of(each.shard(), each.backlog())))
            .toList(),
        state.followed().stream()
            .map(each -> new NodeDocument.Followed(each.shard(), each.lag()))
            .toList(),
        state.unowned().stream()
            .map(
                each ->
                    new NodeDocument.Unowned(
                        each.shard(), ShardReports.of(each.shard(), each.backlog())))
            .toList(),
        publishes,
        states,
        clock,
        NodeProblems.faults(engine.fault(), known.host().brokerClocks(), known.host().problems()),
        disk());
  }

  private NodeDocument.@Nullable Disk disk() {
    ServiceWatch.Disk now = facts.disk(false);
    return now.isLow()
        ? new NodeDocument.Disk(now.detail(), now.action(), now.sinceMillis())
        : null;
  }

  /** Returns this node, once it has asked the brokers anew what its shards have not taken. */
  public CompletionStage<NodeDocument> hereAsOfNow() {
    Peers known = peers;
    return known == null
        ? CompletableFuture.completedFuture(here())
        : known.host().lookAgain().thenApply(done -> here());
  }

  /** A text that is absent is read as an empty one. */
  private static @Nullable String given(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }

  private static String word(NodeState.Phase phase) {
    return phase.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Figures figures(NodeState state, ClusterFigures counts) {
    long lag = state.followed().stream().mapToLong(NodeState.Followed::lag).max().orElse(0);
    long commits = counts.commits();
    double millis = counts.commitNanos() / TimeUnit.MILLISECONDS.toNanos(1) / commits;
    return new Figures(
        Metrics.version(),
        state.owned().size(),
        state.followed().size(),
        lag < 0 ? null : lag,
        state.clockOffMillis(),
        counts.takeovers(),
        counts.takeovers() == 0 ? null : counts.lastTakeoverMillis(),
        counts.lostShards(),
        commits,
        commits == 0 ? null : Math.round(millis * 100) / 100.0,
        ShardReports.notTaken(state));
  }

  private CompletableFuture<Told> ask(ShardMap.Node node) {
    Peers known = peers;
    if (known == null || node.url().isEmpty()) {
      return CompletableFuture.completedFuture(new Told(node, null, "has no URL: see --node-url"));
    }
    return known
        .describe(node)
        .thenApply(
            bytes -> {
              JsonNode read = StrictJson.MAPPER.readTree(bytes);
              return new Told(node, Documents.read(read, NodeDocument.class), "");
            })
        .toCompletableFuture()
        .completeOnTimeout(
            new Told(node, null, "has not answered in " + MAX_WAIT_MILLIS + " ms"),
            MAX_WAIT_MILLIS,
            TimeUnit.MILLISECONDS)
        .exceptionally(error -> new Told(node, null, "is not reached: " + message(error)));
  }

  private static String message(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return String.valueOf(cause == null ? error.getMessage() : cause.getMessage());
  }

  /** Returns the whole cluster, after asking every node. */
  public CompletionStage<ClusterDocument> cluster() {
    Peers known = peers;
    if (known == null) {
      return CompletableFuture.completedFuture(
          new ClusterDocument(
              false, null, null, engine.fault() == null, List.of(), List.of(), List.of()));
    }
    List<CompletableFuture<Told>> answers = new ArrayList<>();
    ShardMap.Node own = own(known);
    answers.add(
        hereAsOfNow().thenApply(document -> new Told(own, document, "")).toCompletableFuture());
    known.others().forEach(node -> answers.add(ask(node)));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> document(known, answers.stream().map(CompletableFuture::join).toList()));
  }

  /** Returns what no shard has taken, after asking every node. */
  public CompletionStage<LedgerDocument.NotTaken> notTaken() {
    return cluster().thenApply(ClusterView::notTaken);
  }

  private static LedgerDocument.NotTaken notTaken(ClusterDocument whole) {
    NotTakenDocument sum = new NotTakenDocument(0L, null, false);
    List<Integer> unknown = new ArrayList<>();
    for (ClusterDocument.Shard each : whole.shards()) {
      NotTakenDocument known = each.notTaken();
      sum = sum.plus(known);
      // A node that gets no answer from the brokers does not know what was accepted since.
      if (known.records() == null || each.state().equals(WAITING)) {
        unknown.add(each.shard());
      }
    }
    Long records = sum.records();
    return new LedgerDocument.NotTaken(
        records == null ? 0 : records, sum.oldestAt(), sum.orEarlier(), unknown);
  }

  private ClusterDocument document(Peers known, List<Told> told) {
    ShardMap map = known.host().map();
    Map<ShardMap.Node, NodeDocument> byNode = new TreeMap<>(NodeProblems.ORDER);
    List<ShardMap.Node> all = told.stream().map(Told::node).toList();
    List<ClusterDocument.Node> nodes = new ArrayList<>();
    boolean healthy = true;
    for (Told each : told) {
      NodeDocument document = each.document();
      String problem =
          NodeProblems.withTwins(
              document == null ? each.problem() : given(document.problem()), each.node(), all);
      healthy &= problem == null;
      nodes.add(
          new ClusterDocument.Node(
              each.node().name(),
              each.node().url(),
              problem,
              document == null ? null : document.figures()));
      if (document != null) {
        byNode.put(each.node(), document);
      }
    }
    nodes.sort(Comparator.comparing(ClusterDocument.Node::name));
    ShardReports reports = new ShardReports(map, byNode);
    List<ClusterDocument.Shard> shards = new ArrayList<>();
    for (int shard = 0; shard < engine.shardCount(); shard++) {
      ClusterDocument.Shard shown = shard(shard, reports);
      healthy &= shown.state().equals("running") && shown.problem() == null;
      shards.add(shown);
    }
    return new ClusterDocument(
        true,
        known.host().settings().prefix(),
        known.host().node(),
        healthy,
        nodes,
        shards,
        reports.standing());
  }

  private static ClusterDocument.Shard shard(int shard, ShardReports reports) {
    ShardMap map = reports.map();
    ShardMap.Node owner = shard < map.shards() ? map.owner(shard) : null;
    NodeDocument.Owned owned = reports.owned(shard);
    List<ClusterDocument.Follower> followers = new ArrayList<>();
    reports
        .nodes()
        .forEach(
            (node, document) -> {
              for (NodeDocument.Followed each : document.followed()) {
                if (each.shard() == shard) {
                  Long lag = each.lag() < 0 ? null : each.lag();
                  followers.add(new ClusterDocument.Follower(node.name(), lag));
                }
              }
            });
    NodeDocument.Backlog backlog = reports.backlog(shard);
    return new ClusterDocument.Shard(
        shard,
        owner == null ? null : owner.name(),
        owned != null ? owned.state() : reports.isUnowned(shard) ? "unowned" : "unknown",
        owned != null && owned.leaseHeld(),
        followers,
        backlog.notTaken(),
        backlog.turnSince(),
        backlog.problem(),
        backlog.since());
  }
}
