package dev.reprise.server.openapi;

import dev.reprise.server.document.ProjectDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.CatalogSchemas;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Projects". */
public final class ProjectDescriptions {
  private static final String TAG = "Projects";

  private static final Schema PROJECT_TO_CREATE =
      Schema.fields()
          .required("name", Schema.TEXT.with("pattern", "^[a-z0-9][a-z0-9-]{0,62}$"))
          .optional(
              "carriers",
              Schema.list(Schema.TEXT).with("maxItems", 1000).orNull(),
              "The names of the carriers that it may use; * for all. Absent: none.")
          .optional("quotas", CatalogSchemas.QUOTAS.orNull())
          .closed()
          .named("ProjectToCreate");

  private static final Schema PROJECT_SETTINGS =
      Schema.fields()
          .optional(
              "carriers",
              Schema.list(Schema.TEXT).with("maxItems", 1000).orNull(),
              "The names of the carriers that it may use; * for all. Absent: none.")
          .optional("quotas", CatalogSchemas.QUOTAS.orNull())
          .closed()
          .named("ProjectSettings");

  public static final Description LIST_PROJECTS =
      Description.of(
              "listProjects", TAG, "Projects by name: an operator's key sees all, another its own")
          .parts()
          .answers(200, "A part of the list.", Schema.page("Projects", ProjectDocument.class));

  public static final Description CREATE_PROJECT =
      Description.of("createProject", TAG, "Create a project")
          .body(PROJECT_TO_CREATE)
          .answers(201, "It was created.", Schema.of(ProjectDocument.class))
          .refuses(Refusal.CONFLICT);

  public static final Description GET_PROJECT =
      Description.of("getProject", TAG, "A project, its quotas and how much of them is used")
          .path(PathParameters.PROJECT)
          .answers(200, "The project.", Schema.of(ProjectDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description PUT_PROJECT =
      Description.of("putProject", TAG, "Give a project other settings")
          .path(PathParameters.PROJECT)
          .body(PROJECT_SETTINGS)
          .answers(
              200,
              "It has these settings now; what was absent has its default.",
              Schema.of(ProjectDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description DELETE_PROJECT =
      Description.of("deleteProject", TAG, "Delete a project without topics and API keys")
          .path(PathParameters.PROJECT)
          .answers(204, "It is gone.")
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  private ProjectDescriptions() {}
}
