package dev.reprise.server.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.core.StopReason;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.Topic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event that is of interest to operators. The components of each record are fields of the JSON;
 * what is null is absent there.
 */
public sealed interface OperatorEvent {
  /** The kinds of events. */
  enum Type {
    DELIVERY_EXHAUSTED("delivery.exhausted"),
    SUBSCRIPTION_SUSPENDED("subscription.suspended"),
    SUBSCRIPTION_RELEASED("subscription.released"),
    ENDPOINT_RECOVERED("endpoint.recovered"),
    ENDPOINT_HELD("endpoint.held"),
    CARRIER_DOWN("carrier.down"),
    CARRIER_RECOVERED("carrier.recovered"),
    SECRET_ROTATED("secret.rotated"),
    DISK_LOW("disk.low"),
    DISK_RECOVERED("disk.recovered"),
    CLOCK_OFF("clock.off"),
    CLOCK_RECOVERED("clock.recovered");

    private final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }

    /** Returns its name in JSON and in metrics. */
    public String wireName() {
      return wireName;
    }
  }

  /** The fields that are attributes of the message as well, where an event has them. */
  List<String> ATTRIBUTES =
      List.of("project", "topic", "subscription", "customer", "by", "carrier", "secret");

  /** Returns its kind. */
  Type type();

  /** Returns the project whose reserved topic gets it. */
  String project();

  /** Returns the id of the subscription that it is about; null if it is not about one alone. */
  default @Nullable String subscription() {
    return null;
  }

  /** Returns the id or the name of the thing that it is about; empty for the whole service. */
  String about();

  /** Returns a sentence for people. */
  String text();

  /**
   * Deliveries were given up: retries were exhausted, or there was another reason.
   *
   * @param subscription its id; null for several, of which too many gave up deliveries at once
   * @param count how many there were since the last event of the same subscription and reason
   * @param since when the first of them was given up, RFC 3339
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record DeliveryExhausted(
      String project,
      @Nullable String topic,
      @Nullable String subscription,
      StopReason reason,
      long count,
      String since,
      Last last)
      implements OperatorEvent {
    /**
     * The last of the deliveries.
     *
     * @param delivery its id; null if the subscription is not named
     * @param summary what came of its last attempt
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Last(@Nullable String delivery, int attempts, String summary) {}

    @Override
    public Type type() {
      return Type.DELIVERY_EXHAUSTED;
    }

    @Override
    public String about() {
      return subscription == null ? "" : subscription;
    }

    @Override
    public String text() {
      return (subscription == null ? "Further subscriptions" : "Subscription " + subscription)
          + " gave up "
          + (count == 1 ? "a delivery" : count + " deliveries")
          + " ("
          + reason
          + "); the last after "
          + (last.attempts() == 1 ? "1 attempt" : last.attempts() + " attempts")
          + (last.summary().isBlank() ? "" : ": " + last.summary());
    }
  }

  /**
   * A subscription was suspended.
   *
   * @param by operator or endpoint
   * @param reason for people; null for none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record SubscriptionSuspended(
      String project, String topic, String subscription, String by, @Nullable String reason)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.SUBSCRIPTION_SUSPENDED;
    }

    @Override
    public String about() {
      return subscription;
    }

    @Override
    public String text() {
      return "Subscription "
          + subscription
          + " was suspended by "
          + (by.equals("endpoint") ? "its endpoint's answer" : "an operator")
          + (reason == null ? "" : ": " + reason);
    }
  }

  /** A subscription was released. */
  record SubscriptionReleased(String project, String topic, String subscription)
      implements OperatorEvent {
    static SubscriptionReleased of(Subscription subscription) {
      return new SubscriptionReleased(
          subscription.project(), subscription.topic(), subscription.id());
    }

    @Override
    public Type type() {
      return Type.SUBSCRIPTION_RELEASED;
    }

    @Override
    public String about() {
      return subscription;
    }

    @Override
    public String text() {
      return "Subscription " + subscription + " was released";
    }
  }

  /**
   * An endpoint that had failed took a delivery again.
   *
   * @param since when it began to fail, RFC 3339
   * @param givenUp how many deliveries were given up meanwhile
   */
  record EndpointRecovered(
      String project, String topic, String subscription, String since, long givenUp)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.ENDPOINT_RECOVERED;
    }

    @Override
    public String about() {
      return subscription;
    }

    @Override
    public String text() {
      return "The endpoint of subscription "
          + subscription
          + " takes deliveries again; "
          + givenUp
          + (givenUp == 1 ? " was" : " were")
          + " given up since "
          + since;
    }
  }

  /**
   * An endpoint refuses everything alike: the rest waits, and one at a time is tried.
   *
   * @param subscription its id; null for all of a host
   * @param host scheme, host and port, or {@code function} and its name, if all that goes there
   *     waits; null for a subscription
   * @param code of the refusals
   * @param count how many deliveries were given up with it
   * @param reason for people
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record EndpointHeld(
      String project,
      @Nullable String topic,
      @Nullable String subscription,
      @Nullable String host,
      String code,
      long count,
      String reason)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.ENDPOINT_HELD;
    }

    @Override
    public String about() {
      return subscription != null ? subscription : host != null ? host : "";
    }

    @Override
    public String text() {
      return (subscription != null
              ? "The endpoint of subscription "
              // The group of a function begins with that word.
              : about().contains("://") ? "The host " : "The ")
          + about()
          + " "
          + reason;
    }
  }

  /**
   * A carrier is at fault: its deliveries wait.
   *
   * @param fault the reason, for people
   */
  record CarrierDown(String project, String carrier, String fault) implements OperatorEvent {
    @Override
    public Type type() {
      return Type.CARRIER_DOWN;
    }

    @Override
    public String about() {
      return carrier;
    }

    @Override
    public String text() {
      return "Carrier " + carrier + " is down, and its deliveries wait: " + fault;
    }
  }

  /** A carrier is not at fault any more. */
  record CarrierRecovered(String project, String carrier) implements OperatorEvent {
    @Override
    public Type type() {
      return Type.CARRIER_RECOVERED;
    }

    @Override
    public String about() {
      return carrier;
    }

    @Override
    public String text() {
      return "Carrier " + carrier + " works again";
    }
  }

  /**
   * A secret has another value, or is encrypted under another key.
   *
   * @param secret signing, api-key or stored
   * @param key the id of the API key
   * @param count of how many carriers and subscriptions stored secrets were encrypted anew
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record SecretRotated(
      String project,
      String secret,
      @Nullable String topic,
      @Nullable String subscription,
      @Nullable String key,
      @Nullable Integer count)
      implements OperatorEvent {
    /** The signing secret of a subscription. */
    public static SecretRotated ofSigning(Subscription subscription) {
      return new SecretRotated(
          subscription.project(), "signing", subscription.topic(), subscription.id(), null, null);
    }

    /**
     * The secret of an API key.
     *
     * @param project null for an operator's key
     */
    public static SecretRotated ofKey(@Nullable String project, String key) {
      String told = project == null ? Topic.DEFAULT_PROJECT : project;
      return new SecretRotated(told, "api-key", null, null, key, null);
    }

    /** All that is stored encrypted. */
    public static SecretRotated ofStored(int count) {
      return new SecretRotated(Topic.DEFAULT_PROJECT, "stored", null, null, null, count);
    }

    @Override
    public Type type() {
      return Type.SECRET_ROTATED;
    }

    @Override
    public String about() {
      return subscription != null ? subscription : key != null ? key : "";
    }

    @Override
    public String text() {
      return subscription != null
          ? "Subscription " + subscription + " has a new signing secret"
          : key != null
              ? "API key " + key + " has a new secret"
              : "Secrets of " + count + " carriers and subscriptions are under the current key";
    }
  }

  /**
   * Publishes are refused for want of space: the disk has no more than its reserve, or the store
   * has come to its own bound.
   *
   * @param detail what is left, for people
   */
  record DiskLow(String project, String detail, long freeBytes, long reserveBytes)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.DISK_LOW;
    }

    @Override
    public String about() {
      return "";
    }

    @Override
    public String text() {
      return "Publishes are refused: " + detail;
    }
  }

  /** Publishes are not refused for want of space any more. */
  record DiskRecovered(String project, String detail, long freeBytes, long reserveBytes)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.DISK_RECOVERED;
    }

    @Override
    public String about() {
      return "";
    }

    @Override
    public String text() {
      return "Publishes are accepted again: " + detail;
    }
  }

  /**
   * The service's clock differs from the system's by more than a second.
   *
   * @param node of a cluster whose clock it is; null for a single service
   * @param aheadMillis by how much the service's is ahead; less than 0 if it is behind
   * @param detail the same for people, and what becomes of it
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record ClockOff(String project, @Nullable String node, long aheadMillis, String detail)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.CLOCK_OFF;
    }

    @Override
    public String about() {
      return "";
    }

    @Override
    public String text() {
      return ofNode(node) + detail;
    }
  }

  /**
   * The service's clock agrees with the system's again.
   *
   * @param node of a cluster whose clock it is; null for a single service
   * @param aheadMillis by how much the service's was ahead at the most; less than 0 if it was
   *     behind
   * @param forMillis how long they differed
   * @param detail the same for people
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record ClockRecovered(
      String project, @Nullable String node, long aheadMillis, long forMillis, String detail)
      implements OperatorEvent {
    @Override
    public Type type() {
      return Type.CLOCK_RECOVERED;
    }

    @Override
    public String about() {
      return "";
    }

    @Override
    public String text() {
      return ofNode(node) + detail;
    }
  }

  private static String ofNode(@Nullable String node) {
    return node == null ? "" : "Node " + node + ": ";
  }
}
