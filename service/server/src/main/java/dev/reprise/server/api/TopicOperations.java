package dev.reprise.server.api;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.server.document.TopicDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Listing;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.TopicDescriptions;
import dev.reprise.server.search.SearchText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Topics. */
final class TopicOperations {
  private final DeliveryEngine engine;

  TopicOperations(DeliveryEngine engine) {
    this.engine = engine;
  }

  List<Route> routes() {
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/topics", this::list)
            .described(TopicDescriptions.LIST_TOPICS),
        Routes.reading(Use.READ, Place.TOPIC, "GET", "/v1/topics/{topic}", this::show)
            .described(TopicDescriptions.GET_TOPIC),
        Routes.changing(Use.CHANGE, Place.CATALOG, "PUT", "/v1/topics/{topic}", this::put)
            .described(TopicDescriptions.PUT_TOPIC),
        Routes.reading(Use.CHANGE, Place.CATALOG, "DELETE", "/v1/topics/{topic}", this::delete)
            .described(TopicDescriptions.DELETE_TOPIC));
  }

  private Answer list(Call call) {
    Query query = call.query();
    SearchText search = SearchText.of(query);
    int limit = query.limit();
    String cursor = query.cursor();
    String after = cursor == null ? "" : Cursor.read(cursor, "t", (kind, c) -> c.text());
    List<TopicDocument> items = new ArrayList<>();
    String last = "";
    for (Catalog.Entry entry : call.catalog().topics()) {
      String name = entry.topic().name();
      if (name.compareTo(after) <= 0 || !search.isIn(name)) {
        continue;
      }
      if (items.size() == limit) {
        return Listing.answer(items, Cursor.of('t').text(last).toString());
      }
      items.add(document(entry, List.of()));
      last = name;
    }
    return Listing.answer(items, null);
  }

  private Answer show(Call call) {
    call.query();
    return Answer.json(200, document(call.catalog().topic(call.path("topic")), List.of()));
  }

  private Answer put(Call call) {
    call.query();
    String name = call.path("topic");
    Catalog.@Nullable Entry before = call.catalog().find(name);
    String project = call.project().name();
    if (call.body().length == 0) {
      call.project().addingTopic(name, () -> engine.addTopic(project, name));
    } else {
      NotificationPolicy policy = PolicyDocuments.readTopic(call.json());
      call.project().addingTopic(name, () -> engine.putTopic(project, name, policy));
    }
    Catalog.Entry entry = call.catalog().topic(name);
    List<String> warnings =
        call.body().length == 0 ? List.of() : PolicyWarnings.ofTopic(call.json(), entry);
    return Answer.json(before == null ? 201 : 200, document(entry, warnings));
  }

  private Answer delete(Call call) {
    call.query();
    engine.deleteTopic(call.project().name(), call.path("topic"));
    return Answer.noContent();
  }

  private static TopicDocument document(Catalog.Entry entry, List<String> warnings) {
    return new TopicDocument(
        entry.topic().name(),
        PolicyDocuments.writeStored(entry.topic().policy()),
        entry.subscriptions().size(),
        entry.topic().isReserved() ? null : Times.text(entry.topic().createdAtMillis()),
        entry.topic().isReserved() ? true : null,
        warnings);
  }
}
