package dev.reprise.server.serve;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.EmbeddedBroker;
import dev.reprise.cluster.node.BrokerCheck;
import dev.reprise.cluster.node.ClosedConnections;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.common.file.FolderInUseException;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.attempt.HttpAttempts;
import dev.reprise.delivery.attempt.ProtocolAttempts;
import dev.reprise.delivery.attempt.ReceiverChecks;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.function.Functions;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.http.VertxHttpSender;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.api.ApiServer;
import dev.reprise.server.event.OperatorEvent;
import dev.reprise.server.event.OperatorEvents;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.ClientConnections;
import dev.reprise.server.log.AttemptLogger;
import dev.reprise.server.log.LogFormat;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.peer.Peers;
import dev.reprise.server.serve.StartException.Cause;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import dev.reprise.server.trace.Tracing;
import dev.reprise.server.watch.DeliveryWatch;
import dev.reprise.server.watch.GivenUpLog;
import dev.reprise.server.watch.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole service in this process: store, engine, endpoints and API, started and stopped. */
public final class Service implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);
  private static final Duration LISTEN_TIMEOUT = Duration.ofSeconds(30);

  /** The time that a stop waits for requests that are being answered. */
  private static final Duration REQUEST_GRACE = Duration.ofSeconds(5);

  private static final Duration EVENT_LOOPS_GRACE = Duration.ofSeconds(5);

  /**
   * No file is read from the class path by Vert.x. Its cache for that would need a temporary folder
   * to be there at the start, and leave a folder behind with each process that is killed.
   */
  private static final FileSystemOptions NO_TEMPORARY_FILES =
      new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false);

  /**
   * Vert.x gets addresses in figures and is to look up nothing. If it ever does, then not at the
   * public name server that it asks on a host that names none.
   */
  private static final AddressResolverOptions NO_PUBLIC_NAME_SERVER =
      new AddressResolverOptions().addServer("127.0.0.1");

  /** The time between two looks at the files of the certificate. */
  private static final long TLS_LOOK_MILLIS = 1000;

  private static final long GIVEN_UP_LOOK_MILLIS = 5000;

  /** The time between two looks whether this node has the cluster's catalog. */
  private static final long DUTIES_LOOK_MILLIS = 1000;

  /** The view that has what nodes of a cluster know each other by. */
  private static final int PEER_VIEW = RocksStore.MAX_VIEW - 18;

  /** In the data folder: the files of a broker in this process. */
  private static final String BROKER_FOLDER = "broker";

  private static final Duration BROKERS_WAIT = Duration.ofMinutes(1);
  private static final Duration CATALOG_WAIT = Duration.ofMinutes(1);
  private static final Duration CATALOG_LOOK = Duration.ofMillis(20);

  /** The first port that any user may listen on, by default. */
  private static final int FIRST_OPEN_PORT = 1024;

  /** The file descriptors below which store, endpoints and clients are short of them. */
  private static final long MIN_DESCRIPTORS = 4096;

  private final ServeSettings settings;
  private final boolean clockFromSystem;
  private final boolean newKey;

  /** The parts that were started, the last first: that is the order in which they are stopped. */
  private final Deque<Part> parts = new ArrayDeque<>();

  private @Nullable DeliveryEngine engine;
  private @Nullable ClusterHost clusterHost;
  private @Nullable ApiServer api;
  private @Nullable AccessControl access;
  private @Nullable String firstKey;
  private @Nullable String brokerAddress;
  private int port;

  private record Part(String name, AutoCloseable closing) {}

  private Service(ServeSettings settings, boolean clockFromSystem, boolean newKey) {
    this.settings = settings;
    this.clockFromSystem = clockFromSystem;
    this.newKey = newKey;
  }

  /**
   * Starts a service. It accepts requests when this returns.
   *
   * @throws StartException if it cannot start: the port or the folder is in use, the folder is
   *     damaged, a setting makes no sense
   */
  public static Service start(ServeSettings settings) {
    return start(settings, false, false);
  }

  /**
   * The same; with {@code clockFromSystem}, a data folder that has seen a clock more than an hour
   * ahead of the system's is taken back to the system's time; with {@code newKey}, an operator who
   * has lost the API keys gets another one.
   */
  public static Service start(ServeSettings settings, boolean clockFromSystem, boolean newKey) {
    Service service = new Service(settings, clockFromSystem, newKey);
    try {
      service.startParts();
      return service;
    } catch (OutOfMemoryError e) {
      RuntimeException told = StartException.ofMemory(e);
      try {
        service.close();
      } catch (OutOfMemoryError again) {
        told.addSuppressed(again);
      }
      throw told;
    } catch (RuntimeException | Error e) {
      service.close();
      throw e;
    }
  }

  private void startParts() {
    try {
      settings.checked();
    } catch (InvalidSettingException e) {
      throw new StartException(Cause.OTHER, String.valueOf(e.getMessage()), e);
    }
    AddressGuard guard;
    try {
      guard =
          AddressGuard.allowing(
              settings.dev(), Objects.requireNonNullElse(settings.find(Settings.ALLOW), List.of()));
    } catch (IllegalArgumentException e) {
      throw new StartException(Cause.OTHER, "allow: " + e.getMessage(), e);
    }
    ClientConnections connections = connections();
    ThreadRoom.check(ThreadRoom.LEAST, Thread::new);
    int processors = Runtime.getRuntime().availableProcessors();
    Vertx vertx =
        Vertx.builder()
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(processors)
                    .setFileSystemOptions(NO_TEMPORARY_FILES)
                    .setAddressResolverOptions(NO_PUBLIC_NAME_SERVER))
            .withTransport(connections.transport())
            .build();
    started("event loops", () -> await(vertx.close(), EVENT_LOOPS_GRACE));
    ServerTlsFiles tls = tlsFiles(vertx);
    ServerSSLOptions certificate = tls == null ? null : readTls(tls);
    VettedResolver resolver = VettedResolver.ofThisMachine(guard);
    started("name look-up", resolver);
    VertxHttpSender sender = new VertxHttpSender(vertx, resolver, settings.endpoints());
    started("connections to endpoints", sender);
    Metrics metrics =
        new Metrics(
            settings.get(Settings.METRICS_SUBSCRIPTIONS),
            settings.get(Settings.METRICS_ZERO_FOR),
            System::nanoTime);
    started("metrics", metrics);
    metrics.watch(sender.figures());
    GivenUpLog givenUp = new GivenUpLog(AttemptLogger::gaveUp, System::nanoTime);
    OperatorEvents events = new OperatorEvents(metrics.operatorEvents());
    SecretKeys secretKeys = secretKeys();
    Tracing tracing = tracing();
    started("traces", tracing);
    Functions functions = Functions.ofThisProgram();
    started("functions", functions);
    DataFolder folder = openFolder();
    started("data folder", folder);
    Catalog catalog = folder.catalog();
    checkKeys(catalog, secretKeys);
    Carriers carriers =
        new Carriers(catalog, CarrierTypes.ofThisProgram(), secretKeys, sender, guard);
    HttpAttempts http =
        new HttpAttempts(carriers, sender, guard, settings.get(Settings.ATTEMPT_TIMEOUT));
    DeliveryEngine engine =
        new DeliveryEngine(
            folder,
            new ProtocolAttempts(
                catalog,
                http,
                carriers,
                functions,
                settings.get(Settings.ATTEMPT_TIMEOUT),
                tracing),
            new DeliveryWatch(catalog, metrics, givenUp, events));
    this.engine = engine;
    started("engine", engine);
    vertx.setPeriodic(GIVEN_UP_LOOK_MILLIS, timer -> givenUp.tell());
    carriers.shareBy(engine::partHere);
    carriers.holdsFrom(engine::held);
    // Stopped before the engine, which stores what becomes of their attempts.
    started("carriers", carriers);
    carriers.start(new CarrierEvents(engine, metrics));
    engine.start();
    ClusterHost node = clusterHost;
    events.start(engine, carriers, node == null ? null : node.node());
    // Stopped before the engine, which takes what is still to be published.
    started("operator events", events);
    if (clusterHost == null) {
      rotateSecrets(carriers, events);
    }
    checkShards(engine.shardCount());
    metrics.watch(engine);
    if (node != null) {
      metrics.watch(node);
    }
    AccessControl access =
        AccessControl.open(engine, settings.dev(), settings.audit(), settings.proxies());
    this.access = access;
    started("access control", access);
    Peers peers = peers(vertx, engine, resolver.ofOperator());
    ApiServer api =
        new ApiServer(
            vertx,
            connections,
            certificate,
            engine,
            new ApiServer.Endpoints(
                resolver, carriers, functions, new ReceiverChecks(catalog, http)),
            access,
            metrics,
            tracing,
            events,
            peers);
    this.api = api;
    started(
        "API", () -> await(api.shutdown(REQUEST_GRACE), REQUEST_GRACE.plus(Duration.ofSeconds(1))));
    port = listen(api, Math.max(1, processors / 2));
    started("drain", () -> drain(api));
    if (tls != null) {
      again(
          vertx,
          TLS_LOOK_MILLIS,
          () -> {
            var unused =
                vertx
                    .executeBlocking(tls::readIfChanged)
                    .onSuccess(changed -> changed.ifPresent(api::use));
          });
    }
    // Not before: a start that fails would not show the key, and the next one would make no other.
    if (peers != null) {
      awaitCatalog(engine::isWritable, peers.secret());
      engine.watch(0, keys -> Catalog.carriersIn(keys).forEach(carriers::refresh));
      CatalogDuties duties =
          new CatalogDuties(
              engine::isWritable,
              () -> {
                peers.secret().make();
                rotateSecrets(carriers, events);
              });
      started("duties of the catalog's owner", duties);
      again(
          vertx,
          DUTIES_LOOK_MILLIS,
          () -> {
            var unused = vertx.executeBlocking(duties, true);
          });
    }
    if (!settings.dev()) {
      firstKey = makeKey(engine, access, peers);
    }
    LOG.info("listening on {}:{}, data in {}", settings.get(Settings.HOST), port, settings.data());
    if (settings.exposesKeys()) {
      LOG.warn(
          "API keys cross the network in clear: {} is not this machine only, and there is no TLS",
          settings.get(Settings.HOST));
    }
  }

  /** Does something again and again until the service stops. */
  private void again(Vertx vertx, long millis, Runnable work) {
    long timer = vertx.setPeriodic(millis, ignored -> work.run());
    // The threads that the work is given to end before the event loops do.
    started("timer", () -> vertx.cancelTimer(timer));
  }

  /**
   * Makes the key that this start has to show; null if it has none to show. The catalog may go to
   * another node just when this one writes: then the first key is made by the one that has it next.
   */
  private @Nullable String makeKey(
      DeliveryEngine engine, AccessControl access, @Nullable Peers peers) {
    Pauses pauses = Pauses.every(CATALOG_LOOK).within(CATALOG_WAIT);
    boolean isLast = peers == null;
    boolean mayBeMade = false;
    while (newKey || access.keys().lacksOperator()) {
      if (engine.isWritable()) {
        try {
          return access.createOperatorKey(newKey ? "new" : "first");
        } catch (StoreException e) {
          if (isLast) {
            throw e;
          }
          mayBeMade = true;
          LOG.info("an API key is not written yet: {}", e.getMessage());
        }
      } else if (newKey && peers != null) {
        return createKey(peers);
      } else if (isLast) {
        return null;
      }
      isLast = !pauses.nextUnlessInterrupted();
    }
    if (mayBeMade) {
      LOG.warn(
          "an API key was made while the catalog went to another node: if no node has shown it,"
              + " start one with --new-key");
    }
    return null;
  }

  private static String createKey(Peers peers) {
    try {
      return peers.createKey("new");
    } catch (IllegalStateException e) {
      throw new StartException(Cause.OTHER, "new-key: " + e.getMessage(), e);
    }
  }

  private static void rotateSecrets(Carriers carriers, OperatorEvents events) {
    int rotated = carriers.rotateSecrets();
    if (rotated > 0) {
      LOG.info("secrets of {} carriers and subscriptions are now under the current key", rotated);
      events.tell(OperatorEvent.SecretRotated.ofStored(rotated));
    }
  }

  private @Nullable Peers peers(Vertx vertx, DeliveryEngine engine, VettedResolver names) {
    ClusterHost host = clusterHost;
    if (host == null) {
      return null;
    }
    PeerSecret secret = new PeerSecret(engine.view(PEER_VIEW), System::currentTimeMillis);
    Path authority = settings.find(Settings.NODE_CA);
    Peers peers =
        new Peers(
            vertx,
            host,
            secret,
            host.settings().url(),
            authority == null ? null : readAuthority(authority),
            names);
    host.callBy(peers);
    started("connections to other nodes", peers);
    return peers;
  }

  private void awaitCatalog(BooleanSupplier isWritable, PeerSecret secret) {
    try {
      awaitCatalog(isWritable, secret, CATALOG_WAIT);
    } catch (StartException e) {
      ClusterHost host = clusterHost;
      String hint = host == null ? "" : ClosedConnections.hint(host.settings());
      throw new StartException(e.cause(), e.getMessage() + hint, e);
    }
  }

  /**
   * Waits until the cluster has its secret, made here or by the node that had the catalog before.
   * The catalog may go to another node just when this one writes.
   */
  static void awaitCatalog(BooleanSupplier isWritable, PeerSecret secret, Duration most) {
    Pauses pauses = Pauses.every(CATALOG_LOOK).within(most);
    boolean isLast = false;
    StoreException refused = null;
    while (!secret.exists()) {
      if (isLast) {
        throw new StartException(
            "cluster: no node has taken over the catalog within "
                + most.toSeconds()
                + " s: the brokers answer, but "
                + (refused == null ? "the group does not agree" : refused.getMessage()));
      }
      if (isWritable.getAsBoolean()) {
        try {
          secret.make();
        } catch (StoreException e) {
          LOG.info("the catalog is not written yet: {}", e.getMessage());
          refused = e;
        }
      }
      isLast = !pauses.nextUnlessInterrupted();
    }
  }

  private ClientConnections connections() {
    long descriptors = ClientConnections.descriptors();
    if (descriptors < MIN_DESCRIPTORS) {
      LOG.warn(
          "the limit of open files is {}: at least {} is wanted (ulimit -n)",
          descriptors,
          MIN_DESCRIPTORS);
    }
    try {
      return new ClientConnections(
          ClientConnections.most((int) settings.orZero(Settings.MAX_CONNECTIONS), descriptors),
          settings.get(Settings.IDLE_TIMEOUT),
          settings.get(Settings.HEAD_TIMEOUT));
    } catch (IllegalArgumentException e) {
      throw new StartException(Cause.OTHER, String.valueOf(e.getMessage()), e);
    }
  }

  private static PemTrustOptions readAuthority(Path file) {
    try {
      return ServerTlsFiles.authority("node-ca", file);
    } catch (IllegalArgumentException e) {
      throw new StartException(Cause.OTHER, String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable ServerTlsFiles tlsFiles(Vertx vertx) {
    Path certificate = settings.find(Settings.TLS_CERTIFICATE);
    Path key = settings.find(Settings.TLS_KEY);
    return certificate == null || key == null ? null : new ServerTlsFiles(vertx, certificate, key);
  }

  private static ServerSSLOptions readTls(ServerTlsFiles tls) {
    try {
      return tls.read();
    } catch (IllegalArgumentException e) {
      throw new StartException(Cause.OTHER, String.valueOf(e.getMessage()), e);
    }
  }

  /** Balancers learn that this service goes before they find its port closed. */
  private void drain(ApiServer api) throws InterruptedException {
    api.announceStop();
    Thread.sleep(settings.drain().toMillis());
  }

  /** The tracing that the environment asks of OpenTelemetry. */
  private static Tracing tracing() {
    try {
      return Tracing.configured();
    } catch (IllegalArgumentException e) {
      throw new StartException(Cause.OTHER, String.valueOf(e.getMessage()), e);
    }
  }

  /** The keys of secrets: those that were given, or in dev one that stays in the data folder. */
  private SecretKeys secretKeys() {
    try {
      return SecretKeyFile.read(settings);
    } catch (IllegalArgumentException e) {
      throw new StartException(Cause.OTHER, "secret-keys: " + e.getMessage(), e);
    }
  }

  /** Deliveries that need a secret must not fail, one after the other, for want of its key. */
  private static void checkKeys(Catalog catalog, SecretKeys keys) {
    Map<String, String> missing = catalog.missingKeys(keys);
    if (!missing.isEmpty()) {
      Map.Entry<String, String> first = missing.entrySet().iterator().next();
      throw new StartException(
          "secret-keys: secrets are encrypted under key '"
              + first.getKey()
              + "', which is not given; "
              + first.getValue()
              + " needs it. Give it with --secret-keys. If it is lost, give a new key of that name,"
              + " and set the secrets again");
    }
  }

  private DataFolder openFolder() {
    ClusterSettings cluster = withBroker(settings.cluster());
    int shards =
        cluster != null
            ? cluster.shards()
            : settings.orZero(Settings.SHARDS) > 0
                ? settings.get(Settings.SHARDS)
                : EngineSettings.in(settings.data()).shards();
    RocksSettings store =
        RocksSettings.defaults().withMaxBytes(settings.orZero(Settings.STORE_BYTES));
    EngineSettings engine =
        new EngineSettings(
            settings.data(),
            shards,
            ShardSettings.DEFAULT
                .withHistory(settings.get(Settings.HISTORY))
                .withHistoryBytes(settings.orZero(Settings.HISTORY_BYTES))
                .withDeadLetters(settings.get(Settings.DEAD_LETTER_RETENTION))
                .withDeadLetterBytes(perShard(settings.orZero(Settings.DEAD_LETTER_BYTES), shards))
                .withHoldAfter(settings.get(Settings.HOLD_AFTER)),
            cluster == null ? store : store.withoutSync(),
            settings.get(Settings.GRACE));
    try {
      return cluster == null
          ? DataFolder.open(engine, clockFromSystem)
          : DataFolder.open(engine, opened -> join(cluster, opened));
    } catch (StoreException e) {
      throw new StartException(
          e.getCause() instanceof FolderInUseException ? Cause.DATA_IN_USE : Cause.OTHER,
          String.valueOf(e.getMessage()),
          e);
    }
  }

  /** Starts the broker that is to run in this process, if one is; it is stopped after the node. */
  private @Nullable ClusterSettings withBroker(@Nullable ClusterSettings cluster) {
    if (cluster == null || !cluster.brokers().equals(ClusterSettings.EMBEDDED)) {
      return cluster;
    }
    LogFormat.quietenBroker();
    try {
      EmbeddedBroker broker = EmbeddedBroker.start(settings.data().resolve(BROKER_FOLDER));
      started("broker", broker);
      brokerAddress = broker.address();
      return cluster.withBrokers(broker.address());
    } catch (FolderInUseException e) {
      throw new StartException(
          Cause.DATA_IN_USE,
          "data folder %s is in use by %s: stop that one, or choose another folder"
              .formatted(settings.data(), e.holder()),
          e);
    } catch (IOException | KafkaException e) {
      throw new StartException(Cause.OTHER, "cluster: " + e.getMessage(), e);
    }
  }

  private ClusterHost join(ClusterSettings cluster, RocksStore opened) {
    try {
      BrokerCheck.await(cluster, BROKERS_WAIT);
      ClusterHost host = new ClusterHost(cluster, opened);
      clusterHost = host;
      return host;
    } catch (ClusterException | KafkaException e) {
      throw new StartException(Cause.OTHER, "cluster: " + e.getMessage(), e);
    }
  }

  /** A part of a bound; 0, which is none, stays 0. */
  private static long perShard(long bytes, int shards) {
    return bytes == 0 ? 0 : Math.max(1, bytes / shards);
  }

  private void checkShards(int shards) {
    long wanted = settings.orZero(Settings.SHARDS);
    if (settings.find(Settings.CLUSTER) == null && wanted > 0 && wanted != shards) {
      throw new StartException(
          "shards is "
              + wanted
              + ": data folder "
              + settings.data()
              + " has "
              + shards
              + " and keeps them; leave --shards out");
    }
  }

  private int listen(ApiServer api, int eventLoops) {
    String where = settings.get(Settings.HOST) + ":" + settings.get(Settings.PORT);
    try {
      // By the JDK: it knows the names of this machine as all its programs do.
      String address = InetAddress.getByName(settings.get(Settings.HOST)).getHostAddress();
      return await(api.listen(address, settings.get(Settings.PORT), eventLoops), LISTEN_TIMEOUT);
    } catch (UnknownHostException e) {
      throw noSuchHost(where, e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof BindException) {
        throw new StartException(
            Cause.ADDRESS,
            "cannot listen on "
                + where
                + ": "
                + bindRefusal(settings.get(Settings.PORT), String.valueOf(cause.getMessage())),
            e);
      }
      if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
        throw noSuchHost(where, e);
      }
      throw new StartException(Cause.ADDRESS, "cannot listen on " + where + ": " + cause, e);
    } catch (TimeoutException e) {
      throw new StartException(Cause.ADDRESS, "cannot listen on " + where + ": no answer", e);
    }
  }

  private StartException noSuchHost(String where, Exception thrown) {
    return new StartException(
        Cause.ADDRESS,
        "cannot listen on "
            + where
            + ": host is "
            + settings.get(Settings.HOST)
            + ": must be an address of this machine or a name of one, and has no address",
        thrown);
  }

  private static String bindRefusal(int port, String said) {
    return port < FIRST_OPEN_PORT && said.toLowerCase(Locale.ROOT).contains("permission denied")
        ? "permission denied: a port below "
            + FIRST_OPEN_PORT
            + " takes root, the capability CAP_NET_BIND_SERVICE (in a unit of systemd:"
            + " AmbientCapabilities=), or a lower net.ipv4.ip_unprivileged_port_start"
        : said + "; another process uses the port, or the address is not this machine's";
  }

  private void started(String name, AutoCloseable closing) {
    parts.push(new Part(name, closing));
  }

  /** The port that the API listens on. */
  public int port() {
    return port;
  }

  /** The beginning of the API's URLs for this machine, such as {@code http://127.0.0.1:8080}. */
  public String baseUrl() {
    String host = listensEverywhere() ? "localhost" : settings.get(Settings.HOST);
    return (settings.tls() ? "https://" : "http://")
        + (host.indexOf(':') >= 0 ? "[" + host + "]" : host)
        + ":"
        + port;
  }

  /** Returns true if it can be reached at every address of this machine. */
  public boolean listensEverywhere() {
    return settings.get(Settings.HOST).equals("0.0.0.0")
        || settings.get(Settings.HOST).equals("::");
  }

  /** The API key that this start has made because there was none. It is shown this once only. */
  public Optional<String> firstKey() {
    return Optional.ofNullable(firstKey);
  }

  /** Returns true if a text is an API key with which this service can be asked now. */
  public boolean takesKey(String text) {
    AccessControl known = access;
    if (known == null) {
      return false;
    }
    try {
      known.keys().check("Bearer " + text);
      return true;
    } catch (ApiException e) {
      return false;
    }
  }

  /** Returns where the broker in this process listens; empty if there is none. */
  public Optional<String> brokerAddress() {
    return Optional.ofNullable(brokerAddress);
  }

  /** Why the service has failed for good, for the operator; null if it has not. */
  public @Nullable String failure() {
    return engine == null ? null : engine.failure();
  }

  /**
   * Returns whether the service has not failed for good, and a request would be answered, as far as
   * its threads go, within a time. Waits so long at the most.
   */
  public boolean isAnswering(Duration most) {
    ApiServer asked = api;
    if (asked == null || failure() != null) {
      return false;
    }
    try {
      await(asked.turn(), most);
      return true;
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.debug("no answer within {}", most, e);
      return false;
    }
  }

  /** Whether {@link #failure} is that files of the store are damaged, which no restart repairs. */
  public boolean isDamaged() {
    return engine != null && engine.isDamaged();
  }

  /**
   * Stops: serves on for the drain while it says that it is not ready, then accepts nothing more,
   * answers open requests, finishes or parks the attempts under way, closes the store. Takes the
   * grace at the most when all goes well. Parts that hang are left behind: requests after 6 s,
   * shards after the grace but not before 5 s, connections to endpoints and event loops after 5 s
   * each. So it takes the drain, the grace and 21 s at the most, and what the store needs to close.
   * A second call does nothing.
   */
  @Override
  public synchronized void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      try {
        part.closing().close();
      } catch (Exception e) {
        LOG.warn("{} did not stop in order", part.name(), e);
      }
    }
  }

  private static <T extends @Nullable Object> T await(Future<T> future, Duration most)
      throws ExecutionException, TimeoutException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException("interrupted");
    }
  }
}
