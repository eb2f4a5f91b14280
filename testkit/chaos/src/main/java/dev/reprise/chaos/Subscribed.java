package dev.reprise.chaos;

import dev.reprise.server.document.SubscriptionDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

  private static final long SLOW_MILLIS = 40;

  /** The end of the deliveries. */
  enum Kind {
    /** At the first attempt. */
    GOOD,
    /** The same after a while, in which faults meet them. */
    SLOW,
    /** At the first attempt, or some at the second. */
    FLAKY,
    /**
     * At the first attempt, some of them as dead letters: an endpoint that only fails is slowed
     * down.
     */
    DYING,
    /** Not at all, and without an attempt. */
    PARKED;

    private ChaosReceiver.Behaviour behaviour() {
      return switch (this) {
        case GOOD, PARKED -> ChaosReceiver.Behaviour.GOOD;
        case SLOW -> ChaosReceiver.Behaviour.slow(SLOW_MILLIS);
        case FLAKY -> ChaosReceiver.Behaviour.FLAKY;
        case DYING -> ChaosReceiver.Behaviour.REFUSING_SOME;
      };
    }
  }

  /** Makes a topic with subscriptions in all shards, two at least that take everything. */
  static List<Subscribed> make(NodeProcess node, ChaosReceiver receiver, String topic)
      throws IOException, InterruptedException {
    node.send("PUT", "/v1/topics/" + topic, "{}");
    List<Subscribed> made = new ArrayList<>();
    for (Kind kind :
        List.of(Kind.GOOD, Kind.GOOD, Kind.SLOW, Kind.GOOD, Kind.FLAKY, Kind.DYING, Kind.PARKED)) {
      String endpoint = topic + "-" + made.size();
      receiver.behave(endpoint, kind.behaviour());
      String settings =
          String.format(
              Locale.ROOT,
              "{\"endpoint\":\"%s\",\"format\":\"raw\",\"maxInFlight\":%d,\"startSuspended\":%b,"
                  + "\"policy\":{\"healthyRetryPolicy\":"
                  + "{\"numRetries\":100,\"minDelayTarget\":1,\"maxDelayTarget\":5}}}",
              receiver.url(endpoint),
              MAX_IN_FLIGHT,
              kind == Kind.PARKED);
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
