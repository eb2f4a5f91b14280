package dev.reprise.cluster.base;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Kafka is not set up as a cluster needs it, or refuses to be; the message is for the
 * operator and names what is wrong.
 */
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** A setting of a topic that breaks a rule. */
  public static ClusterException setting(
      String topic, String setting, @Nullable Object value, String rule) {
    return new ClusterException(
        "topic %s: %s is %s, and must be %s".formatted(topic, setting, value, rule), null);
  }
}
