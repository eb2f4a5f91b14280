package dev.reprise.server.access;

import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Permit;
import dev.reprise.server.http.Placement;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Scope;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.peer.Peers;
import dev.reprise.server.proxy.ProxySettings;
import dev.reprise.server.proxy.RequestSource;
import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rights of callers: keys, projects and the audit log. Admission reads memory only; safe for
 * use by many threads.
 */
public final class AccessControl implements AutoCloseable {
  /** The header by which an operator names a project. */
  public static final String PROJECT_HEADER = "Reprise-Project";

  private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);

  /** The view of the store that has the API keys. */
  public static final int KEYS_VIEW = RocksStore.MAX_VIEW;

  private static final int PROJECTS_VIEW = RocksStore.MAX_VIEW - 16;
  private static final int AUDIT_VIEW = RocksStore.MAX_VIEW - 17;

  /** Counting what is pending takes up to this part of a processor. */
  private static final int PART_FOR_COUNTING = 20;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final DeliveryEngine engine;
  private final ProxySettings proxies;
  private final ApiKeys keys;
  private volatile Sessions sessions;
  private final Projects projects;
  private final AuditLog audit;
  private volatile @Nullable Peers peers;
  private long countedNanos = System.nanoTime();
  private long countNextNanos = countedNanos;
  private long usesStoredNanos = countedNanos;

  private AccessControl(
      DeliveryEngine engine,
      ApiKeys keys,
      Projects projects,
      AuditLog audit,
      ProxySettings proxies) {
    this.proxies = proxies;
    this.engine = engine;
    this.keys = keys;
    this.sessions = new BrowserSessions(keys, System::nanoTime);
    this.projects = projects;
    this.audit = audit;
  }

  /**
   * Reads what the store of an engine holds.
   *
   * @param dev whether every client is an operator, without a key
   * @param proxies what stands before the service
   */
  public static AccessControl open(
      DeliveryEngine engine, boolean dev, AuditSettings audit, ProxySettings proxies) {
    ApiKeys keys = new ApiKeys(engine.view(KEYS_VIEW), dev, engine::nowMillis);
    Projects projects =
        new Projects(engine.view(PROJECTS_VIEW), engine.catalog(), System::nanoTime);
    AuditLog log = new AuditLog(engine.view(AUDIT_VIEW), audit.retention(), audit.maxRecords());
    engine.watch(KEYS_VIEW, keys::refresh);
    engine.watch(PROJECTS_VIEW, projects::refresh);
    engine.watch(AUDIT_VIEW, changed -> log.refresh());
    return new AccessControl(engine, keys, projects, log, proxies);
  }

  /** The API keys. */
  public ApiKeys keys() {
    return keys;
  }

  /** The settings of what stands before the service. */
  public ProxySettings proxies() {
    return proxies;
  }

  /** The sessions of browsers. */
  public Sessions sessions() {
    return sessions;
  }

  public Projects projects() {
    return projects;
  }

  public AuditLog audit() {
    return audit;
  }

  /**
   * Lets a request to a route pass.
   *
   * @param uri path and query as they came
   * @param source where it comes from
   * @throws ApiException 401 without a key, 403 if the key has not the scope
   * @throws NotFoundException if it names a project that does not exist for the key
   */
  public Permit admit(Route route, String uri, MultiMap headers, RequestSource source) {
    PeerSecret.Sender peer = sender(route.method(), uri, headers);
    Caller caller = peer == null ? caller(route, headers, source) : ofPeer(peer);
    route.access().check(caller);
    String named = headers.get(PROJECT_HEADER);
    String own = caller.project();
    if (own != null && named != null && !named.equals(own)) {
      throw new NotFoundException("project", RequestFields.shortened(named));
    }
    String project = own != null ? own : named != null ? named : Topic.DEFAULT_PROJECT;
    return new Permit(
        caller,
        projects.get(project),
        own == null && named == null,
        peer == null ? source : RequestSource.of(peer.client()));
  }

  /** Returns whether another node of the cluster has sent a request. */
  public boolean isFromPeer(String method, String uri, MultiMap headers) {
    return headers.contains(Peers.HEADER) && sender(method, uri, headers) != null;
  }

  /** Takes requests of other nodes, which come in the name of a client of theirs. */
  public SignedSessions trust(Peers others) {
    SignedSessions signed =
        new SignedSessions(
            keys, others.secret(), engine::nowMillis, others::sessionEnded, proxies.publicUrl());
    sessions = signed;
    peers = others;
    return signed;
  }

  /**
   * Returns the one in whose name another node has sent a request; null if none has.
   *
   * @throws ApiException 401 if it says that it is one and is not
   */
  private PeerSecret.@Nullable Sender sender(String method, String uri, MultiMap headers) {
    String token = headers.get(Peers.HEADER);
    Peers others = peers;
    if (token == null || others == null) {
      return null;
    }
    PeerSecret.Sender sender = others.secret().verify(token, method, uri);
    if (sender == null) {
      throw new ApiException(
          ApiError.of(
                  401,
                  "unauthorized",
                  Peers.HEADER
                      + " is not that of a node of this cluster whose clock is right: leave it out")
              .withHeader(Peers.REFUSED_HEADER, "1"));
    }
    return sender;
  }

  private Caller ofPeer(PeerSecret.Sender sender) {
    if (keys.open()) {
      return Caller.DEV;
    }
    Caller caller = keys.find(sender.caller());
    if (caller == null) {
      // New at the node that was asked, or revoked here.
      throw new ShardElsewhereException(
          Placement.CATALOG, "has not sent this node the key '" + sender.caller() + "' yet");
    }
    return caller;
  }

  private Caller caller(Route route, MultiMap headers, RequestSource source) {
    String authorization = Authorization.of(headers.getAll("Authorization"));
    Caller signedIn = signedIn(authorization, headers);
    if (signedIn != null) {
      BrowserSessions.checkOrigin(
          headers, source, !route.method().equals("GET"), proxies.publicUrl());
      return signedIn;
    }
    return keys.check(authorization);
  }

  private @Nullable Caller signedIn(@Nullable String authorization, MultiMap headers) {
    return Authorization.isKey(authorization) || keys.open() ? null : sessions.find(headers);
  }

  /**
   * Returns whether the key or session of a request that was let pass still is good, for an answer
   * that goes on: the key was not revoked and has not expired, and the session has not ended.
   */
  public boolean stillAdmits(MultiMap headers) {
    String authorization = Authorization.of(headers.getAll("Authorization"));
    if (signedIn(authorization, headers) != null) {
      return true;
    }
    try {
      keys.check(authorization);
      return true;
    } catch (ApiException ended) {
      return false;
    }
  }

  /**
   * Counts what projects with a bound have pending, and stores when keys were last used. To be
   * called about once a second, by one thread at a time that may read the store.
   */
  public void refresh() {
    long now = System.nanoTime();
    if (now - countNextNanos >= 0) {
      double seconds = Math.max(now - countedNanos, 1) / (double) SECOND;
      for (Project project : projects.list()) {
        project.countedPublishes(seconds);
        if (project.boundsPending()) {
          count(project);
        }
      }
      long end = System.nanoTime();
      countedNanos = now;
      countNextNanos = end + (end - now) * PART_FOR_COUNTING;
    }
    if (now - usesStoredNanos >= MINUTE) {
      usesStoredNanos = now;
      storeUses();
    }
  }

  private void count(Project project) {
    try {
      project.countedPending(pending(project));
    } catch (ShardElsewhereException e) {
      // Until the shard has an owner again, what was counted last holds.
      LOG.debug("what project {} has pending cannot be counted", project.name(), e);
    }
  }

  /** The deliveries of a project that are pending now, as the ledger has them. */
  public long pending(Project project) {
    long pending = 0;
    for (Subscription subscription : project.catalog().subscriptions()) {
      pending += engine.reader(subscription).ledger(subscription.number()).pending();
    }
    return pending;
  }

  private void storeUses() {
    if (!engine.isWritable()) {
      return;
    }
    try {
      keys.storeUses();
    } catch (RuntimeException e) {
      // No caller waits for it, and it is tried again in the next minute.
      LOG.warn("the last use of API keys could not be stored: {}", e.getMessage());
    }
  }

  /** Makes a key for an operator who has none, and records it. */
  public String createOperatorKey(String name) {
    ApiKeys.Fresh fresh = keys.createForOperator(name);
    try {
      audit.add(
          new AuditRecord(
              engine.nowMillis(),
              "",
              "serve",
              Topic.DEFAULT_PROJECT,
              "createKey",
              fresh.id(),
              List.of("name"),
              201,
              ""));
    } catch (StoreException e) {
      // The key is stored, and its text is lost unless it is shown.
      LOG.warn("the audit log does not say that key {} was made: {}", fresh.id(), e.getMessage());
    }
    return fresh.text();
  }

  /**
   * Makes a key of a project that exists, or with null an operator's; none is deleted meanwhile.
   */
  public ApiKeys.Fresh createKey(
      String name, Set<Scope> scopes, @Nullable String project, long expiresAtMillis) {
    synchronized (projects) {
      if (project != null) {
        projects.get(project);
      }
      return keys.create(name, scopes, project, expiresAtMillis);
    }
  }

  /** Deletes a project that has neither topics nor keys; no key is made meanwhile. */
  public void deleteProject(String name) {
    synchronized (projects) {
      projects.delete(name, keys.list(name).size());
    }
  }

  /** The project of a name that exists for a caller; null if there is none. */
  public @Nullable Project visible(Caller caller, String name) {
    String own = caller.project();
    return own == null || own.equals(name) ? projects.find(name) : null;
  }

  /** Stores when keys were last used. */
  @Override
  public void close() {
    storeUses();
  }
}
