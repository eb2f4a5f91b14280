package dev.reprise.server.nodes;

import static java.util.stream.Collectors.toSet;

import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.ApiKey;
import dev.reprise.server.access.ApiKeys;
import dev.reprise.server.document.NodeDocument;
import dev.reprise.server.document.TroublesDocument.Trouble;
import dev.reprise.server.event.ServiceFacts;
import dev.reprise.server.event.Troubles;
import dev.reprise.server.http.Times;
import dev.reprise.server.watch.DeadLetterGrowth;
import dev.reprise.server.watch.FailingEndpoints;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The list of what an operator must act on: the one that the API, the console and the command show.
 * Its facts are those that operator events report ({@link ServiceFacts}) and that nodes tell each
 * other. Safe for use by many threads.
 */
public final class TroubleList {
  /** Of one kind, no more than these are listed. */
  static final int MAX_OF_KIND = 100;

  /** An operator's key is a trouble when it expires within this span. */
  static final long KEY_SPAN_MILLIS = TimeUnit.DAYS.toMillis(7);

  private static final String STOPPING = "stopping";

  private final DeliveryEngine engine;
  private final AccessControl access;
  private final ClusterView cluster;
  private final ServiceFacts facts;
  private final DeadLetterGrowth growth;
  private final FailingEndpoints failing;

  /** The list of one process, which is a node of {@code cluster} or a single service. */
  public TroubleList(
      DeliveryEngine engine, Carriers carriers, AccessControl access, ClusterView cluster) {
    this.engine = engine;
    this.access = access;
    this.cluster = cluster;
    this.facts = new ServiceFacts(engine, carriers);
    this.growth = new DeadLetterGrowth(engine);
    this.failing = new FailingEndpoints(engine);
  }

  /**
   * Returns what one caller may see, once every other node was asked; waits three seconds for them
   * at the most.
   *
   * @param project null for everything
   */
  public CompletionStage<List<Trouble>> asOfNow(@Nullable String project, Executor executor) {
    return cluster.askAgain().thenApplyAsync(done -> of(project), executor);
  }

  /**
   * Returns what one caller may see, the gravest first; of other nodes what they said last. Hosts,
   * carriers, disks and nodes, which projects share, are not shown to a project.
   *
   * @param project null for everything
   */
  public List<Trouble> of(@Nullable String project) {
    List<Trouble> all = new ArrayList<>();
    if (project == null) {
      addNodes(all);
      addShards(all);
      addCarriers(all);
    }
    addHolds(all, project);
    addFailing(all, project);
    addDeadLetters(all, project);
    if (project == null) {
      addKeys(all);
    }
    return List.copyOf(all);
  }

  private void addNodes(List<Trouble> all) {
    var nodes = cluster.nodes();
    nodes.forEach((name, node) -> addDisk(all, name, node.disk()));
    nodes.forEach((name, node) -> addFaults(all, name, node));
    cluster
        .silent()
        .forEach(
            (name, problem) ->
                all.add(
                    ofNode(
                        "node_fault",
                        null,
                        name,
                        "node " + name + " " + problem,
                        "Look at that node: is its process alive, and its URL reached from here?"
                            + " ./reprise cluster shows who owns its shards meanwhile.")));
    nodes.forEach((name, node) -> addClock(all, name, node.clock()));
  }

  private static void addDisk(List<Trouble> all, String node, NodeDocument.@Nullable Disk disk) {
    if (disk != null) {
      all.add(
          ofNode(
              "disk_low",
              disk.sinceMillis() == 0 ? null : Times.text(disk.sinceMillis()),
              node,
              "publishes are refused: storage is full: " + disk.text(),
              disk.action()));
    }
  }

  private void addFaults(List<Trouble> all, String name, NodeDocument node) {
    List<String> faults = node.faults();
    String problem = node.problem();
    if (faults.isEmpty() && node.clock() == null && problem != null && !problem.isEmpty()) {
      faults = List.of(problem); // A node of a version that does not send them apart.
    }
    for (String fault : faults) {
      if (fault.equals(STOPPING)) {
        continue;
      }
      all.add(
          name.isEmpty()
              ? ofNode(
                  "store_failed",
                  null,
                  name,
                  "nothing can be accepted: " + Troubles.harmless(fault),
                  engine.failure() == null
                      ? "The service tries again by itself; if it goes on, look at the disk of the"
                          + " data folder and at the log."
                      : engine.isDamaged()
                          ? "Files of the store are damaged: restore a backup (./reprise restore)"
                              + " or save what is readable (./reprise salvage)."
                          : "Start the process again; the log says what has failed.")
              : ofNode(
                  "node_fault",
                  null,
                  name,
                  "node " + name + ": " + Troubles.harmless(fault),
                  "Look at that node's log, and at its connection to the brokers; ./reprise cluster"
                      + " shows its shards."));
    }
  }

  private void addClock(List<Trouble> all, String name, NodeDocument.@Nullable Clock clock) {
    if (clock != null) {
      all.add(
          ofNode(
              "clock_off",
              Times.text(engine.nowMillis() - clock.forMillis()),
              name,
              (name.isEmpty() ? "" : "node " + name + ": ") + clock.text(),
              "Compare the system's clock with a time server (timedatectl, chronyc tracking) and"
                  + " set it right. Times of messages and records are by the service's clock, those"
                  + " of signatures by the system's; the log says when it began."));
    }
  }

  private void addShards(List<Trouble> all) {
    for (ShardReports.Stands each : cluster.stands()) {
      all.add(
          new Trouble(
              "shard_stands",
              each.since(),
              null,
              null,
              each.node(),
              Integer.toString(each.shard()),
              sentence(Troubles.harmless(each.text())),
              "What was accepted for it is kept by the brokers and is not in the ledger yet."
                  + " ./reprise cluster --shards shows all shards, ./reprise cluster show "
                  + each.shard()
                  + " OFFSET what is at a place of its topics."));
    }
  }

  private void addCarriers(List<Trouble> all) {
    new TreeMap<>(facts.carriers())
        .forEach(
            (name, here) -> {
              var state = cluster.carrier(name, here);
              String fault = state.fault();
              if (fault != null) {
                all.add(
                    new Trouble(
                        "carrier_down",
                        Times.text(state.faultSinceMillis()),
                        null,
                        null,
                        null,
                        name,
                        sentence("the carrier " + name + " is at fault: " + harmless(fault)),
                        "Mend the cause, and look with ./reprise carrier test "
                            + name
                            + "; ./reprise carrier resume "
                            + name
                            + " goes on where it has refused everything. What it should deliver"
                            + " waits, and none of that uses up a retry."));
              }
            });
  }

  private void addHolds(List<Trouble> all, @Nullable String project) {
    int listed = 0;
    for (RefusalHold hold : facts.held()) {
      Subscription subscription =
          hold.subscription() == 0 ? null : engine.catalog().findSubscription(hold.subscription());
      boolean isShown =
          project == null || (subscription != null && subscription.project().equals(project));
      if (!isShown || listed++ >= MAX_OF_KIND) {
        continue;
      }
      String what =
          subscription != null
              ? "the endpoint of " + subscription.id()
              : (hold.group().contains("://") ? "the host " : "the ") + hold.group();
      String since = Times.text(hold.sinceMillis());
      String text = sentence(what + " " + harmless(hold.reason()));
      all.add(
          new Trouble(
              "endpoint_held",
              since,
              subscription == null ? null : subscription.project(),
              subscription == null ? null : subscription.id(),
              null,
              subscription == null ? hold.group() : null,
              text,
              "Mend the cause there"
                  + (subscription == null
                      ? ""
                      : ", then ./reprise subscription release " + subscription.id())
                  + ". One delivery at a time is tried, and the rest goes on with the first that is"
                  + " taken; none of that uses up a retry."));
    }
  }

  private void addFailing(List<Trouble> all, @Nullable String project) {
    Set<String> held =
        all.stream().map(Trouble::subscription).filter(Objects::nonNull).collect(toSet());
    failing.now().stream()
        // Of one that is held the list has said so.
        .filter(each -> !held.contains(each.subscription().id()))
        .filter(each -> project == null || each.subscription().project().equals(project))
        .limit(MAX_OF_KIND)
        .forEach(each -> all.add(failing(each.subscription(), each.figures())));
  }

  static Trouble failing(Subscription subscription, SubscriptionFigures figures) {
    String id = subscription.id();
    EndpointStanding standing = figures.standing();
    EndpointStanding.LastOutcome last = standing.last();
    String customer = subscription.settings().labelling().customer();
    long pending = figures.ledger().pending();
    return new Trouble(
        "subscription_failing",
        Times.text(standing.failingSinceMillis()),
        subscription.project(),
        id,
        null,
        null,
        String.format(
            Locale.ROOT,
            "Every attempt of %s%s has failed%s; %,d %s pending.",
            id,
            customer == null ? "" : " of customer " + customer,
            last == null ? "" : ", the last with: " + harmless(last.summary()),
            pending,
            pending == 1 ? "delivery is" : "deliveries are"),
        "./reprise subscription show "
            + id
            + " says how its endpoint answers; its owner has to mend it. ./reprise subscription"
            + " suspend "
            + id
            + " holds what is sent to it meanwhile.");
  }

  private void addDeadLetters(List<Trouble> all, @Nullable String project) {
    growth.lastHour().stream()
        .filter(each -> project == null || each.subscription().project().equals(project))
        .limit(MAX_OF_KIND)
        .forEach(each -> all.add(deadLetters(each)));
  }

  private static Trouble deadLetters(DeadLetterGrowth.Grown each) {
    String id = each.subscription().id();
    return new Trouble(
        "dead_letters_grow",
        Times.text(each.sinceMillis()),
        each.subscription().project(),
        id,
        null,
        null,
        String.format(
            Locale.ROOT,
            "%,d %s of %s given up within the last hour; it keeps %,d dead %s.",
            each.givenUp(),
            each.givenUp() == 1 ? "delivery" : "deliveries",
            id + (each.givenUp() == 1 ? " was" : " were"),
            each.kept(),
            each.kept() == 1 ? "letter" : "letters"),
        "./reprise dead-letters reasons "
            + id
            + " says why; mend the cause, then ./reprise redrive "
            + id
            + ", or ./reprise dead-letters purge "
            + id
            + " if they are not wanted.");
  }

  private void addKeys(List<Trouble> all) {
    long now = engine.nowMillis();
    int listed = 0;
    for (ApiKeys.Listed each : access.keys().list(null)) {
      ApiKey key = each.key();
      long expires = key.caller().expiresAtMillis();
      boolean isSoon =
          key.caller().isOperator() && expiresSoon(key.createdAtMillis(), expires, now);
      if (isSoon && listed++ < MAX_OF_KIND) {
        all.add(
            new Trouble(
                "key_expires",
                Times.text(expires - KEY_SPAN_MILLIS),
                null,
                null,
                null,
                key.id(),
                sentence(
                    "the operator's API key "
                        + key.id()
                        + " ("
                        + harmless(key.caller().name())
                        + ") expires at "
                        + Times.text(expires)),
                "Make another with ./reprise key create, give it to those that use this one, and"
                    + " revoke this one: ./reprise key revoke "
                    + key.id()
                    + "."));
      }
    }
  }

  /** One that was made for a few days is meant to end. */
  static boolean expiresSoon(long createdMillis, long expiresMillis, long nowMillis) {
    return expiresMillis > nowMillis
        && expiresMillis - nowMillis <= KEY_SPAN_MILLIS
        && expiresMillis - createdMillis > KEY_SPAN_MILLIS;
  }

  private static Trouble ofNode(
      String kind, @Nullable String since, String node, String text, String action) {
    return new Trouble(
        kind, since, null, null, node.isEmpty() ? null : node, null, sentence(text), action);
  }

  private static String harmless(String text) {
    return Troubles.harmless(text);
  }

  private static String sentence(String text) {
    String full = text.endsWith(".") || text.endsWith("…") ? text : text + ".";
    return full.substring(0, 1).toUpperCase(Locale.ROOT) + full.substring(1);
  }
}
