package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.policy.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Publishing: the one operation that must be fast. */
final class PublishOperations {
  /** Base64 and escapes make a message of 256 KB longer on the way; this leaves room for both. */
  static final int MAX_REQUEST_BYTES = 2 << 20;

  static final int MAX_LINES = 1000;
  static final int MAX_LINES_BYTES = 16 << 20;

  private static final String PATH = "/v1/topics/{topic}/messages";

  private final DeliveryEngine engine;
  private final Metrics metrics;

  PublishOperations(DeliveryEngine engine, Metrics metrics) {
    this.engine = engine;
    this.metrics = metrics;
  }

  List<Route> routes() {
    return List.of(
        new Route(
            "POST",
            PATH,
            Route.Access.KEY,
            Route.JSON,
            MAX_REQUEST_BYTES,
            Route.RunsOn.EVENT_LOOP,
            this::publish),
        new Route(
            "POST",
            PATH,
            Route.Access.KEY,
            Route.NDJSON,
            MAX_LINES_BYTES,
            Route.RunsOn.WORKER,
            this::publishLines));
  }

  private CompletionStage<Answer> publish(Call call) {
    Message message;
    @Nullable String key;
    try {
      key = key(call);
      // First the topic: of a message to nowhere, nobody wants to hear what else is wrong.
      engine.catalog().topic(call.path("topic"));
      message = MessageReader.read(call.body(), 0, call.body().length, false);
    } catch (RuntimeException e) {
      metrics.publishRefused();
      throw e;
    }
    return publish(call.path("topic"), message, key)
        .thenApply(receipt -> Answer.json(202, json(receipt)));
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

  private CompletionStage<PublishReceipt> publish(
      String topic, Message message, @Nullable String key) {
    Metrics.Publish measured = metrics.publishStarted();
    CompletionStage<PublishReceipt> stage;
    try {
      stage = engine.publish(topic, message.payload(), message.attributes(), key);
    } catch (RuntimeException e) {
      measured.failed();
      throw e;
    }
    return stage.whenComplete(
        (receipt, error) -> {
          if (error == null) {
            measured.accepted(receipt.repeated());
          } else {
            measured.failed();
          }
        });
  }

  private static byte[] json(PublishReceipt receipt) {
    String text =
        "{\"messageId\":\""
            + receipt.message()
            + "\",\"deliveries\":"
            + receipt.deliveries()
            + ",\"repeated\":"
            + receipt.repeated()
            + "}";
    return text.getBytes(US_ASCII);
  }

  /** Each line stands for itself: one that is refused does not keep the others back. */
  private CompletionStage<Answer> publishLines(Call call) {
    String topic = call.path("topic");
    List<int[]> lines;
    try {
      lines = checkedLines(call, topic);
    } catch (RuntimeException e) {
      metrics.publishRefused();
      throw e;
    }
    List<CompletableFuture<ObjectNode>> answers = new ArrayList<>(lines.size());
    for (int[] line : lines) {
      answers.add(publishLine(topic, call.body(), line[0], line[1]));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              ObjectNode body = JsonNodeFactory.instance.objectNode();
              ArrayNode items = body.putArray("items");
              answers.forEach(answer -> items.add(answer.join()));
              return Answer.json(202, body);
            });
  }

  private List<int[]> checkedLines(Call call, String topic) {
    call.query();
    if (call.header("Idempotency-Key") != null) {
      throw ApiException.invalid(
          "Idempotency-Key", "present", "must be a field of each line here: idempotencyKey");
    }
    engine.catalog().topic(topic);
    return lines(call.body());
  }

  private CompletableFuture<ObjectNode> publishLine(String topic, byte[] body, int from, int to) {
    return publishMessage(topic, body, from, to)
        .handle((receipt, error) -> error == null ? item(receipt) : item(Failures.toError(error)))
        .toCompletableFuture();
  }

  private CompletionStage<PublishReceipt> publishMessage(
      String topic, byte[] body, int from, int to) {
    Message message;
    try {
      message = MessageReader.read(body, from, to, true);
    } catch (RuntimeException e) {
      metrics.publishRefused();
      return CompletableFuture.failedFuture(e);
    }
    try {
      return publish(topic, message, message.idempotencyKey());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static ObjectNode item(PublishReceipt receipt) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("messageId", receipt.message().toString())
        .put("deliveries", receipt.deliveries())
        .put("repeated", receipt.repeated());
  }

  private static ObjectNode item(ApiError error) {
    ObjectNode item = JsonNodeFactory.instance.objectNode();
    item.set("error", error.toJson());
    return item;
  }

  /** Where the lines begin and end. Blank space at the end of the body is no line. */
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
