package dev.reprise.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.LedgerDocument;
import dev.reprise.server.document.ReceiptDocument;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Balances what publishers were told, what endpoints got, what the topics have and what the nodes
 * say, subscription by subscription, after a load has ended and everything was delivered.
 */
final class Checker {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final byte PENDING = 'P';
  private static final byte DEAD_LETTER = 'D';
  private static final int ID_AT = 10;
  private static final int INTAKE_BYTES = 31;

  /** A node may be stopped between the look at its lease and the first byte of an attempt. */
  private static final int MAX_OF_STOPPED = 1;

  private final Nodes nodes;
  private final Load load;
  private final List<Subscribed> subscriptions;
  private final List<Scene.Strike> strikes;
  private final OptionalLong movedNanos;
  private final ChaosFindings findings = new ChaosFindings();

  /** Attempts by subscription and message. */
  private final Map<String, Map<String, List<ChaosReceiver.Arrival>>> arrivals = new HashMap<>();

  /** The outcomes of deliveries, by subscription and message. */
  private final Map<String, Map<String, List<JsonNode>>> outcomes = new HashMap<>();

  /** By stop, the attempts that a node made when it went on. */
  private final Map<Scene.Strike, List<String>> ofStopped = new HashMap<>();

  private int repeated;

  /**
   * A checker of a load.
   *
   * @param movedNanos until when a service without a cluster has done everything, by {@link
   *     System#nanoTime}: the topics do not have what it took in and what has ended there
   */
  Checker(
      Nodes nodes,
      ChaosReceiver receiver,
      Load load,
      List<Subscribed> subscriptions,
      List<Scene.Strike> strikes,
      OptionalLong movedNanos) {
    this.nodes = nodes;
    this.load = load;
    this.subscriptions = subscriptions;
    this.strikes = strikes;
    this.movedNanos = movedNanos;
    for (ChaosReceiver.Arrival each : receiver.arrivals()) {
      arrivals
          .computeIfAbsent(each.subscription(), key -> new HashMap<>())
          .computeIfAbsent(each.message(), key -> new ArrayList<>())
          .add(each);
    }
  }

  /** Returns what the nodes say of all deliveries. */
  static LedgerDocument ledger(Nodes nodes, boolean verify)
      throws IOException, InterruptedException {
    return JSON.readValue(
        nodes.any().send("GET", "/v1/ledger?verify=" + verify, ""), LedgerDocument.class);
  }

  /** Returns the part of a subscription. */
  static LedgerCounts counts(LedgerDocument ledger, Subscribed subscription) {
    return ledger.subscriptions().stream()
        .filter(each -> each.id().equals(subscription.id()))
        .map(LedgerDocument.Line::counts)
        .findFirst()
        .orElse(LedgerCounts.EMPTY);
  }

  /**
   * Returns how often an endpoint that takes everything got a delivery that it had taken before.
   */
  int repeated() {
    return repeated;
  }

  ChaosFindings check() throws IOException, InterruptedException {
    LedgerDocument ledger = ledger(nodes, true);
    readTopics(ledger);
    for (Subscribed each : subscriptions) {
      checkDeliveries(each);
      checkLedger(each, counts(ledger, each));
    }
    int inFlight = 2 * Subscribed.MAX_IN_FLIGHT * subscriptions.size() * strikes.size();
    if (repeated > inFlight) {
      findings.add(
          "repeated deliveries: " + repeated + ", at most " + inFlight + " were in flight");
    }
    ofStopped.forEach(
        (strike, attempts) -> {
          if (attempts.size() > MAX_OF_STOPPED) {
            findings.add(strike + ": attempts of the node after its lease", attempts);
          }
        });
    checkWhole(ledger);
    return findings;
  }

  private void checkWhole(LedgerDocument ledger) {
    findings.same("the ledger's unexplained deliveries", 0, ledger.total().unexplained());
    LedgerDocument.Verified verified = ledger.verified();
    if (verified == null || !verified.agrees()) {
      findings.add("the stores disagree with the ledger: " + verified);
    }
  }

  // --- deliveries --------------------------------------------------------------------------

  private void checkDeliveries(Subscribed subscription) {
    Map<String, List<ChaosReceiver.Arrival>> arrived =
        arrivals.getOrDefault(subscription.id(), Map.of());
    Map<String, List<JsonNode>> ended = outcomes.getOrDefault(subscription.id(), Map.of());
    if (subscription.kind() == Subscribed.Kind.PARKED) {
      findings.same(subscription + ": attempts of what is suspended", 0, arrived.size());
      findings.same(subscription + ": ends of what is suspended", 0, ended.size());
      return;
    }
    List<String> missing = new ArrayList<>();
    load.accepted()
        .values()
        .forEach(
            each -> {
              String message = receipt(each).messageId();
              boolean here = arrived.containsKey(message);
              boolean there =
                  ended.containsKey(message)
                      || hasEndedBefore(arrived.getOrDefault(message, List.of()));
              if (!here || !there) {
                missing.add(
                    each + (here ? " has arrived without an outcome" : " has never arrived"));
              }
            });
    findings.lost(missing.size());
    findings.add(subscription + ": acknowledged and not delivered", missing);
    checkIdentity(subscription, arrived);
    checkOutcomes(subscription, arrived, ended);
    checkRepetitions(subscription, arrived);
  }

  private static ReceiptDocument receipt(Load.Accepted accepted) {
    return JSON.readValue(accepted.answer(), ReceiptDocument.class);
  }

  /** Whether a delivery has ended before the topics were there. */
  private boolean hasEndedBefore(List<ChaosReceiver.Arrival> arrived) {
    return movedNanos.isPresent()
        && arrived.stream()
            .anyMatch(
                each ->
                    each.nanos() - movedNanos.getAsLong() < 0
                        && (each.isTaken() || each.isRefused()));
  }

  /** Each publish is one message, however often it was sent. */
  private void checkIdentity(
      Subscribed subscription, Map<String, List<ChaosReceiver.Arrival>> arrived) {
    Map<Long, Set<String>> ids = new HashMap<>();
    arrived.forEach(
        (message, all) ->
            ids.computeIfAbsent(all.get(0).number(), key -> new HashSet<>()).add(message));
    List<String> twice = new ArrayList<>();
    ids.forEach(
        (number, messages) -> {
          if (messages.size() > 1) {
            twice.add(number + " is " + messages);
          }
        });
    findings.add(subscription + ": one publish became several messages", twice);
  }

  private void checkOutcomes(
      Subscribed subscription,
      Map<String, List<ChaosReceiver.Arrival>> arrived,
      Map<String, List<JsonNode>> ended) {
    List<String> several = new ArrayList<>();
    List<String> late = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    ended.forEach(
        (message, events) -> {
          if (events.size() > 1) {
            several.add(events.toString());
          }
          JsonNode event = events.get(0);
          List<ChaosReceiver.Arrival> all = arrived.getOrDefault(message, List.of());
          boolean taken = all.stream().anyMatch(ChaosReceiver.Arrival::isTaken);
          String expected = taken ? "delivered" : "dead-lettered";
          if (!event.get("event").stringValue().equals(expected)) {
            wrong.add(event.toString());
          }
          int last = event.get("attempt").intValue();
          for (ChaosReceiver.Arrival each : all) {
            if (each.attempt() > last) {
              late.add(each + " after " + event);
            }
          }
        });
    findings.add(subscription + ": told twice how it ended", several);
    findings.add(subscription + ": attempts after the end", late);
    findings.add(subscription + ": ended otherwise than the endpoint answered", wrong);
  }

  /** A delivery that was taken comes again only if its owner was lost between the two. */
  private void checkRepetitions(
      Subscribed subscription, Map<String, List<ChaosReceiver.Arrival>> arrived) {
    List<String> unexplained = new ArrayList<>();
    arrived
        .values()
        .forEach(
            all -> {
              for (int i = 1; i < all.size(); i++) {
                ChaosReceiver.Arrival before = all.get(i - 1);
                ChaosReceiver.Arrival again = all.get(i);
                if (!before.isTaken()) {
                  continue;
                }
                repeated++;
                if (strikes.stream().noneMatch(each -> explains(each, before, again))) {
                  unexplained.add(before + " and " + again);
                }
                strikes.stream()
                    .filter(each -> isOfStopped(each, before, again))
                    .forEach(
                        each ->
                            ofStopped
                                .computeIfAbsent(each, key -> new ArrayList<>())
                                .add(before + " and " + again));
              }
            });
    findings.add(subscription + ": repeated without a fault", unexplained);
  }

  private static boolean explains(
      Scene.Strike strike, ChaosReceiver.Arrival before, ChaosReceiver.Arrival again) {
    return before.nanos() < strike.endedNanos() && again.nanos() > strike.beganNanos();
  }

  /** A node that stood still goes on with what another has delivered meanwhile. */
  private static boolean isOfStopped(
      Scene.Strike strike, ChaosReceiver.Arrival before, ChaosReceiver.Arrival again) {
    return strike.fault().startsWith("SIGSTOP")
        && explains(strike, before, again)
        && before.nanos() > strike.beganNanos()
        && !before.node().isEmpty()
        && !before.node().equals(strike.node())
        && again.node().equals(strike.node());
  }

  private void checkLedger(Subscribed subscription, LedgerCounts counts) {
    Map<String, List<JsonNode>> ended = outcomes.getOrDefault(subscription.id(), Map.of());
    String of = subscription + ": ";
    if (subscription.kind() != Subscribed.Kind.PARKED) {
      int arrived = arrivals.getOrDefault(subscription.id(), Map.of()).size();
      findings.same(of + "accepted by the ledger, and arrived", counts.accepted(), arrived);
    }
    findings.same(
        of + "accepted = delivered + dead + pending",
        counts.accepted(),
        counts.delivered() + counts.deadLettered() + counts.pending());
    long endedBefore =
        arrivals.getOrDefault(subscription.id(), Map.of()).entrySet().stream()
            .filter(each -> !ended.containsKey(each.getKey()) && hasEndedBefore(each.getValue()))
            .count();
    findings.same(
        of + "ended by the ledger, and told",
        ended.size() + endedBefore,
        counts.delivered() + counts.deadLettered());
    findings.same(
        of + "pending",
        subscription.kind() == Subscribed.Kind.PARKED ? counts.accepted() : 0,
        counts.pending());
    long accepted = load.accepted().size();
    if (counts.accepted() < accepted || counts.accepted() > accepted + load.unclear().size()) {
      findings.add(
          of
              + counts.accepted()
              + " accepted by the ledger; "
              + accepted
              + " publishes were acknowledged and "
              + load.unclear().size()
              + " were answered unclearly");
    }
  }

  // --- topics ------------------------------------------------------------------------------

  private void readTopics(LedgerDocument ledger) {
    ClusterSpec spec = nodes.spec();
    try (TopicReader reader = new TopicReader(spec.brokers())) {
      for (ConsumerRecord<byte[], byte[]> each : reader.read(spec.topic("events"))) {
        JsonNode event = JSON.readTree(new String(each.value(), UTF_8));
        if (event.has("message")) {
          outcomes
              .computeIfAbsent(event.get("subscription").stringValue(), key -> new HashMap<>())
              .computeIfAbsent(event.get("message").stringValue(), key -> new ArrayList<>())
              .add(event);
        }
      }
      checkState(reader.read(spec.topic("shards")), ledger);
      checkIntake(reader.read(spec.topic("in")));
    }
  }

  /** The records of pending deliveries and dead letters are as many as the ledger says. */
  private void checkState(List<ConsumerRecord<byte[], byte[]>> records, LedgerDocument ledger) {
    Map<ByteBuffer, ConsumerRecord<byte[], byte[]>> state = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> each : records) {
      if (each.value() == null) {
        state.remove(ByteBuffer.wrap(each.key()));
      } else {
        state.put(ByteBuffer.wrap(each.key()), each);
      }
    }
    for (Subscribed subscription : subscriptions) {
      long pending = 0;
      long dead = 0;
      for (ByteBuffer key : state.keySet()) {
        if (key.remaining() > Long.BYTES && key.getLong(1) == subscription.number()) {
          pending += key.get(0) == PENDING ? 1 : 0;
          dead += key.get(0) == DEAD_LETTER ? 1 : 0;
        }
      }
      LedgerCounts counts = counts(ledger, subscription);
      findings.same(subscription + ": pending in the topic", counts.pending(), pending);
      findings.same(subscription + ": dead letters in the topic", counts.deadLettered(), dead);
    }
  }

  /**
   * Everything that was acknowledged is in the topic of intake for each shard with subscriptions.
   */
  private void checkIntake(List<ConsumerRecord<byte[], byte[]>> records) {
    Map<UUID, Set<Integer>> shards = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> each : records) {
      if (each.value() != null && each.value().length >= INTAKE_BYTES) {
        ByteBuffer value = ByteBuffer.wrap(each.value());
        UUID message = new UUID(value.getLong(ID_AT), value.getLong(ID_AT + Long.BYTES));
        shards.computeIfAbsent(message, key -> new HashSet<>()).add(each.partition());
      }
    }
    Set<Integer> wanted = new HashSet<>();
    for (Subscribed each : subscriptions) {
      wanted.add((int) (each.number() % nodes.spec().shards()));
    }
    List<String> missing = new ArrayList<>();
    for (Load.Accepted each : load.accepted().values()) {
      // It is one message, whoever has acknowledged it in the end.
      if (movedNanos.isPresent() && each.beganNanos() - movedNanos.getAsLong() < 0) {
        continue;
      }
      Set<Integer> found =
          shards.getOrDefault(UUID.fromString(receipt(each).messageId()), Set.of());
      if (!found.containsAll(wanted)) {
        missing.add(each + " is in " + found + " of " + wanted);
      }
    }
    findings.add("acknowledged and not in the topic of intake", missing);
  }
}
