package dev.reprise.delivery.catalog;

import dev.reprise.policy.NotificationPolicy;
import java.util.regex.Pattern;

/**
 * A named stream of messages.
 *
 * @param project the project that it belongs to; never changes
 * @param name unique in its project, 1 to 256 letters, digits and {@code - _ + .}, or {@link
 *     #OPERATOR}; never changes
 * @param policy what the topic says on retries and throttling; possibly nothing
 * @param createdAtMillis when it was created, wall time; 0 for the reserved one, which always was
 */
public record Topic(String project, String name, NotificationPolicy policy, long createdAtMillis) {
  /** The project of topics for which none was named, those of earlier versions among them. */
  public static final String DEFAULT_PROJECT = "default";

  /**
   * The topic to which the service itself publishes operator events. Every project has it, and it
   * cannot be created or deleted: the colon keeps it apart from all names that users can choose.
   */
  public static final String OPERATOR = "reprise:operator";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_+.-]{1,256}");

  /** The reserved topic of a project, before it is given a policy. */
  static Topic operator(String project) {
    return new Topic(project, OPERATOR, new NotificationPolicy(null, null, false), 0);
  }

  /** Returns true if the service alone publishes to it. */
  public boolean isReserved() {
    return name.equals(OPERATOR);
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
   * Returns {@code name} if it can name a topic, or names the reserved one.
   *
   * @throws InvalidRequestException if it cannot
   */
  public static String checkName(String name) {
    if (name.equals(OPERATOR)) {
      return name;
    }
    if (!NAME.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      throw new InvalidRequestException(
          "topic", name, "must be 1 to 256 letters (A-Z, a-z), digits and - _ + .");
    }
    return name;
  }
}
