package dev.reprise.delivery;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The place of an operation in a distributed trace, as W3C Trace Context (2021) has it.
 *
 * @param traceId 32 hexadecimal digits in lower case, not all 0
 * @param spanId of the operation that caused this one: 16 such digits, not all 0
 * @param flags 0 to 255; 1 means that the caller may have recorded the trace
 * @param state what systems of other vendors pass along, the header {@code tracestate}; empty for
 *     none
 */
public record TraceContext(String traceId, String spanId, int flags, String state) {
  /** The header that carries the ids. */
  public static final String HEADER = "traceparent";

  /** The header that carries {@link #state}. */
  public static final String STATE_HEADER = "tracestate";

  /** The longest {@link #state} that is passed along. */
  private static final int MAX_STATE_CHARS = 512;

  private static final int MAX_STATE_MEMBERS = 32;
  private static final int SAMPLED = 1;

  /** Version 00 ends with the flags; a later version may go on behind another dash. */
  private static final Pattern PARENT =
      Pattern.compile(
          "(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})"
              + "-(?<flags>[0-9a-f]{2})(?<more>-.*)?");

  private static final String INVALID_VERSION = "ff";
  private static final String FIRST_VERSION = "00";
  private static final String NO_TRACE = "0".repeat(32);
  private static final String NO_SPAN = "0".repeat(16);

  private static final Pattern MEMBER =
      Pattern.compile("([a-z0-9][a-z0-9_*/@-]{0,255})=[ -+\\--<>-~]{0,255}[!-+\\--<>-~]");

  /** Checks the ids. */
  public TraceContext {
    if (!isId(traceId, NO_TRACE) || !isId(spanId, NO_SPAN) || flags < 0 || flags > 0xff) {
      throw new IllegalArgumentException(
          "trace context is " + traceId + "-" + spanId + "-" + flags + ": must be as W3C has it");
    }
  }

  private static boolean isId(String id, String none) {
    if (id.length() != none.length() || id.equals(none)) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads the headers of a request. What is not as the standard says is as if it were not there.
   *
   * @param parent the header {@code traceparent}; null if there is none
   * @param state the header {@code tracestate}, several joined with commas; null if there is none
   * @return null for no context
   */
  public static @Nullable TraceContext parse(@Nullable String parent, @Nullable String state) {
    var parts = PARENT.matcher(parent == null ? "" : parent.strip());
    if (!parts.matches()) {
      return null;
    }
    String version = parts.group("version");
    boolean isKnown = version.equals(FIRST_VERSION);
    String trace = parts.group("trace");
    String span = parts.group("span");
    if (version.equals(INVALID_VERSION)
        || (isKnown && parts.group("more") != null)
        || trace.equals(NO_TRACE)
        || span.equals(NO_SPAN)) {
      return null;
    }
    int flags = HexFormat.fromHexDigits(parts.group("flags"));
    // Of a later version, only this flag is known to mean the same.
    return new TraceContext(trace, span, isKnown ? flags : flags & SAMPLED, stateOf(state));
  }

  private static String stateOf(@Nullable String state) {
    if (state == null || state.length() > MAX_STATE_CHARS) {
      return "";
    }
    StringBuilder members = new StringBuilder(state.length());
    int count = 0;
    for (String each : state.split(",", -1)) {
      String member = each.strip();
      if (member.isEmpty()) {
        continue;
      }
      if (++count > MAX_STATE_MEMBERS || !MEMBER.matcher(member).matches()) {
        return "";
      }
      members.append(members.length() == 0 ? "" : ",").append(member);
    }
    return members.toString();
  }

  /** Returns the context of an operation that this one causes, with an id of its own. */
  public TraceContext child() {
    long id;
    do {
      id = ThreadLocalRandom.current().nextLong();
    } while (id == 0);
    return new TraceContext(traceId, HexFormat.of().toHexDigits(id), flags, state);
  }

  /** Returns the header {@code traceparent}. */
  public String header() {
    return FIRST_VERSION
        + "-"
        + traceId
        + "-"
        + spanId
        + "-"
        + HexFormat.of().toHexDigits((byte) flags);
  }
}
