package dev.reprise.server.api;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.function.Functions;
import dev.reprise.policy.document.Violation;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.RequestFields;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Checks an endpoint before a subscription names it: a URL with its name and addresses, another one
 * by the rules of its carrier.
 */
final class EndpointCheck {
  static final int MAX_SECONDS = 5;

  private static final String FIELD = "endpoint";
  private static final String RETRY_AFTER_SECONDS = "5";

  /** Stands in a problem that is the name server's and may pass, and in no other. */
  private static final String NAME_SERVER = "cannot be resolved: the name server ";

  private final VettedResolver resolver;
  private final DeliveryEngine engine;
  private final Carriers carriers;
  private final Functions functions;

  EndpointCheck(
      VettedResolver resolver, DeliveryEngine engine, Carriers carriers, Functions functions) {
    this.resolver = resolver;
    this.engine = engine;
    this.carriers = carriers;
    this.functions = functions;
  }

  /**
   * Completes if the endpoint may be sent to, and fails with what is wrong with it.
   *
   * @param project whose subscription it is: it may not use every carrier
   */
  CompletionStage<Void> check(Project project, SubscriptionSettings settings) {
    String name = settings.carrier();
    CarrierDefinition carrier = name == null ? null : carrierOf(project, settings.protocol(), name);
    if (settings.isUrl() || settings.protocol() == Protocol.HTTP) {
      boolean vetted = carrier == null || !carrier.settings().path("resolves").asBoolean(false);
      String tokenUrl = settings.http().tokenUrl();
      CompletionStage<Void> endpoint = check(FIELD, settings.endpoint(), vetted);
      return tokenUrl == null
          ? endpoint
          : endpoint.thenCompose(ok -> check("http.tokenUrl", tokenUrl, vetted));
    }
    String problem =
        carrier != null
            ? types(carrier).endpointProblem(settings.protocol(), settings.endpoint())
            : functions.names().contains(settings.endpoint())
                ? null
                : "must be a URL, or one of the functions of this process: "
                    + (functions.names().isEmpty()
                        ? "there are none"
                        : String.join(", ", functions.names()));
    if (problem != null) {
      throw ApiException.invalid(FIELD, RequestFields.shortened(settings.endpoint()), problem);
    }
    return CompletableFuture.completedFuture(null);
  }

  private CarrierDefinition carrierOf(Project project, Protocol protocol, String name) {
    List<CarrierDefinition> usable =
        engine.catalog().carriers().stream()
            .filter(each -> project.settings().mayUse(each.name()))
            .toList();
    CarrierDefinition carrier =
        usable.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
    if (carrier == null) {
      throw ApiException.invalid(
          "carrier",
          RequestFields.shortened(name),
          "must be a carrier that exists: "
              + (usable.isEmpty()
                  ? "there is none"
                  : String.join(", ", usable.stream().map(CarrierDefinition::name).toList())));
    }
    if (!types(carrier).protocols().contains(protocol)) {
      throw ApiException.invalid(
          "carrier",
          name,
          "is of type "
              + carrier.type()
              + ", which reaches "
              + String.join(
                  ", ",
                  types(carrier).protocols().stream().map(Protocol::wireName).sorted().toList())
              + " and not "
              + protocol.wireName());
    }
    return carrier;
  }

  private CarrierType<?> types(CarrierDefinition carrier) {
    CarrierType<?> type = carriers.types().find(carrier.type());
    if (type == null) {
      throw ApiException.invalid(
          "carrier", carrier.name(), "is of type " + carrier.type() + ", which is not known here");
    }
    return type;
  }

  private CompletionStage<Void> check(String field, String endpoint, boolean vetted) {
    EndpointUrl.Parsed parsed = EndpointUrl.parse(endpoint, resolver.guard());
    EndpointUrl url = parsed.url();
    if (url == null) {
      throw new ApiException(
          ApiError.invalid(
              parsed.problems().stream()
                  .map(problem -> violation(field, endpoint, problem))
                  .toList()));
    }
    if (!vetted) {
      // The proxy looks up the name, which may not be known here.
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    resolver.vet(
        url,
        problem -> {
          if (problem == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(failure(field, endpoint, problem));
          }
        });
    ApiException late =
        silent(field, endpoint, "the name server did not answer in " + MAX_SECONDS + " s");
    CompletableFuture.delayedExecutor(MAX_SECONDS, TimeUnit.SECONDS)
        .execute(() -> done.completeExceptionally(late));
    return done;
  }

  /** Returns the answer to a problem with the host of an endpoint. */
  static ApiException failure(String field, String endpoint, String problem) {
    return problem.contains(NAME_SERVER)
        ? silent(field, endpoint, problem)
        : new ApiException(ApiError.invalid(List.of(violation(field, endpoint, problem))));
  }

  /** The endpoint may be right: its host could not be looked up. */
  private static ApiException silent(String field, String endpoint, String problem) {
    return new ApiException(
        ApiError.of(
                503,
                "name_server_silent",
                field
                    + " is "
                    + shown(endpoint)
                    + ", and its host could not be looked up: "
                    + problem.substring(Math.max(0, problem.indexOf("the name server")))
                    + ". Nothing was changed; try again")
            .withHeader("Retry-After", RETRY_AFTER_SECONDS));
  }

  private static Violation violation(String field, String endpoint, String problem) {
    String prefix = FIELD + ": ";
    return new Violation(
        field,
        shown(endpoint),
        problem.startsWith(prefix) ? problem.substring(prefix.length()) : problem);
  }

  /** Hides the part before an @, which may be a password. */
  private static String shown(String endpoint) {
    return RequestFields.shortened(endpoint.substring(endpoint.lastIndexOf('@') + 1));
  }
}
