package dev.reprise.server.api;

import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.AuditRecord;
import dev.reprise.server.document.AuditDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Listing;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.AuditDescriptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looking at the changes that were made. */
final class AuditOperations {
  private static final int FAILED_STATUS = 500;

  private final AccessControl access;

  AuditOperations(AccessControl access) {
    this.access = access;
  }

  List<Route> routes() {
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/audit", this::list)
            .described(AuditDescriptions.LIST_AUDIT));
  }

  /**
   * The records that are wanted.
   *
   * @param project the only project; null for all
   */
  private record Wanted(
      long fromMillis,
      long toMillis,
      @Nullable String project,
      @Nullable String key,
      @Nullable String target,
      @Nullable String operation) {
    boolean has(AuditRecord record) {
      return record.atMillis() >= fromMillis
          && record.atMillis() < toMillis
          && is(project, record.project())
          && is(key, record.key())
          && is(target, record.target())
          && is(operation, record.operation());
    }

    private static boolean is(@Nullable String wanted, String value) {
      return wanted == null || wanted.equals(value);
    }
  }

  /** Newest first. Looks at a bounded number of records for an answer, and goes on by cursor. */
  private Answer list(Call call) {
    Query query = call.query();
    Wanted wanted =
        new Wanted(
            RequestFields.time(query.text("from"), "from", 0),
            RequestFields.time(query.text("to"), "to", Long.MAX_VALUE),
            call.everything() ? null : call.project().name(),
            query.text("key"),
            query.text("target"),
            query.text("operation"));
    int limit = query.limit();
    String cursor = query.cursor();
    Long before = cursor == null ? null : Cursor.read(cursor, "a", (kind, c) -> c.count());
    List<AuditDocument> items = new ArrayList<>();
    long[] seen = {0};
    long[] next = {0};
    access
        .audit()
        .walk(
            before,
            (number, record) -> {
              if (items.size() == limit || seen[0] == DeliveryOperations.MAX_SEEN) {
                return false;
              }
              seen[0]++;
              next[0] = number;
              if (wanted.has(record)) {
                items.add(document(record));
              }
              return true;
            });
    boolean more = items.size() == limit || seen[0] == DeliveryOperations.MAX_SEEN;
    return Listing.answer(
        items, more ? Cursor.of('a').number(next[0]).toString() : null, (int) seen[0]);
  }

  private static AuditDocument document(AuditRecord record) {
    return new AuditDocument(
        Times.text(record.atMillis()),
        record.key(),
        record.keyName(),
        record.project(),
        record.operation(),
        record.target(),
        record.fields(),
        record.status() >= FAILED_STATUS ? "failed" : "done",
        record.status(),
        record.client());
  }
}
