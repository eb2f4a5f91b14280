package dev.reprise.endpoints.amqp;

import dev.reprise.common.text.HarmlessText;
import java.util.Locale;
import java.util.Set;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of the error conditions of AMQP 1.0 (part 2, section 2.8) and of vendors for one
 * attempt. Takes any text: conditions and descriptions are whatever the broker writes.
 */
final class Conditions {
  /** The meaning of a condition. */
  enum Verdict {
    /** It passes: the next attempt may succeed. */
    RETRIED,
    /** Too much was asked, or too much is stored. */
    THROTTLED,
    /** Every further attempt would fail in the same way. */
    PERMANENT,
    /** The account may not do this. */
    UNAUTHORIZED
  }

  static final String UNAUTHORIZED_ACCESS = "amqp:unauthorized-access";
  static final String MESSAGE_SIZE_EXCEEDED = "amqp:link:message-size-exceeded";

  private static final int MAX_CONDITION_CHARS = 80;
  private static final int MAX_DESCRIPTION_CHARS = 200;

  private static final Set<String> THROTTLES =
      Set.of("amqp:resource-limit-exceeded", "amqp:link:transfer-limit-exceeded");

  /** The last part of conditions of vendors, such as {@code com.microsoft:server-busy}. */
  private static final Set<String> VENDOR_THROTTLES =
      Set.of("server-busy", "device-container-throttled", "throttled", "quota-exceeded");

  private static final Set<String> VENDOR_RETRIED =
      Set.of("timeout", "operation-cancelled", "container-close", "connection-idle");

  /** Why a broker rejects a message that it may take another time. */
  private static final Set<String> REJECTED_FOR_NOW =
      Set.of(
          "amqp:internal-error",
          "amqp:resource-locked",
          // A queue may be made later, and a node that has it may be down.
          "amqp:not-found",
          "amqp:resource-deleted",
          "amqp:link:detach-forced",
          "amqp:link:redirect",
          "amqp:link:stolen",
          "amqp:connection:forced",
          "amqp:connection:redirect");

  /** Why a broker refuses a link that it will never grant. */
  private static final Set<String> REFUSED_FOR_GOOD =
      Set.of(
          "amqp:invalid-field",
          "amqp:not-allowed",
          "amqp:not-implemented",
          "amqp:precondition-failed",
          MESSAGE_SIZE_EXCEEDED);

  private Conditions() {}

  /** Returns what a rejected message's condition means; null stands for none. */
  static Verdict ofRejected(@Nullable String condition) {
    if (condition == null) {
      return Verdict.PERMANENT;
    }
    Verdict common = common(condition);
    if (common != null) {
      return common;
    }
    return REJECTED_FOR_NOW.contains(condition) ? Verdict.RETRIED : Verdict.PERMANENT;
  }

  /** Returns what the condition of a link that was refused means; null stands for none. */
  static Verdict ofRefusedLink(@Nullable String condition) {
    if (condition == null) {
      return Verdict.RETRIED;
    }
    Verdict common = common(condition);
    if (common != null) {
      return common;
    }
    return REFUSED_FOR_GOOD.contains(condition) ? Verdict.PERMANENT : Verdict.RETRIED;
  }

  /** Returns what the condition of a link or session that worked and was ended means. */
  static Verdict ofEndedLink(@Nullable String condition) {
    Verdict common = condition == null ? null : common(condition);
    return common == null ? Verdict.RETRIED : common;
  }

  private static @Nullable Verdict common(String condition) {
    if (condition.equals(UNAUTHORIZED_ACCESS)) {
      return Verdict.UNAUTHORIZED;
    }
    if (THROTTLES.contains(condition)) {
      return Verdict.THROTTLED;
    }
    if (condition.startsWith("amqp:")) {
      return null;
    }
    String last = condition.substring(condition.lastIndexOf(':') + 1).toLowerCase(Locale.ROOT);
    if (VENDOR_THROTTLES.contains(last)) {
      return Verdict.THROTTLED;
    }
    return VENDOR_RETRIED.contains(last) ? Verdict.RETRIED : null;
  }

  /** Returns the condition's name; null where there is none. */
  static @Nullable String name(@Nullable ErrorCondition condition) {
    return condition == null || condition.getCondition() == null
        ? null
        : condition.getCondition().toString();
  }

  /**
   * Returns one line such as {@code rejected: amqp:not-allowed (no text messages here)}.
   *
   * @param event what was told, such as {@code rejected}
   */
  static String line(String event, @Nullable ErrorCondition condition) {
    String name = name(condition);
    return line(event, name, condition == null ? null : condition.getDescription());
  }

  static String line(String event, @Nullable String condition, @Nullable String description) {
    StringBuilder line = new StringBuilder(event);
    if (condition != null && !condition.isBlank()) {
      line.append(": ").append(HarmlessText.oneLine(condition, MAX_CONDITION_CHARS));
    }
    if (description != null && !description.isBlank()) {
      line.append(" (")
          .append(HarmlessText.oneLine(description, MAX_DESCRIPTION_CHARS))
          .append(')');
    }
    return line.toString();
  }
}
