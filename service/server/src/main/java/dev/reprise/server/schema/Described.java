package dev.reprise.server.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The part of the API's description of a field of an answer that the type of the record's component
 * does not say; on a record, that of the object.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Described {
  /** The stop reasons that deliveries can have. */
  String STOP_REASONS =
      "NOT_RETRYABLE, ATTEMPTS, HINT_TOO_LONG, DEADLINE, CANCELLED, SUSPENDED, UNREADABLE";

  /** The states that deliveries can have. */
  String STATES = "pending, delivered, dead-lettered, discarded, expired, moved";

  /** The reasons why an attempt may repeat a message. */
  String REPEATS = "killed, timed_out, connection_lost, gateway";

  /** The classes of the outcomes of attempts. */
  String OUTCOMES =
      "2xx, 3xx, 4xx, 429, 5xx, timeout, connection, refused, ok, retryable, permanent";

  /** A sentence for the reader; empty for none. */
  String value() default "";

  /** On a record: the name of its schema; empty for one that has none of its own. */
  String name() default "";

  /** The schema of a component whose type does not say it. */
  Kind kind() default Kind.OF_TYPE;

  /**
   * The values that a text, the texts of a list, or the keys of a map can have, with commas
   * between; empty for any.
   */
  String oneOf() default "";

  /** Whether a field that is always there may be null. */
  boolean orNull() default false;

  /** Whether the schema is also that of records that do not have the field. */
  boolean orAbsent() default false;

  /** Whether a number may be below 0. */
  boolean signed() default false;
}
