package dev.reprise.endpoints.email;

import dev.reprise.delivery.address.HostNames;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The address of one mailbox, an addr-spec of RFC 5321 §4.1.2. */
final class MailboxAddress {
  static final String RULE =
      "must be a mailbox such as user@example.com: at most 254 characters, ASCII in front of the @"
          + " (no SMTPUTF8), a domain by name behind it, no display name";

  private static final int MAX_LENGTH = 254;
  private static final int MAX_LOCAL_PART = 64;

  private static final String ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  private static final Pattern DOT_ATOM = Pattern.compile(ATOM + "(?:\\." + ATOM + ")*");

  /**
   * Without angle brackets: whatever a relay says of a mailbox, its end is where it seems to be.
   */
  private static final Pattern QUOTED =
      Pattern.compile("\"(?:[ !#-;=?-\\[\\]-~]|\\\\[ -;=?-~])*\"");

  /**
   * The last label has a letter: what looks like an address of a machine names no domain, and a
   * subscriber is not to choose the machine that the relay connects to.
   */
  private static final Pattern DOMAIN =
      Pattern.compile(
          "(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*"
              + "(?=[0-9-]*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

  private MailboxAddress() {}

  /**
   * Returns the address as it is sent, its domain in ASCII (RFC 5891, by {@link HostNames}).
   *
   * @return null for a text that breaks {@link #RULE}
   */
  static @Nullable String ascii(String text) {
    int at = text.lastIndexOf('@');
    if (at < 1 || at > MAX_LOCAL_PART || text.length() > MAX_LENGTH) {
      return null;
    }
    String local = text.substring(0, at);
    String domain = asciiDomain(text.substring(at + 1));
    if (domain == null || at + 1 + domain.length() > MAX_LENGTH) {
      return null;
    }
    boolean valid = DOT_ATOM.matcher(local).matches() || QUOTED.matcher(local).matches();
    return valid ? local + '@' + domain : null;
  }

  /** Returns a domain in ASCII; null for a text that is none. */
  static @Nullable String asciiDomain(String text) {
    String ascii;
    try {
      // A domain in ASCII is sent as it is written.
      ascii = HostNames.isAscii(text) ? text : HostNames.toAscii(text);
    } catch (IllegalArgumentException notOne) {
      return null;
    }
    return ascii.length() <= MAX_LENGTH && DOMAIN.matcher(ascii).matches() ? ascii : null;
  }

  /** Returns the domain of an address that {@link #ascii} has returned. */
  static String domain(String ascii) {
    return ascii.substring(ascii.lastIndexOf('@') + 1);
  }
}
