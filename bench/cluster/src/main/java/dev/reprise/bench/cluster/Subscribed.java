package dev.reprise.bench.cluster;

import dev.reprise.server.document.SubscriptionDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * A subscription whose deliveries end in a way that is known beforehand.
 *
 * @param id of the subscription
 * @param kind of its endpoint
 */
record Subscribed(String id, Kind kind) {
  /** The attempts of a subscription at the same time. */
  static final int MAX_IN_FLIGHT = 16;

  private static final String SETTINGS =
      "{\"endpoint\":\"%s\",\"format\":\"raw\",\"maxInFlight\":%d,\"policy\":{\"healthyRetryPolicy\":"
          + "{\"numRetries\":%d,\"minDelayTarget\":%d,\"maxDelayTarget\":%d}}}";
  private static final long SLOW_MILLIS = 40;

  /** How the deliveries end. */
  enum Kind {
    /** At the first attempt. */
    GOOD(Receiver.Behaviour.GOOD, 100, 1, 5),
    /** The same after a while, in which faults meet them. */
    SLOW(Receiver.Behaviour.slow(SLOW_MILLIS), 100, 1, 5),
    /** As dead letters, after the second attempt. */
    DYING(Receiver.Behaviour.FAILING, 1, 1, 1),
    /** Not for an hour. */
    PARKED(Receiver.Behaviour.FAILING, 3, 3600, 3600);

    private final Receiver.Behaviour behaviour;
    private final int retries;
    private final int minDelaySeconds;
    private final int maxDelaySeconds;

    Kind(Receiver.Behaviour behaviour, int retries, int minDelaySeconds, int maxDelaySeconds) {
      this.behaviour = behaviour;
      this.retries = retries;
      this.minDelaySeconds = minDelaySeconds;
      this.maxDelaySeconds = maxDelaySeconds;
    }

    /** Whether the endpoint takes what arrives. */
    boolean isTaking() {
      return behaviour.status() / 100 == 2;
    }
  }

  /** Makes a topic with subscriptions in all shards, two at least that take everything. */
  static List<Subscribed> make(NodeProcess node, Receiver receiver, String topic)
      throws IOException, InterruptedException {
    node.send("PUT", "/v1/topics/" + topic, "{}");
    List<Subscribed> made = new ArrayList<>();
    for (Kind kind :
        List.of(Kind.GOOD, Kind.GOOD, Kind.SLOW, Kind.GOOD, Kind.SLOW, Kind.DYING, Kind.PARKED)) {
      String endpoint = topic + "-" + made.size();
      receiver.behave(endpoint, kind.behaviour);
      String settings =
          SETTINGS.formatted(
              receiver.url(endpoint),
              MAX_IN_FLIGHT,
              kind.retries,
              kind.minDelaySeconds,
              kind.maxDelaySeconds);
      String answer = node.send("POST", "/v1/topics/" + topic + "/subscriptions", settings);
      String id = JsonMapper.shared().readValue(answer, SubscriptionDocument.class).id();
      made.add(new Subscribed(id, kind));
    }
    return made;
  }

  /** Returns the number at the end of the id, by which its records are kept. */
  long number() {
    return Long.parseLong(id.substring(id.lastIndexOf('-') + 1));
  }
}
