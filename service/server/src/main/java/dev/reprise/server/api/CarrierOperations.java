package dev.reprise.server.api;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.CarrierDocuments;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.server.document.CarrierDocument;
import dev.reprise.server.document.CarrierTypeDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Listing;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.openapi.CarrierDescriptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Carriers. */
final class CarrierOperations {
  static final int TEST_SECONDS = 30;

  /** The media type of a bounce, and the most bytes that are read of one. */
  static final String MAIL = "message/rfc822";

  static final int MAX_REPORT_BYTES = 1 << 20;

  /** Settings refer to it, as policies do. */
  private static final JsonNode DURATION =
      JsonMapper.shared().readTree(PolicyDocuments.policySchema()).at("/$defs/duration");

  private final DeliveryEngine engine;
  private final Carriers carriers;
  private final Executor workers;
  private final ClusterView cluster;

  /**
   * Operations on carriers.
   *
   * @param workers where a change goes on that has waited for a test
   * @param cluster has the states of carriers at other nodes
   */
  CarrierOperations(
      DeliveryEngine engine, Carriers carriers, Executor workers, ClusterView cluster) {
    this.cluster = cluster;
    this.engine = engine;
    this.carriers = carriers;
    this.workers = workers;
  }

  List<Route> routes() {
    String one = "/v1/carriers/{name}";
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/carriers", this::list)
            .described(CarrierDescriptions.LIST_CARRIERS),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/carrier-types", this::types)
            .described(CarrierDescriptions.LIST_CARRIER_TYPES),
        Routes.waiting(
                Use.OPERATOR_CHANGE,
                Place.CATALOG,
                "POST",
                "/v1/carriers",
                Route.JSON,
                this::create)
            .described(CarrierDescriptions.CREATE_CARRIER),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", one, this::show)
            .described(CarrierDescriptions.GET_CARRIER),
        Routes.waiting(Use.OPERATOR_CHANGE, Place.CATALOG, "PATCH", one, Route.JSON, this::change)
            .described(CarrierDescriptions.CHANGE_CARRIER),
        // Some clients of HTTP, Java's HttpURLConnection among them, cannot send PATCH.
        Routes.waiting(Use.OPERATOR_CHANGE, Place.CATALOG, "POST", one, Route.JSON, this::change)
            .described(CarrierDescriptions.CHANGE_CARRIER_BY_POST),
        Routes.reading(Use.OPERATOR_CHANGE, Place.CATALOG, "DELETE", one, this::delete)
            .described(CarrierDescriptions.DELETE_CARRIER),
        Routes.waiting(Use.OPERATE, Place.ANYWHERE, "POST", one + "/test", "", this::test)
            .described(CarrierDescriptions.TEST_CARRIER),
        Routes.waiting(
                Use.OPERATOR_CHANGE, Place.CATALOG, "POST", one + "/resume", "", this::resume)
            .described(CarrierDescriptions.RESUME_CARRIER),
        new Route(
            "POST",
            one + "/reports",
            Use.OPERATE,
            Place.ANYWHERE,
            MAIL,
            MAX_REPORT_BYTES,
            Route.RunsOn.WORKER,
            this::report,
            CarrierDescriptions.REPORT_TO_CARRIER));
  }

  private Answer list(Call call) {
    Query query = call.query();
    int limit = query.limit();
    String cursor = query.cursor();
    long from = cursor == null ? 0 : Cursor.read(cursor, "c", (kind, c) -> c.count());
    List<CarrierDefinition> all =
        engine.catalog().carriers().stream().filter(each -> isVisible(call, each.name())).toList();
    List<CarrierDocument> items = new ArrayList<>();
    all.stream().skip(from).limit(limit).map(each -> document(call, each)).forEach(items::add);
    long next = from + limit;
    return Listing.answer(items, next < all.size() ? Cursor.of('c').number(next).toString() : null);
  }

  private Answer types(Call call) {
    call.query();
    List<CarrierTypeDocument> items = new ArrayList<>();
    for (CarrierType<?> type : carriers.types().all()) {
      items.add(
          new CarrierTypeDocument(
              type.name(),
              type.protocols().stream().map(Protocol::wireName).sorted().toList(),
              type.defaultInFlight(),
              schema(type)));
    }
    return Listing.answer(items, null);
  }

  private static ObjectNode schema(CarrierType<?> type) {
    ObjectNode schema = type.settings().schema();
    schema.putObject("$defs").set("duration", DURATION);
    return schema;
  }

  private Answer show(Call call) {
    call.query();
    String name = call.path("name");
    if (!isVisible(call, name)) {
      throw new NotFoundException("carrier", name);
    }
    return Answer.json(200, document(call, engine.catalog().carrier(name)));
  }

  private CompletionStage<Answer> create(Call call) {
    boolean unchecked = RequestFields.bool(call.query().text("unchecked"), "unchecked");
    CarrierDefinition carrier = carriers.read(call.json(), null, engine.nowMillis());
    return checked(carrier, unchecked)
        .thenApplyAsync(
            ok -> {
              carriers.put(carrier, null);
              return Answer.json(201, document(call, carrier));
            },
            workers);
  }

  private CompletionStage<Answer> change(Call call) {
    boolean unchecked = RequestFields.bool(call.query().text("unchecked"), "unchecked");
    CarrierDefinition before = engine.catalog().carrier(call.path("name"));
    CarrierDefinition carrier = carriers.read(call.json(), before, engine.nowMillis());
    return checked(carrier, unchecked)
        .thenApplyAsync(
            ok -> {
              carriers.put(carrier, before);
              return Answer.json(200, document(call, carrier));
            },
            workers);
  }

  /** Completes if the carrier works, or is not to be checked. */
  private CompletionStage<?> checked(CarrierDefinition carrier, boolean unchecked) {
    return unchecked
        ? CompletableFuture.completedFuture("")
        : tested(carrier)
            .exceptionally(
                error -> {
                  throw ApiException.invalid(
                      "settings",
                      carrier.name(),
                      "must be those of a carrier that works: "
                          + reason(error)
                          + ". ?unchecked=true keeps them all the same");
                });
  }

  private CompletionStage<String> tested(CarrierDefinition carrier) {
    return carriers.test(carrier).toCompletableFuture().orTimeout(TEST_SECONDS, TimeUnit.SECONDS);
  }

  private static String reason(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof TimeoutException) {
      return "no answer in " + TEST_SECONDS + " s";
    }
    return cause instanceof CarrierException
        ? String.valueOf(cause.getMessage())
        : String.valueOf(cause);
  }

  private CompletionStage<Answer> test(Call call) {
    call.query();
    return tested(engine.catalog().carrier(call.path("name")))
        .handle(
            (reached, error) ->
                Answer.json(
                    200,
                    new CarrierDocument.Tested(
                        error == null, error == null ? reached : reason(error))));
  }

  /** Goes on with what waits because everything before it was refused alike. */
  private CompletionStage<Answer> resume(Call call) {
    call.query();
    String name = engine.catalog().carrier(call.path("name")).name();
    return engine.resume(name).thenApply(was -> Answer.json(200, new CarrierDocument.Resumed(was)));
  }

  private Answer delete(Call call) {
    call.query();
    carriers.delete(call.path("name"));
    return Answer.noContent();
  }

  /** A bounce, or another report of the carrier, that was received outside the service. */
  private CompletionStage<Answer> report(Call call) {
    call.query();
    String name = engine.catalog().carrier(call.path("name")).name();
    Carrier carrier = carriers.find(name);
    Receipt receipt = carrier == null ? null : carrier.read(call.body());
    if (receipt == null) {
      return CompletableFuture.completedFuture(
          Answer.json(200, new CarrierDocument.Reported(false, null)));
    }
    boolean delivered = receipt.delivered();
    return engine
        .received(name, receipt)
        .thenApply(
            known ->
                Answer.json(200, new CarrierDocument.Reported(known, known ? delivered : null)));
  }

  /** Returns true if the carrier exists for the caller. */
  private static boolean isVisible(Call call, String name) {
    return call.caller().isOperator() || call.project().settings().mayUse(name);
  }

  /** The carrier; its settings and faults are shown to operators only. */
  private CarrierDocument document(Call call, CarrierDefinition carrier) {
    boolean whole = call.caller().isOperator();
    ObjectNode shown =
        whole
            ? CarrierDocuments.write(carrier, carriers.types())
            : JsonNodeFactory.instance
                .objectNode()
                .set("settings", JsonNodeFactory.instance.objectNode())
                .asObject();
    CarrierState state = cluster.carrier(carrier.name(), carriers.state(carrier.name()));
    @Nullable String fault = state.fault();
    return new CarrierDocument(
        carrier.name(),
        carrier.type(),
        carrier.maxInFlight(),
        carrier.maxPerSecond() == 0 ? null : carrier.maxPerSecond(),
        shown.get("settings"),
        Times.text(carrier.createdAtMillis()),
        new CarrierDocument.State(
            fault == null,
            whole ? fault : null,
            fault == null || state.faultSinceMillis() == 0
                ? null
                : Times.text(state.faultSinceMillis()),
            state.connections(),
            state.inFlight()));
  }
}
