package dev.reprise.delivery.catalog;

import dev.reprise.policy.NotificationPolicy;
import java.util.regex.Pattern;

/**
 * A named stream of messages.
 *
 * @param name 1 to 256 letters, digits and {@code - _ + .}; never changes
 * @param policy what the topic says on retries and throttling; possibly nothing
 * @param createdAtMillis when it was created, wall time
 */
public record Topic(String name, NotificationPolicy policy, long createdAtMillis) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_+.-]{1,256}");

  /** The same topic with another policy. */
  public Topic withPolicy(NotificationPolicy newPolicy) {
    return new Topic(name, newPolicy, createdAtMillis);
  }

  /**
   * Returns {@code name} if it can name a topic.
   *
   * @throws InvalidRequestException if it cannot
   */
  public static String checkName(String name) {
    if (!NAME.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      throw new InvalidRequestException(
          "topic", name, "must be 1 to 256 letters, digits and - _ + .");
    }
    return name;
  }
}
