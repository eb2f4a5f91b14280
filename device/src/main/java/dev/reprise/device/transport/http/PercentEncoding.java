package dev.reprise.device.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;
import java.util.function.IntPredicate;

/** Percent-encodes text, in UTF-8, for places that do not take every character. Thread-safe. */
public final class PercentEncoding {
  /**
   * The characters that are never encoded in a URI, beside letters and digits (RFC 3986 section
   * 2.3).
   */
  private static final String UNRESERVED_MARKS = "-._~";

  /** The characters of a token beside letters and digits (RFC 9110 section 5.6.2). */
  private static final String TOKEN_MARKS = "!#$&'*+-.^_`|~";

  private PercentEncoding() {}

  /** Returns the text for a part of a URI: letters, digits and {@code -._~} are kept. */
  public static String uriPart(String text) {
    return encode(text, c -> isLetterOrDigit(c) || UNRESERVED_MARKS.indexOf(c) >= 0);
  }

  /** Returns the text as a token, for the name of a header. */
  public static String token(String text) {
    return encode(text, c -> isLetterOrDigit(c) || TOKEN_MARKS.indexOf(c) >= 0);
  }

  /** Returns the text as visible ASCII without spaces, for the value of a header. */
  public static String visible(String text) {
    return encode(text, c -> c > ' ' && c < 0x7f && c != '%');
  }

  private static String encode(String text, IntPredicate isPlain) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (byte b : text.getBytes(UTF_8)) {
      int c = b & 0xff;
      if (isPlain.test(c)) {
        encoded.append((char) c);
      } else {
        encoded.append(String.format(Locale.ROOT, "%%%02X", c));
      }
    }
    return encoded.toString();
  }

  private static boolean isLetterOrDigit(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
