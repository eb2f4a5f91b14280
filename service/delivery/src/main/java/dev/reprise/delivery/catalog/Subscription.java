package dev.reprise.delivery.catalog;

/**
 * An endpoint that wants a topic's messages.
 *
 * @param number unique for ever, from 1
 * @param project the project of the topic
 * @param topic the topic's name
 * @param settings what its owner has chosen
 * @param createdAtMillis when it was created, wall time
 */
public record Subscription(
    long number,
    String project,
    String topic,
    SubscriptionSettings settings,
    long createdAtMillis) {
  /** The rule of {@link #mayTakeLettersOf}, for people. */
  public static final String APART =
      "must be of topic " + Topic.OPERATOR + " if the subscription itself is, and only then";

  /** A subscription of the default project. */
  public Subscription(
      long number, String topic, SubscriptionSettings settings, long createdAtMillis) {
    this(number, Topic.DEFAULT_PROJECT, topic, settings, createdAtMillis);
  }

  /** Returns its name in the API: the topic and the number, such as {@code orders-7}. */
  public String id() {
    return topic + "-" + number;
  }

  /** Returns true if it gets operator events. */
  public boolean isOfOperator() {
    return topic.equals(Topic.OPERATOR);
  }

  /**
   * Returns true if the dead letters of another subscription may be delivered to this one. Operator
   * events stay among their own: as other deliveries, they would bring about further ones.
   */
  public boolean mayTakeLettersOf(Subscription other) {
    return isOfOperator() == other.isOfOperator();
  }

  /** The number at the end of an id; 0 if there is none. */
  static long numberIn(String id) {
    try {
      return Long.parseLong(id, id.lastIndexOf('-') + 1, id.length(), 10);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** The same subscription with other settings. */
  public Subscription withSettings(SubscriptionSettings newSettings) {
    return new Subscription(number, project, topic, newSettings, createdAtMillis);
  }
}
