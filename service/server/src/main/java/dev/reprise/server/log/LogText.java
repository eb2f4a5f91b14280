package dev.reprise.server.log;

import java.util.regex.Pattern;

/** Text from outside as a log may have it. */
public final class LogText {
  /** The query or the fragment of a URL, and what stands before its host. */
  private static final Pattern QUERY =
      Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*://[^\\s?#'\"]*)[?#][^\\s'\"]*");

  private static final Pattern USER = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*://)[^\\s/?#'\"]*@");
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

  private LogText() {}

  /**
   * Returns the text on one line, so that an endpoint's answer does not look like a line of the
   * log, and without the users and the queries of URLs, which may hold secrets.
   */
  public static String harmless(String text) {
    String line = CONTROL.matcher(text).replaceAll(" ");
    if (!line.contains("://")) {
      return line;
    }
    return QUERY.matcher(USER.matcher(line).replaceAll("$1")).replaceAll("$1?…");
  }
}
