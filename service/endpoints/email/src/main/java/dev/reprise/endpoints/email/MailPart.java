package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeUtility;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message, or a part of one (RFC 2045), of whatever bytes strangers send: the time and memory
 * that it takes to read grow with its length and no faster.
 *
 * @param headers by their names in lower case, of each the first, unfolded
 * @param lines the lines of the body without their ends, a character for each byte
 */
record MailPart(Map<String, String> headers, List<String> lines) {
  private static final int MAX_PARTS = 20;
  private static final int MAX_HEADERS = 500;
  private static final int MAX_HEADER = 8_192;
  private static final Pattern BOUNDARY =
      Pattern.compile("(?i);\\s*boundary\\s*=\\s*(?:\"([^\"]{1,200})\"|([^\\s;\"]{1,200}))");

  /** Reads a whole message or part. */
  static MailPart of(byte[] bytes) {
    return of(lines(new String(bytes, ISO_8859_1)));
  }

  /** Reads the lines of a message or part. */
  static MailPart of(List<String> lines) {
    Map<String, String> headers = new HashMap<>();
    int next = readHeaders(lines, 0, headers);
    return new MailPart(headers, lines.subList(next, lines.size()));
  }

  private static List<String> lines(String text) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      int stop = end < 0 ? text.length() : end;
      boolean carriage = stop > start && text.charAt(stop - 1) == '\r';
      lines.add(text.substring(start, carriage ? stop - 1 : stop));
      start = stop + 1;
    }
    return lines;
  }

  /**
   * Reads headers up to the empty line behind them.
   *
   * @return the index of the line behind that
   */
  static int readHeaders(List<String> lines, int from, Map<String, String> headers) {
    String name = "";
    StringBuilder value = new StringBuilder();
    int i = from;
    for (; i < lines.size() && !lines.get(i).isEmpty(); i++) {
      String line = lines.get(i);
      boolean folded = line.charAt(0) == ' ' || line.charAt(0) == '\t';
      if (!folded) {
        keep(headers, name, value);
        // A line without a colon is passed over: "From " of a mailbox file among others.
        int colon = line.indexOf(':');
        name = colon < 1 ? "" : line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
        value.setLength(0);
        line = line.substring(colon + 1);
      }
      if (value.length() + line.length() <= MAX_HEADER) {
        value.append(' ').append(line.strip());
      }
    }
    keep(headers, name, value);
    return Math.min(i + 1, lines.size());
  }

  private static void keep(Map<String, String> headers, String name, StringBuilder value) {
    if (!name.isEmpty() && headers.size() < MAX_HEADERS) {
      headers.putIfAbsent(name, value.toString().strip());
    }
  }

  /** Returns a header's value; empty if it is not there. */
  String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** Returns the media type in lower case, without parameters. */
  String type() {
    String type = header("content-type");
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /** Returns the parts of a multipart, the first 20 of them; none of anything else. */
  List<MailPart> parts() {
    List<MailPart> parts = new ArrayList<>();
    Matcher matcher = BOUNDARY.matcher(header("content-type"));
    if (!type().startsWith("multipart/") || !matcher.find()) {
      return parts;
    }
    String quoted = matcher.group(1);
    String delimiter = "--" + (quoted == null ? matcher.group(2) : quoted);
    int start = -1;
    for (int i = 0; i <= lines.size() && parts.size() < MAX_PARTS; i++) {
      String line = i < lines.size() ? lines.get(i).stripTrailing() : delimiter;
      boolean last = line.equals(delimiter + "--");
      if (last || line.equals(delimiter)) {
        if (start >= 0) {
          parts.add(of(lines.subList(start, i)));
        }
        if (last) {
          break;
        }
        start = i + 1;
      }
    }
    return parts;
  }

  /** Returns the lines of the body without its transfer encoding; none if it cannot be decoded. */
  List<String> decodedLines() {
    String encoding = header("content-transfer-encoding").toLowerCase(Locale.ROOT);
    if (!encoding.equals("base64") && !encoding.equals("quoted-printable")) {
      return lines;
    }
    byte[] encoded = String.join("\r\n", lines).getBytes(ISO_8859_1);
    try (InputStream decoder = MimeUtility.decode(new ByteArrayInputStream(encoded), encoding)) {
      return lines(new String(decoder.readAllBytes(), ISO_8859_1));
    } catch (IOException | MessagingException | RuntimeException e) {
      return List.of();
    }
  }
}
