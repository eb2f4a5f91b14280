package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.common.text.HarmlessText;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One reply of an SMTP server (RFC 5321 §4.2).
 *
 * @param code 200 to 599
 * @param status the enhanced status code (RFC 3463), such as {@code 5.1.1}; empty if the reply has
 *     none, or one of another class than its code (RFC 2034 §4)
 * @param text what the lines say beside, on one line for people; perhaps empty
 */
record SmtpReply(int code, String status, String text) {
  /** More of a reply is not read: it is for people. */
  private static final int MAX_READ = 4_096;

  private static final int MAX_LINE = 200;

  private static final Pattern BLANKS = Pattern.compile(" {2,}");
  private static final Pattern LINE_END = Pattern.compile("\r?\n|\r");
  private static final Pattern LINE =
      Pattern.compile("([2-5][0-9]{2})(?:[ -](.*))?", Pattern.DOTALL);
  private static final Pattern STATUS =
      Pattern.compile("([245])\\.([0-9]{1,3})\\.([0-9]{1,3})(?: (.*))?", Pattern.DOTALL);

  /** The names of codes in RFC 5321 §4.2.3, RFC 4954 and RFC 7504, for replies that say nothing. */
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(250, "ok"),
          Map.entry(421, "service not available"),
          Map.entry(432, "password transition needed"),
          Map.entry(450, "mailbox unavailable"),
          Map.entry(451, "local error in processing"),
          Map.entry(452, "insufficient system storage"),
          Map.entry(454, "temporary authentication failure"),
          Map.entry(455, "unable to accommodate parameters"),
          Map.entry(500, "syntax error"),
          Map.entry(501, "syntax error in parameters"),
          Map.entry(502, "command not implemented"),
          Map.entry(503, "bad sequence of commands"),
          Map.entry(504, "parameter not implemented"),
          Map.entry(521, "host does not accept mail"),
          Map.entry(530, "authentication required"),
          Map.entry(534, "authentication mechanism is too weak"),
          Map.entry(535, "authentication credentials invalid"),
          Map.entry(538, "encryption required for authentication"),
          Map.entry(550, "mailbox unavailable"),
          Map.entry(551, "user not local"),
          Map.entry(552, "exceeded storage allocation"),
          Map.entry(553, "mailbox name not allowed"),
          Map.entry(554, "transaction failed"),
          Map.entry(555, "parameters not recognized"),
          Map.entry(556, "domain does not accept mail"));

  /**
   * Reads a whole reply of one line or several, whatever their ends. A line that has no code, or
   * another one than the first, is text.
   *
   * @return null for bytes that do not begin as a reply does
   */
  static @Nullable SmtpReply parse(byte[] bytes) {
    String whole = new String(bytes, 0, Math.min(bytes.length, MAX_READ), UTF_8);
    int code = 0;
    String status = "";
    StringBuilder text = new StringBuilder();
    for (String line : LINE_END.splitAsStream(whole).toList()) {
      Matcher matcher = LINE.matcher(line);
      boolean coded = matcher.matches();
      if (code == 0) {
        if (!coded) {
          return null;
        }
        code = Integer.parseInt(matcher.group(1));
      }
      boolean own = coded && Integer.parseInt(matcher.group(1)) == code;
      String said = !own ? line : matcher.group(2) == null ? "" : matcher.group(2);
      Matcher enhanced = STATUS.matcher(said);
      if (enhanced.matches() && said.charAt(0) - '0' == code / 100) {
        status = status.isEmpty() ? said.split(" ", 2)[0] : status;
        said = enhanced.group(4) == null ? "" : enhanced.group(4);
      }
      text.append(' ').append(said);
    }
    // Line ends alone are no line.
    return code == 0 ? null : new SmtpReply(code, status, line(text.toString()));
  }

  /** Returns whether the command was accepted, or is to be gone on with. */
  boolean isPositive() {
    return code < 400;
  }

  /** Returns whether the command was done. */
  boolean isDone() {
    return code < 300;
  }

  /** Returns whether the enhanced status is one of these, of whichever class. */
  boolean hasStatus(String... subjectsAndDetails) {
    for (String wanted : subjectsAndDetails) {
      if (status.length() > 2 && status.substring(2).equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the reply on one line, such as {@code 550 5.1.1 user unknown}. */
  @Override
  public String toString() {
    String said = text.isEmpty() ? NAMES.getOrDefault(code, "") : text;
    return line(code + " " + status + " " + said);
  }

  /** Returns text from strangers on one line of bounded length. */
  static String line(String text) {
    return BLANKS.matcher(HarmlessText.oneLine(text, MAX_LINE)).replaceAll(" ");
  }
}
