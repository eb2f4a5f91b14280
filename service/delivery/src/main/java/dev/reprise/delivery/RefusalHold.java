package dev.reprise.delivery;

/**
 * Deliveries that wait because those before them were refused for good, one after the other and all
 * with the same code: they have one cause, which is not theirs. One at a time is tried.
 *
 * @param group the host or the carrier, as {@link EndpointHealth.GroupHold#group}
 * @param subscription the number of the subscription whose deliveries wait; 0 for all of the group
 * @param code the code of all refusals, such as {@code 403} or {@code 550 5.7.1}
 * @param count how many deliveries were given up
 * @param sinceMillis since when the rest waits, wall time
 * @param reason one line for people, with code and number
 */
public record RefusalHold(
    String group, long subscription, String code, long count, long sinceMillis, String reason) {
  /** Stands at the beginning of each reason; an endpoint or a carrier is its subject. */
  public static final String BEGINNING = "refuses everything alike: ";

  /** Stands in front of the last answer in a reason. */
  public static final String LAST = "; last: ";

  /** Returns a reason without the last answer, which may quote from a message. */
  public static String withoutLast(String reason) {
    int last = reason.indexOf(LAST);
    return last < 0 ? reason : reason.substring(0, last);
  }

  /** Returns both together, which are of the same subscription or group in several shards. */
  public RefusalHold plus(RefusalHold other) {
    RefusalHold first = other.sinceMillis < sinceMillis ? other : this;
    return new RefusalHold(
        group, subscription, first.code, count + other.count, first.sinceMillis, first.reason);
  }
}
