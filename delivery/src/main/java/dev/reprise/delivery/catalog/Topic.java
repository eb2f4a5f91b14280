package dev.reprise.delivery.catalog;

import dev.reprise.policy.NotificationPolicy;
import java.util.regex.Pattern;

/**
 * A named stream of messages.
 *
 * @param project the project that it belongs to; never changes
 * @param name unique in its project, 1 to 256 letters, digits and {@code - _ + .}; never changes
 * @param policy what the topic says on retries and throttling; possibly nothing
 * @param createdAtMillis when it was created, wall time
 */
public record Topic(String project, String name, NotificationPolicy policy, long createdAtMillis) {
  /** The project of topics for which none was named, those of earlier versions among them. */
  public static final String DEFAULT_PROJECT = "default";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_+.-]{1,256}");

  /** A topic of the default project. */
  public Topic(String name, NotificationPolicy policy, long createdAtMillis) {
    this(DEFAULT_PROJECT, name, policy, createdAtMillis);
  }

  /** The same topic with another policy. */
  public Topic withPolicy(NotificationPolicy newPolicy) {
    return new Topic(project, name, newPolicy, createdAtMillis);
  }

  /** Returns its name among the topics of all projects: no name of a topic holds a slash. */
  public String globalName() {
    return globalName(project, name);
  }

  static String globalName(String project, String name) {
    return project.equals(DEFAULT_PROJECT) ? name : project + "/" + name;
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
