package dev.reprise.server.http;

import dev.reprise.server.document.Documents;

/** Times as the API writes them: RFC 3339, UTC, with milliseconds. */
public final class Times {
  private Times() {}

  public static String text(long epochMillis) {
    return Documents.time(epochMillis);
  }
}
