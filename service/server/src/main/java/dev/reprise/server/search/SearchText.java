package dev.reprise.server.search;

import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import java.util.Locale;

/** A text to search a list for: the items that contain it, in any case, are listed. */
public record SearchText(String text) {
  private static final int MAX_CHARS = 256;

  /** Reads the parameter {@code search}; without it, all are listed. */
  public static SearchText of(Query query) {
    String text = query.text("search");
    if (text == null) {
      return new SearchText("");
    }
    if (text.length() > MAX_CHARS) {
      throw ApiException.invalid(
          "search",
          RequestFields.shortened(text),
          "must be a text of at most " + MAX_CHARS + " characters");
    }
    return new SearchText(text.strip().toLowerCase(Locale.ROOT));
  }

  /** Returns true if one of these texts contains it. */
  public boolean isIn(String... words) {
    if (text.isEmpty()) {
      return true;
    }
    for (String word : words) {
      if (word.toLowerCase(Locale.ROOT).contains(text)) {
        return true;
      }
    }
    return false;
  }
}
