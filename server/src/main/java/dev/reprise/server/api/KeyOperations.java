package dev.reprise.server.api;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.KeyDocument;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys. */
final class KeyOperations {
  private static final int MAX_NAME_CHARS = 100;

  private final ApiKeys keys;
  private final DeliveryEngine engine;

  KeyOperations(ApiKeys keys, DeliveryEngine engine) {
    this.keys = keys;
    this.engine = engine;
  }

  List<Route> routes() {
    return List.of(
        Routes.reading("GET", "/v1/keys", this::list),
        Routes.changing("POST", "/v1/keys", this::create),
        Routes.reading("DELETE", "/v1/keys/{id}", this::revoke));
  }

  private Answer list(Call call) {
    Query query = call.query("limit", "cursor");
    int limit = query.limit();
    String cursor = query.cursor();
    long from = cursor == null ? 0 : Cursor.read(cursor, "k", (kind, c) -> c.count());
    List<ApiKeys.Key> all = keys.list();
    List<KeyDocument> items = new ArrayList<>();
    all.stream().skip(from).limit(limit).map(KeyOperations::document).forEach(items::add);
    long next = from + limit;
    return Listing.answer(items, next < all.size() ? Cursor.of('k').number(next).toString() : null);
  }

  private Answer create(Call call) {
    call.query();
    @Nullable String name = Fields.string(call.object("name"), "name");
    if (name == null || name.isBlank() || name.length() > MAX_NAME_CHARS) {
      throw ApiException.invalid(
          "name",
          name == null ? "absent" : Fields.shortened(name),
          "must be a text of 1 to " + MAX_NAME_CHARS + " characters");
    }
    ApiKeys.Fresh fresh = keys.create(name, engine.nowMillis());
    return Answer.json(201, new KeyDocument.Fresh(fresh.id(), name, fresh.text()));
  }

  private Answer revoke(Call call) {
    call.query();
    keys.revoke(call.path("id"));
    return Answer.noContent();
  }

  private static KeyDocument document(ApiKeys.Key key) {
    return new KeyDocument(key.id(), key.name(), Times.text(key.createdAtMillis()));
  }
}
