package dev.reprise.server.access;

import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiFailures;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Permit;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.StrictJson;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Runs operations, and records those that are changes once they have been made and before they are
 * answered. What was refused has changed nothing and is not recorded.
 */
public final class AuditTrail {
  private static final Logger LOG = LoggerFactory.getLogger(AuditTrail.class);
  private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();

  private final Consumer<AuditRecord> log;
  private final LongSupplier wallMillis;
  private final Executor workers;

  /**
   * Records into a log.
   *
   * @param log makes a record durable
   * @param workers where a record is written: an operation may end on a thread that must not wait
   */
  public AuditTrail(Consumer<AuditRecord> log, LongSupplier wallMillis, Executor workers) {
    this.log = log;
    this.wallMillis = wallMillis;
    this.workers = workers;
  }

  /** Runs the operation of a route. Whatever it throws, the stage completes with it. */
  public CompletionStage<Answer> run(Route route, Call call) {
    CompletionStage<Answer> done;
    try {
      done = route.operation().answer(call);
    } catch (Throwable e) {
      done = CompletableFuture.failedFuture(e);
    }
    if (!route.use().isChange()) {
      return done;
    }
    return done.handleAsync(
        (answer, error) -> {
          Answer told = error == null ? answer : ApiFailures.toError(error).toAnswer();
          record(route, call, told);
          return told;
        },
        workers);
  }

  private void record(Route route, Call call, Answer answer) {
    if (answer.status() >= 400 && answer.status() < 500) {
      return;
    }
    JsonNode document = route.mediaType().equals(Route.JSON) ? read(call.body()) : NOTHING;
    if (document.path("dryRun").asBoolean(false)) {
      return;
    }
    Caller caller = call.caller();
    Permit permit = call.permit();
    Project project = permit.project();
    AuditRecord record =
        new AuditRecord(
            wallMillis.getAsLong(),
            caller.key(),
            caller.name(),
            project == null ? "" : project.name(),
            route.description().operationId(),
            target(route, call, answer),
            AuditRecord.fieldsOf(document),
            answer.status(),
            permit.client());
    try {
      log.accept(record);
    } catch (RuntimeException e) {
      // The change stands, and its answer must say so: the log of the process has it instead.
      LOG.error("a change could not be recorded in the audit log: {}", record, e);
    }
  }

  /** The id or name of what was made, or else what the path names. */
  private static String target(Route route, Call call, Answer answer) {
    if (answer.status() == 201) {
      JsonNode made = read(answer.body());
      String id = made.path("id").asString(made.path("name").asString(""));
      if (!id.isEmpty()) {
        return RequestFields.shortened(id);
      }
    }
    int brace = route.pattern().indexOf('{');
    return brace < 0
        ? ""
        : RequestFields.shortened(
            call.path(route.pattern().substring(brace + 1, route.pattern().indexOf('}'))));
  }

  private static JsonNode read(byte[] body) {
    if (body.length == 0) {
      return NOTHING;
    }
    try {
      JsonNode document = StrictJson.MAPPER.readTree(body);
      return document.isObject() ? document : NOTHING;
    } catch (RuntimeException e) {
      return NOTHING;
    }
  }
}
