package dev.reprise.server.http;

import dev.reprise.server.schema.Components;
import dev.reprise.server.schema.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The part of an operation's description in OpenAPI that its {@link Route} does not have: the
 * texts, the parameters, the bodies and the answers. Immutable.
 */
public final class Description {
  /** Of a route that the API does not list. */
  public static final Description NONE = new Description("", List.of(), (all, operation) -> {});

  private final String operationId;
  private final List<String> parameters;
  private final BiConsumer<Components, ObjectNode> writer;

  private Description(
      String operationId, List<String> parameters, BiConsumer<Components, ObjectNode> writer) {
    this.operationId = operationId;
    this.parameters = parameters;
    this.writer = writer;
  }

  /**
   * Begins the description of an operation.
   *
   * @param operationId its name, for programs and in the audit log
   * @param tag the part of the API that it belongs to
   * @param summary what it does, in a line
   */
  public static Description of(String operationId, String tag, String summary) {
    return new Description(
        operationId,
        List.of(),
        (all, operation) -> {
          operation.put("operationId", operationId).put("summary", summary);
          operation.putArray("tags").add(tag);
        });
  }

  /** Returns the operation's name; empty for a route that the API does not list. */
  public String operationId() {
    return operationId;
  }

  /**
   * Returns the names of the parameters that the query may have; a request with others is refused.
   */
  public List<String> parameters() {
    return parameters;
  }

  private Description with(BiConsumer<Components, ObjectNode> more) {
    return new Description(operationId, parameters, writer.andThen(more));
  }

  /** Returns the same with what the summary does not say. */
  public Description text(String text) {
    return with((all, operation) -> operation.put("description", text));
  }

  /** Returns the same with a part of the path that is variable. */
  public Description path(PathParameter part) {
    return with(
        (all, operation) -> {
          ObjectNode parameter =
              parameter(all, operation, "path", part.name(), part.schema(), part.text());
          parameter.put("required", true);
          if (part.example() != null) {
            parameter.put("example", part.example());
          }
        });
  }

  /** Returns the same with a parameter of the query, which may be absent. */
  public Description query(String name, Schema schema, String text) {
    List<String> names = new ArrayList<>(parameters);
    names.add(name);
    return new Description(
        operationId,
        List.copyOf(names),
        writer.andThen((all, operation) -> parameter(all, operation, "query", name, schema, text)));
  }

  /** Returns the same with a header, which may be absent. */
  public Description header(String name, Schema schema, String text) {
    return with((all, operation) -> parameter(all, operation, "header", name, schema, text));
  }

  private static ObjectNode parameter(
      Components all, ObjectNode operation, String place, String name, Schema schema, String text) {
    ObjectNode parameter = operation.withArray("parameters").addObject();
    parameter.put("name", name).put("in", place).put("required", false);
    parameter.set("schema", schema.in(all));
    return parameter.put("description", text);
  }

  /** Returns the same for a listing: with the parameters {@code limit} and {@code cursor}. */
  public Description parts() {
    return query(
            "limit",
            Schema.integer(1, Query.MAX_LIMIT),
            "The most items. Without it, a listing has "
                + Query.DEFAULT_LIMIT
                + ", and purging "
                + Query.MAX_LIMIT
                + ".")
        .cursor();
  }

  /** Returns the same with the parameter {@code cursor}. */
  public Description cursor() {
    return query("cursor", Schema.TEXT, "The next of an earlier answer to the same request.");
  }

  /** Returns the same with a body of JSON that must be there. */
  public Description body(Schema schema) {
    return body(Route.JSON, schema, true);
  }

  /** Returns the same with a body of JSON that may be absent. */
  public Description optionalBody(Schema schema) {
    return body(Route.JSON, schema, false);
  }

  /** Returns the same with a body of another type that must be there. */
  public Description body(String mediaType, Schema schema) {
    return body(mediaType, schema, true);
  }

  private Description body(String mediaType, Schema schema, boolean required) {
    return with(
        (all, operation) -> {
          ObjectNode body = operation.withObject("requestBody").put("required", required);
          body.withObject("content").putObject(mediaType).set("schema", schema.in(all));
        });
  }

  /** Returns the same with an answer without a body. */
  public Description answers(int status, String text) {
    return with((all, operation) -> answer(operation, status, text));
  }

  /** Returns the same with an answer of JSON. */
  public Description answers(int status, String text, Schema schema) {
    return answers(status, text, Answer.JSON, schema);
  }

  /** Returns the same with an answer of another type. */
  public Description answers(int status, String text, String mediaType, Schema schema) {
    return with(
        (all, operation) ->
            answer(operation, status, text)
                .putObject("content")
                .putObject(mediaType)
                .set("schema", schema.in(all)));
  }

  private static ObjectNode answer(ObjectNode operation, int status, String text) {
    return operation
        .withObject("responses")
        .putObject(Integer.toString(status))
        .put("description", text);
  }

  /**
   * Returns the same with refusals beyond those that follow from the route: a broken rule, a key
   * that is missing or does not open it, the wrong type of a body, a service that is overloaded.
   */
  public Description refuses(Refusal... refusals) {
    return with((all, operation) -> Arrays.stream(refusals).forEach(each -> each.addTo(operation)));
  }

  /** Returns the operation as OpenAPI has it; its named schemas are among {@code all} then. */
  public ObjectNode in(Components all) {
    ObjectNode operation = JsonNodeFactory.instance.objectNode();
    writer.accept(all, operation);
    return operation;
  }
}
