package dev.reprise.server.api;

import dev.reprise.server.document.Documents;

/** Times as the API writes them: RFC 3339, UTC, with milliseconds. */
final class Times {
  private Times() {}

  static String text(long epochMillis) {
    return Documents.time(epochMillis);
  }
}
