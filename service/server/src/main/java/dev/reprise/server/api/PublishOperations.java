package dev.reprise.server.api;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.policy.document.Violation;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.ApiFailures;
import dev.reprise.server.http.ByteBudget;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.MessageDescriptions;
import dev.reprise.server.publish.BulkPublish;
import dev.reprise.server.publish.BulkQueue;
import dev.reprise.server.publish.MessageReader;
import dev.reprise.server.publish.PublishedMessage;
import dev.reprise.server.trace.Tracing;
import dev.reprise.server.watch.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Publishing: the one operation that must be fast. */
final class PublishOperations {
  /** Base64 and escapes make a message of 256 KB longer on the way; this leaves room for both. */
  static final int MAX_REQUEST_BYTES = 2 << 20;

  static final int MAX_LINES = 1000;
  static final int MAX_LINES_BYTES = 16 << 20;

  private static final String PATH = "/v1/topics/{topic}/messages";

  /** About a millisecond of comparing; more is done on another thread. */
  private static final long COSTLY_COMPARISONS = 100_000;

  private final DeliveryEngine engine;
  private final Metrics metrics;
  private final BulkQueue bulk;
  private final ByteBudget answers;
  private final Executor workers;
  private final Tracing tracing;

  /**
   * Publishing to an engine.
   *
   * @param bulk where requests of many lines wait for their turn
   * @param answers the budget of long answers
   * @param workers where a publish goes on whose matching takes long
   * @param tracing follows each message
   */
  PublishOperations(
      DeliveryEngine engine,
      Metrics metrics,
      BulkQueue bulk,
      ByteBudget answers,
      Executor workers,
      Tracing tracing) {
    this.engine = engine;
    this.metrics = metrics;
    this.bulk = bulk;
    this.answers = answers;
    this.workers = workers;
    this.tracing = tracing;
  }

  List<Route> routes() {
    return List.of(
        new Route(
            "POST",
            PATH,
            Use.PUBLISH,
            Place.TOPIC,
            Route.JSON,
            MAX_REQUEST_BYTES,
            Route.RunsOn.EVENT_LOOP,
            this::publish,
            MessageDescriptions.PUBLISH),
        new Route(
            "POST",
            PATH,
            Use.PUBLISH,
            Place.TOPIC,
            Route.NDJSON,
            MAX_LINES_BYTES,
            Route.RunsOn.WORKER,
            this::publishLines,
            MessageDescriptions.PUBLISH));
  }

  private CompletionStage<Answer> publish(Call call) {
    PublishedMessage message;
    @Nullable String key;
    try {
      key = key(call);
      // The topic first: without it, other errors of the message do not matter.
      topic(call);
      message = MessageReader.read(call.body(), 0, call.body().length, false);
      call.project().admit(message.payload());
    } catch (RuntimeException e) {
      metrics.publishRefused();
      throw e;
    }
    Catalog.Entry topic = topic(call);
    TraceContext caller = caller(call);
    CompletionStage<PublishReceipt> published =
        isCostly(topic, message)
            ? CompletableFuture.supplyAsync(() -> publish(topic, message, key, caller), workers)
                .thenCompose(stage -> stage)
            : publish(topic, message, key, caller);
    return published.thenApply(receipt -> Answer.json(202, BulkPublish.json(receipt)));
  }

  /** Returns the topic as it is now, if it takes messages from outside. */
  private static Catalog.Entry topic(Call call) {
    Catalog.Entry entry = call.catalog().topic(call.path("topic"));
    if (entry.topic().isReserved()) {
      throw new ConflictException(
          "topic '" + entry.topic().name() + "' is reserved: only the service publishes to it");
    }
    return entry;
  }

  /** Returns true if matching would hold up the other connections of an event loop. */
  private static boolean isCostly(Catalog.Entry topic, PublishedMessage message) {
    long values = 0;
    for (JsonNode value : message.attributes()) {
      values += value.isArray() ? value.size() : 1;
    }
    return values * topic.weight() > COSTLY_COMPARISONS;
  }

  private static @Nullable String key(Call call) {
    if (!call.parameters().isEmpty()) {
      call.query();
    }
    String key = call.header("Idempotency-Key");
    if (key != null) {
      Violation violation = MessageReader.keyViolation("Idempotency-Key", key);
      if (violation != null) {
        throw new ApiException(ApiError.invalid(List.of(violation)));
      }
    }
    return key;
  }

  /** The trace that the publisher names; null for none, or one that is not as it should be. */
  private static @Nullable TraceContext caller(Call call) {
    List<String> parents = call.headers().getAll(TraceContext.HEADER);
    return parents.size() == 1
        ? TraceContext.parse(
            parents.get(0), String.join(",", call.headers().getAll(TraceContext.STATE_HEADER)))
        : null;
  }

  private CompletionStage<PublishReceipt> publish(
      Catalog.Entry topic,
      PublishedMessage message,
      @Nullable String key,
      @Nullable TraceContext caller) {
    Metrics.Publish measured = metrics.publishStarted();
    Tracing.Publish traced = tracing.publish(topic.topic().name(), caller);
    TraceContext trace = traced.context();
    Payload payload = trace == null ? message.payload() : message.payload().withTrace(trace);
    CompletionStage<PublishReceipt> stage;
    try {
      stage = engine.publish(topic, payload, message.attributes(), key);
    } catch (RuntimeException e) {
      measured.failed();
      traced.failed(e);
      throw e;
    }
    return stage.whenComplete(
        (receipt, error) -> {
          if (error == null) {
            measured.accepted(receipt.repeated());
            traced.accepted(receipt.message());
          } else {
            measured.failed();
            traced.failed(error);
          }
        });
  }

  /** Each line stands for itself: one that is refused does not keep the others back. */
  private CompletionStage<Answer> publishLines(Call call) {
    int lines;
    try {
      lines = checkedLines(call);
      if (answers.isTight()) {
        // Room for the answer is needed first, because a published message must be answered.
        throw new ApiException(
            ApiError.of(503, "overloaded", "too many long answers are being sent: try again soon")
                .withHeader("Retry-After", "1"));
      }
    } catch (RuntimeException e) {
      metrics.publishRefused();
      throw e;
    }
    long bytes = BulkQueue.bytes(lines, call.body().length);
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    bulk.run(bytes, () -> publishLines(call, answer));
    return answer.whenComplete((done, error) -> bulk.done(bytes));
  }

  /** Never throws: a failure completes the answer exceptionally. */
  private void publishLines(Call call, CompletableFuture<Answer> answer) {
    byte[] body = call.body();
    TraceContext caller = caller(call);
    try {
      List<int[]> lines = lines(body);
      BulkPublish publish = new BulkPublish(lines.size(), answer);
      for (int i = 0; i < lines.size(); i++) {
        publishLine(call, lines.get(i), caller, publish, i);
      }
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  private int checkedLines(Call call) {
    call.query();
    if (call.header("Idempotency-Key") != null) {
      throw ApiException.invalid(
          "Idempotency-Key", "present", "must be a field of each line here: idempotencyKey");
    }
    topic(call);
    return lines(call.body()).size();
  }

  private void publishLine(
      Call call, int[] line, @Nullable TraceContext caller, BulkPublish publish, int number) {
    PublishedMessage message;
    try {
      message = MessageReader.read(call.body(), line[0], line[1], true);
      call.project().admit(message.payload());
    } catch (RuntimeException e) {
      metrics.publishRefused();
      publish.refused(number, ApiFailures.toError(e));
      return;
    }
    CompletionStage<PublishReceipt> published;
    try {
      Catalog.Entry topic = topic(call);
      published = publish(topic, message, message.idempotencyKey(), caller);
    } catch (RuntimeException e) {
      publish.refused(number, ApiFailures.toError(e));
      return;
    }
    published.whenComplete(
        (receipt, error) -> {
          if (error == null) {
            publish.accepted(number, receipt);
          } else {
            publish.refused(number, ApiFailures.toError(error));
          }
        });
  }

  /** Returns where the lines begin and end. Blank space at the end of the body is no line. */
  static List<int[]> lines(byte[] body) {
    int end = body.length;
    while (end > 0 && body[end - 1] <= ' ' && body[end - 1] >= 0) {
      end--;
    }
    List<int[]> lines = new ArrayList<>();
    int start = 0;
    while (start < end) {
      int stop = start;
      while (stop < end && body[stop] != '\n') {
        stop++;
      }
      if (lines.size() == MAX_LINES) {
        throw wrongNumberOfLines("more than " + MAX_LINES);
      }
      lines.add(new int[] {start, stop});
      start = stop + 1;
    }
    if (lines.isEmpty()) {
      throw wrongNumberOfLines("0");
    }
    return lines;
  }

  private static ApiException wrongNumberOfLines(String number) {
    return ApiException.invalid("body", number + " lines", "must be 1 to " + MAX_LINES + " lines");
  }
}
