package dev.reprise.delivery.body;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_16BE;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A text as SMS: in the GSM alphabet if it has all characters, else in UCS-2, and in as many parts
 * as it takes (3GPP TS 23.038 §6.2.1, TS 23.040 §9.2.3.24.1). Immutable.
 *
 * <p>Of the GSM alphabet, a character of the extension table takes the place of two. Neither such a
 * character nor a surrogate pair is divided between two parts. UCS-2 is written as UTF-16, which is
 * how handsets read it; half of a pair that stands alone becomes U+FFFD.
 */
public final class SmsText {
  /** The most parts of one message. */
  public static final int MAX_PARTS = 10;

  private static final int ESCAPE = 0x1b;
  private static final int UCS2_DATA_CODING = 8;

  private static final String BASIC =
      "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
          + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
  private static final String EXTENSION = "\f^{}\\[~]|€";
  private static final byte[] EXTENSION_CODES = {
    0x0a, 0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65
  };

  private static final short NONE = -1;
  private static final short EXTENDED = 0x100;

  /** The code of each character, {@link #EXTENDED} added for those of the extension table. */
  private static final short[] CODES = codes();

  /** The alphabets of SMS. */
  public enum Alphabet {
    /** The default alphabet with its extension table. */
    GSM(160, 153),
    /** UCS-2, in which lengths are in units of two bytes. */
    UCS2(70, 67);

    private final int longest;
    private final int longestPart;

    Alphabet(int longest, int longestPart) {
      this.longest = longest;
      this.longestPart = longestPart;
    }
  }

  /**
   * The form in which texts of the GSM alphabet are handed to an SMS centre, which makes the GSM
   * alphabet of it that handsets read (SMPP 3.4 §5.2.19: 0 is what the SMS centre takes it for).
   */
  public enum Coding {
    /** The codes of the GSM alphabet, as data_coding 0. */
    GSM(0, null),
    /** ISO 8859-1, as data_coding 3. */
    LATIN1(3, ISO_8859_1),
    /** ASCII, as data_coding 1. */
    ASCII(1, US_ASCII),
    /** ISO 8859-1, as data_coding 0: the default alphabet of the SMS centre. */
    DEFAULT_LATIN1(0, ISO_8859_1),
    /** ASCII, as data_coding 0: the default alphabet of the SMS centre. */
    DEFAULT_ASCII(0, US_ASCII);

    private final int dataCoding;
    private final @Nullable Charset charset;

    Coding(int dataCoding, @Nullable Charset charset) {
      this.dataCoding = dataCoding;
      this.charset = charset;
    }

    /** Whether a handset gets the character that is meant: if both alphabets have it. */
    private boolean has(int character) {
      return code(character) != NONE
          && (charset == null || character < (charset.equals(US_ASCII) ? 0x80 : 0x100));
    }
  }

  private final Alphabet alphabet;
  private final Coding coding;
  private final List<String> parts;

  private SmsText(Alphabet alphabet, Coding coding, List<String> parts) {
    this.alphabet = alphabet;
    this.coding = coding;
    this.parts = parts;
  }

  /**
   * Divides a text.
   *
   * @throws IllegalArgumentException if it has too many parts; its message is {@link #problem}
   */
  public static SmsText of(String text) {
    return of(text, Coding.GSM);
  }

  /** The same for an SMS centre that takes the GSM alphabet in another form. */
  public static SmsText of(String text, Coding coding) {
    SmsText divided = divide(text, coding);
    String problem = divided.problemOf(text);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    return divided;
  }

  /**
   * Returns what keeps a text from being sent as SMS.
   *
   * @return such as {@code has 2001 characters, 14 parts of SMS: must have at most 10 parts (…)};
   *     null if nothing does
   */
  public static @Nullable String problem(String text) {
    return problem(text, Coding.GSM);
  }

  /** The same for an SMS centre that takes the GSM alphabet in another form. */
  public static @Nullable String problem(String text, Coding coding) {
    return divide(text, coding).problemOf(text);
  }

  private @Nullable String problemOf(String text) {
    return parts.size() <= MAX_PARTS
        ? null
        : "has "
            + text.codePointCount(0, text.length())
            + " characters, "
            + parts.size()
            + " parts of SMS: must have at most "
            + MAX_PARTS
            + " parts ("
            + MAX_PARTS * Alphabet.GSM.longestPart
            + " characters of the GSM alphabet, "
            + MAX_PARTS * Alphabet.UCS2.longestPart
            + " of others)";
  }

  private static SmsText divide(String text, Coding coding) {
    Alphabet alphabet = text.chars().allMatch(coding::has) ? Alphabet.GSM : Alphabet.UCS2;
    List<String> whole = divide(text, alphabet, alphabet.longest);
    return new SmsText(
        alphabet, coding, whole.size() == 1 ? whole : divide(text, alphabet, alphabet.longestPart));
  }

  private static List<String> divide(String text, Alphabet alphabet, int longest) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    int used = 0;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      int size = alphabet == Alphabet.UCS2 ? Character.charCount(point) : septets(point);
      if (used + size > longest) {
        parts.add(text.substring(start, i));
        start = i;
        used = 0;
      }
      used += size;
      i += Character.charCount(point);
    }
    parts.add(text.substring(start));
    return List.copyOf(parts);
  }

  private static int septets(int character) {
    return code(character) >= EXTENDED ? 2 : 1;
  }

  /** Returns the alphabet of all parts. */
  public Alphabet alphabet() {
    return alphabet;
  }

  /** Returns the data_coding of SMPP (3.4 §5.2.19). */
  public int dataCoding() {
    return alphabet == Alphabet.UCS2 ? UCS2_DATA_CODING : coding.dataCoding;
  }

  /** Returns how many parts there are, from 1 to {@value #MAX_PARTS}. */
  public int partCount() {
    return parts.size();
  }

  /** Returns whether the parts begin with a header, which esm_class must then say (UDHI). */
  public boolean hasHeaders() {
    return parts.size() > 1;
  }

  /**
   * Returns the parts as SMPP carries them in short_message: a septet or a character in a byte of
   * its own, or two bytes a unit, each behind the header that tells handsets what belongs together.
   * A single part has no header.
   *
   * @param reference the same for all parts of a message, other for other messages to the same
   *     number; its lowest 8 bits count
   */
  public List<byte[]> shortMessages(int reference) {
    List<byte[]> messages = new ArrayList<>(parts.size());
    for (String part : parts) {
      ByteArrayOutputStream message = new ByteArrayOutputStream(160);
      if (hasHeaders()) {
        byte[] header = {
          5, 0, 3, (byte) reference, (byte) parts.size(), (byte) (messages.size() + 1)
        };
        message.writeBytes(header);
      }
      message.writeBytes(bytes(part));
      messages.add(message.toByteArray());
    }
    return List.copyOf(messages);
  }

  private byte[] bytes(String part) {
    if (alphabet == Alphabet.UCS2) {
      return part.getBytes(UTF_16BE);
    }
    Charset charset = coding.charset;
    return charset == null ? septets(part) : part.getBytes(charset);
  }

  private static byte[] septets(String part) {
    ByteArrayOutputStream septets = new ByteArrayOutputStream(part.length() + 8);
    part.chars()
        .forEach(
            character -> {
              int code = code(character);
              if (code >= EXTENDED) {
                septets.write(ESCAPE);
              }
              septets.write(code & 0x7f);
            });
    return septets.toByteArray();
  }

  private static int code(int character) {
    return character < CODES.length ? CODES[character] : NONE;
  }

  private static short[] codes() {
    short[] codes = new short['€' + 1];
    Arrays.fill(codes, NONE);
    for (int i = 0; i < BASIC.length(); i++) {
      codes[BASIC.charAt(i)] = (short) i;
    }
    // The escape stands for no character.
    codes[ESCAPE] = NONE;
    for (int i = 0; i < EXTENSION.length(); i++) {
      codes[EXTENSION.charAt(i)] = (short) (EXTENDED + EXTENSION_CODES[i]);
    }
    return codes;
  }
}
