package dev.reprise.server.api;

import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.document.ProjectDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Listing;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.ProjectSettings;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.openapi.ProjectDescriptions;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Projects. */
final class ProjectOperations {
  private static final String CARRIERS = "carriers";
  private static final String QUOTAS = "quotas";

  private final AccessControl access;
  private final DeliveryEngine engine;
  private final ClusterView cluster;

  ProjectOperations(AccessControl access, DeliveryEngine engine, ClusterView cluster) {
    this.cluster = cluster;
    this.access = access;
    this.engine = engine;
  }

  List<Route> routes() {
    String one = "/v1/projects/{name}";
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/projects", this::list)
            .described(ProjectDescriptions.LIST_PROJECTS),
        Routes.changing(Use.OPERATOR_CHANGE, Place.CATALOG, "POST", "/v1/projects", this::create)
            .described(ProjectDescriptions.CREATE_PROJECT),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", one, this::show)
            .described(ProjectDescriptions.GET_PROJECT),
        Routes.changing(Use.OPERATOR_CHANGE, Place.CATALOG, "PUT", one, this::put)
            .described(ProjectDescriptions.PUT_PROJECT),
        Routes.reading(Use.OPERATOR_CHANGE, Place.CATALOG, "DELETE", one, this::delete)
            .described(ProjectDescriptions.DELETE_PROJECT));
  }

  private Answer list(Call call) {
    Query query = call.query();
    int limit = query.limit();
    String cursor = query.cursor();
    String after = cursor == null ? "" : Cursor.read(cursor, "j", (kind, c) -> c.text());
    List<ProjectDocument> items = new ArrayList<>();
    String last = "";
    for (Project project : access.projects().list()) {
      String name = project.name();
      if (name.compareTo(after) <= 0 || access.visible(call.caller(), name) == null) {
        continue;
      }
      if (items.size() == limit) {
        return Listing.answer(items, Cursor.of('j').text(last).toString());
      }
      items.add(document(project));
      last = name;
    }
    return Listing.answer(items, null);
  }

  private Answer show(Call call) {
    call.query();
    String name = call.path("name");
    Project project = access.visible(call.caller(), name);
    if (project == null) {
      throw new NotFoundException("project", RequestFields.shortened(name));
    }
    return Answer.json(200, document(project));
  }

  private Answer create(Call call) {
    call.query();
    JsonNode document = call.object("name", CARRIERS, QUOTAS);
    String name = RequestFields.string(document, "name");
    if (name == null) {
      throw ApiException.invalid("name", "absent", "must be given");
    }
    ProjectSettings settings = ProjectSettings.read(document);
    Project project = access.projects().create(name, settings, engine.nowMillis());
    return Answer.json(201, document(project));
  }

  private Answer put(Call call) {
    call.query();
    ProjectSettings settings = ProjectSettings.read(call.object(CARRIERS, QUOTAS));
    return Answer.json(200, document(access.projects().change(call.path("name"), settings)));
  }

  private Answer delete(Call call) {
    call.query();
    String name = call.path("name");
    access.deleteProject(name);
    return Answer.noContent();
  }

  private ProjectDocument document(Project project) {
    ProjectSettings settings = project.settings();
    return new ProjectDocument(
        project.name(),
        settings.carriers(),
        settings.quotas().write(),
        new ProjectDocument.Usage(
            project.catalog().topicCount(),
            project.catalog().subscriptionCount(),
            cluster.publishesPerSecond(project),
            access.pending(project)),
        project.createdAtMillis() == 0 ? null : Times.text(project.createdAtMillis()));
  }
}
