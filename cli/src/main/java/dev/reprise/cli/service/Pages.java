package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A list that the service hands out in parts. */
public final class Pages {
  private static final int MAX_ITEMS = 1000;

  private Pages() {}

  /** Returns {@code items}, at most {@code limit}, and where the {@code next} begin, or null. */
  public static ObjectNode read(
      ApiClient client, String path, Map<String, ? extends @Nullable Object> query, int limit) {
    ObjectNode whole = Json.object();
    ArrayNode items = whole.putArray("items");
    String cursor = null;
    do {
      Map<String, @Nullable Object> parameters = new LinkedHashMap<>(query);
      parameters.put("limit", Math.min(MAX_ITEMS, limit - items.size()));
      parameters.put("cursor", cursor);
      JsonNode page = client.get(ApiClient.withQuery(path, parameters), "items");
      page.path("items").forEach(items::add);
      cursor = page.path("next").asString(null);
    } while (cursor != null && items.size() < limit);
    whole.put("next", cursor);
    return whole;
  }

  /** Returns the items as documents. */
  public static <T> List<T> items(JsonNode pages, Class<T> type) {
    List<T> items = new ArrayList<>();
    pages.path("items").forEach(item -> items.add(Json.document(item, type)));
    return items;
  }

  /** Notes that the list goes on. */
  static void noteMore(Terminal terminal, JsonNode pages) {
    if (!pages.path("next").isNull()) {
      terminal.note("There are more: --limit " + pages.path("items").size() * 10L);
    }
  }
}
