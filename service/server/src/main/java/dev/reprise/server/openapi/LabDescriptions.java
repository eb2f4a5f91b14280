package dev.reprise.server.openapi;

import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Lab". */
public final class LabDescriptions {
  private static final String TAG = "Lab";

  private static final Schema LAB_RUN =
      Schema.fields()
          .required("id", Schema.TEXT)
          .required("name", Schema.TEXT, "The scenario's.")
          .required("state", Schema.oneOf("waiting", "running", "done", "failed", "cancelled"))
          .required("done", Schema.COUNT, "Simulations that have ended.")
          .required("all", Schema.COUNT)
          .optional("reason", Schema.TEXT, "Why there are no results.")
          .required(
              "policies",
              Schema.list(
                  Schema.fields()
                      .required("name", Schema.TEXT)
                      .required(
                          "fitsTopics",
                          Schema.FLAG,
                          "Whether a topic can have it: it is of the notification format.")
                      .required("policy", Schema.ANY_OBJECT)
                      .closed()))
          .required(
              "findings",
              Schema.list(Schema.TEXT),
              "What came out, in sentences; empty until the run is done.")
          .closed()
          .named("LabRun");

  public static final Description LIST_SCENARIOS =
      Description.of("listScenarios", TAG, "The scenarios that come with the lab")
          .answers(
              200,
              "Their documents, which can be run as they are.",
              Schema.list(Schema.ANY_OBJECT));

  public static final Description LIST_LAB_RUNS =
      Description.of("listLabRuns", TAG, "The last runs of the lab")
          .answers(
              200,
              "The newest first. At most five are kept, until the service restarts.",
              Schema.list(LAB_RUN));

  public static final Description BEGIN_LAB_RUN =
      Description.of("beginLabRun", TAG, "Run a scenario")
          .text(
              "One run goes on at a time, on one thread of low priority, for two minutes at"
                  + " most; one more may wait. It may have 1,000,000 devices, 500,000 calls or"
                  + " 10,000 clients, and 24 simulations.")
          .body(
              Schema.ANY_OBJECT.described(
                  "A scenario document (/v1/schemas/scenario). A sweep in it is not run."))
          .answers(202, "The run; ask for it until its state is done.", LAB_RUN)
          .refuses(Refusal.CONFLICT);

  public static final Description SHOW_LAB_RUN =
      Description.of("showLabRun", TAG, "One run")
          .path(PathParameters.LAB_RUN)
          .answers(200, "The run.", LAB_RUN)
          .refuses(Refusal.NOT_FOUND);

  public static final Description CANCEL_LAB_RUN =
      Description.of("cancelLabRun", TAG, "Cancel a run")
          .path(PathParameters.LAB_RUN)
          .answers(204, "It ends without results, unless it had ended before.")
          .refuses(Refusal.NOT_FOUND);

  public static final Description LAB_REPORT =
      Description.of("labReport", TAG, "The report of a run as a page")
          .path(PathParameters.LAB_RUN)
          .answers(200, "One HTML page that loads nothing else.", "text/html", Schema.TEXT)
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description LAB_RESULTS =
      Description.of("labResults", TAG, "The report of a run as JSON")
          .path(PathParameters.LAB_RUN)
          .answers(200, "As ./reprise schema report describes it.", Schema.ANY_OBJECT)
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  private LabDescriptions() {}
}
