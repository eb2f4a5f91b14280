package dev.reprise.server.api;

import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.LedgerDescriptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The service at a glance, once or again and again. */
final class OverviewOperations {
  /** A stream ends before it could send more. */
  static final int MAX_EVENTS = 1000;

  private final Overview overview;
  private final OverviewStreams streams;
  private final AccessControl access;

  OverviewOperations(Overview overview, OverviewStreams streams, AccessControl access) {
    this.overview = overview;
    this.streams = streams;
    this.access = access;
  }

  List<Route> routes() {
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/overview", this::show)
            .described(LedgerDescriptions.GET_OVERVIEW),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/overview/minutes", this::minutes)
            .described(LedgerDescriptions.GET_OVERVIEW_MINUTES),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/overview/stream", this::stream)
            .described(LedgerDescriptions.STREAM_OVERVIEW));
  }

  private Answer show(Call call) {
    call.query();
    return Answer.json(200, overview.of(project(call)));
  }

  private Answer minutes(Call call) {
    call.query();
    return Answer.json(200, overview.minutes(project(call)));
  }

  private Answer stream(Call call) {
    int events =
        RequestFields.integer(call.query().text("events"), "events", MAX_EVENTS, MAX_EVENTS);
    return Answer.events(
        streams.open(named(call), call.caller(), () -> access.stillAdmits(call.headers()), events));
  }

  /** A browser's EventSource sends no header, so that the project may be named in the query. */
  private @Nullable Project named(Call call) {
    String name = call.query().text("project");
    if (name == null) {
      return project(call);
    }
    Project project = access.visible(call.caller(), name);
    if (project == null || !(call.everything() || project.equals(call.project()))) {
      throw new NotFoundException("project", RequestFields.shortened(name));
    }
    return project;
  }

  private static @Nullable Project project(Call call) {
    return call.everything() ? null : call.project();
  }
}
