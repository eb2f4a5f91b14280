package dev.reprise.delivery;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kinds of endpoints that a subscription can name, each with a retry policy of its own, as the
 * notification service divides them whose policies the presets are.
 */
public enum Protocol {
  /** HTTP and HTTPS: the endpoint is a URL. */
  HTTP,
  /** SMS: the endpoint is a phone number, reached through a carrier. */
  SMS,
  /** Email: the endpoint is a mailbox, reached through a carrier. */
  EMAIL,
  /** A queue or topic of a broker, reached through a carrier. */
  QUEUE,
  /**
   * A function: a URL that takes CloudEvents, one of an account (through a carrier), or one in this
   * process.
   */
  FUNCTION;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** Returns the name in documents, such as {@code sms}. */
  public String wireName() {
    return wireName;
  }

  /** Returns the protocol with this name in documents, if there is one. */
  public static Optional<Protocol> of(String wireName) {
    return Stream.of(values()).filter(protocol -> protocol.wireName.equals(wireName)).findFirst();
  }

  /** Returns the name of the preset that holds where no policy says otherwise. */
  public String preset() {
    return "notification-" + wireName;
  }
}
