package dev.reprise.delivery.address;

import com.ibm.icu.text.IDNA;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Host names in ASCII by the non-transitional processing of UTS 46, as browsers do it: {@code
 * faß.de} is {@code xn--fa-hia.de} and not {@code fass.de}, which may have another owner. Safe for
 * use by many threads.
 */
public final class HostNames {
  /** The hyphens of ASCII labels are left to the callers, and registries sell {@code r3---sn}. */
  private static final Set<IDNA.Error> ALLOWED = EnumSet.of(IDNA.Error.HYPHEN_3_4);

  private static final Map<IDNA.Error, String> RULES =
      Map.of(
          IDNA.Error.EMPTY_LABEL, "a label is empty",
          IDNA.Error.LABEL_TOO_LONG, "a label has more than 63 characters in ASCII",
          IDNA.Error.DOMAIN_NAME_TOO_LONG, "it has more than 253 characters in ASCII",
          IDNA.Error.LEADING_HYPHEN, "a label begins with a hyphen",
          IDNA.Error.TRAILING_HYPHEN, "a label ends with a hyphen",
          IDNA.Error.DISALLOWED, "it has a character that is not allowed",
          IDNA.Error.LEADING_COMBINING_MARK, "a label begins with a combining mark",
          IDNA.Error.BIDI, "it mixes directions of writing (RFC 5893)",
          IDNA.Error.CONTEXTJ, "it has a joiner where none is allowed (RFC 5892)",
          IDNA.Error.PUNYCODE, "a label that begins with xn-- is not one of IDNA");

  private HostNames() {}

  /**
   * Returns a name in ASCII and lower case; a trailing dot stays. A name that is in ASCII already
   * is not judged: underscores and single labels are fine in networks of one's own.
   *
   * @throws IllegalArgumentException if the name is none by UTS 46; the message is the rule,
   *     without the name
   */
  public static String toAscii(String name) {
    if (isAscii(name)) {
      return name.toLowerCase(Locale.ROOT);
    }
    IDNA.Info info = new IDNA.Info();
    // One instance for all would be made where no international name is ever used.
    String ascii = Rules.UTS_46.nameToASCII(name, new StringBuilder(), info).toString();
    for (IDNA.Error error : info.getErrors()) {
      if (!ALLOWED.contains(error)) {
        throw new IllegalArgumentException(
            "is not an international domain name by UTS 46: "
                + RULES.getOrDefault(error, error.name().toLowerCase(Locale.ROOT)));
      }
    }
    if (!isAscii(ascii)) {
      throw new IllegalArgumentException("is not an international domain name by UTS 46");
    }
    return ascii.toLowerCase(Locale.ROOT);
  }

  /**
   * Returns a name as earlier versions sent to it, by IDNA 2003: they dropped joiners and wrote
   * {@code ss} for {@code ß}. Only to find out what has changed.
   *
   * @return null if it was refused
   */
  public static @Nullable String toAsciiByIdna2003(String name) {
    try {
      return java.net.IDN.toASCII(name, java.net.IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException refused) {
      return null;
    }
  }

  /** Whether all characters are those of ASCII. */
  public static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }

  private static final class Rules {
    static final IDNA UTS_46 =
        IDNA.getUTS46Instance(
            IDNA.NONTRANSITIONAL_TO_ASCII
                | IDNA.NONTRANSITIONAL_TO_UNICODE
                | IDNA.CHECK_BIDI
                | IDNA.CHECK_CONTEXTJ);
  }
}
