package dev.reprise.server.http;

import dev.reprise.server.document.PageDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a list, and where it goes on. */
public final class Listing {
  private Listing() {}

  public static Answer answer(List<?> items, @Nullable String next) {
    return Answer.json(200, new PageDocument(items, next, null));
  }

  /** A part of a list for which so many records were looked at. */
  public static Answer answer(List<?> items, @Nullable String next, int seen) {
    return Answer.json(200, new PageDocument(items, next, seen));
  }
}
