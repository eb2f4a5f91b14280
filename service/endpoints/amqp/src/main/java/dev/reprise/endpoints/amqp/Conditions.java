package dev.reprise.endpoints.amqp;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.carrier.CarrierVerdict;
import java.util.Locale;
import java.util.Set;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/**
 * The judgement of the error conditions of AMQP 1.0 (part 2, section 2.8) and of vendors. Takes any
 * text: conditions and descriptions are whatever the broker writes.
 */
final class Conditions {
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

  /** Why a broker rejects a message for a moment. */
  private static final Set<String> PASSING =
      Set.of(
          "amqp:internal-error",
          "amqp:link:detach-forced",
          "amqp:link:redirect",
          "amqp:link:stolen",
          "amqp:connection:forced",
          "amqp:connection:redirect");

  /** A queue may be made later, a node that has it may be down, and a lock is given back. */
  private static final Set<String> ADDRESS_FOR_NOW =
      Set.of("amqp:not-found", "amqp:resource-deleted", "amqp:resource-locked");

  /** Why a broker refuses a link that it will never grant. */
  private static final Set<String> REFUSED_FOR_GOOD =
      Set.of(
          "amqp:invalid-field",
          "amqp:not-allowed",
          "amqp:not-implemented",
          "amqp:precondition-failed",
          MESSAGE_SIZE_EXCEEDED);

  private Conditions() {}

  /** Judges a rejected message's condition; null stands for none. */
  static CarrierVerdict ofRejected(@Nullable String condition) {
    if (condition == null) {
      return CarrierVerdict.MESSAGE;
    }
    CarrierVerdict common = common(condition);
    return common == null ? CarrierVerdict.MESSAGE : common;
  }

  /** Judges the condition of a link that was refused; null stands for none. */
  static CarrierVerdict ofRefusedLink(@Nullable String condition) {
    if (condition == null) {
      return CarrierVerdict.RECIPIENT_FOR_NOW;
    }
    CarrierVerdict common = common(condition);
    if (common != null) {
      return common;
    }
    return REFUSED_FOR_GOOD.contains(condition)
        ? CarrierVerdict.RECIPIENT
        : CarrierVerdict.RECIPIENT_FOR_NOW;
  }

  /** Judges the condition of a link or session that worked and was ended. */
  static CarrierVerdict ofEndedLink(@Nullable String condition) {
    CarrierVerdict common = condition == null ? null : common(condition);
    return common == null ? CarrierVerdict.MOMENT : common;
  }

  /** Judges the outcome "released": nothing is wrong with the message, and it was not taken. */
  static CarrierVerdict ofReleased() {
    return CarrierVerdict.MOMENT;
  }

  /**
   * Judges the outcome "modified". A broker that says undeliverable-here must not be given the
   * message again on a link to this address (AMQP 1.0 part 3, 3.4.5).
   */
  static CarrierVerdict ofModified(boolean isUndeliverableHere) {
    return isUndeliverableHere ? CarrierVerdict.RECIPIENT : CarrierVerdict.RECIPIENT_FOR_NOW;
  }

  private static @Nullable CarrierVerdict common(String condition) {
    if (condition.equals(UNAUTHORIZED_ACCESS)) {
      // Of this address, or of all: the next addresses show which.
      return CarrierVerdict.SUSPECT;
    }
    if (THROTTLES.contains(condition)) {
      return CarrierVerdict.RECIPIENT_THROTTLED;
    }
    if (ADDRESS_FOR_NOW.contains(condition)) {
      return CarrierVerdict.RECIPIENT_FOR_NOW;
    }
    if (PASSING.contains(condition)) {
      return CarrierVerdict.MOMENT;
    }
    if (condition.startsWith("amqp:")) {
      return null;
    }
    String last = condition.substring(condition.lastIndexOf(':') + 1).toLowerCase(Locale.ROOT);
    if (VENDOR_THROTTLES.contains(last)) {
      return CarrierVerdict.RECIPIENT_THROTTLED;
    }
    return VENDOR_RETRIED.contains(last) ? CarrierVerdict.MOMENT : null;
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
   * @param event what has happened, such as {@code rejected}
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
