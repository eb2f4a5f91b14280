package dev.reprise.server.api;

import dev.reprise.delivery.http.EndpointUrl;
import dev.reprise.delivery.http.VettedResolver;
import dev.reprise.policy.Violation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Checks an endpoint before a subscription names it: its URL, its name, its addresses. */
final class EndpointCheck {
  static final int MAX_SECONDS = 5;

  private static final String FIELD = "endpoint";

  private final VettedResolver resolver;

  EndpointCheck(VettedResolver resolver) {
    this.resolver = resolver;
  }

  /** Completes if the endpoint may be sent to, and fails with what is wrong with it. */
  CompletionStage<Void> check(String endpoint) {
    EndpointUrl.Parsed parsed = EndpointUrl.parse(endpoint, resolver.guard());
    EndpointUrl url = parsed.url();
    if (url == null) {
      throw new ApiException(
          ApiError.invalid(
              parsed.problems().stream().map(problem -> violation(endpoint, problem)).toList()));
    }
    CompletableFuture<Void> vetted = new CompletableFuture<>();
    resolver.vet(
        url,
        problem -> {
          if (problem == null) {
            vetted.complete(null);
          } else {
            vetted.completeExceptionally(
                new ApiException(ApiError.invalid(List.of(violation(endpoint, problem)))));
          }
        });
    ApiException late =
        ApiException.invalid(
            FIELD,
            shown(endpoint),
            "must name a host that can be resolved: no answer in " + MAX_SECONDS + " s");
    CompletableFuture.delayedExecutor(MAX_SECONDS, TimeUnit.SECONDS)
        .execute(() -> vetted.completeExceptionally(late));
    return vetted;
  }

  private static Violation violation(String endpoint, String problem) {
    String prefix = FIELD + ": ";
    return new Violation(
        FIELD,
        shown(endpoint),
        problem.startsWith(prefix) ? problem.substring(prefix.length()) : problem);
  }

  /** Hides the part before an @, which may be a password. */
  private static String shown(String endpoint) {
    return Fields.shortened(endpoint.substring(endpoint.lastIndexOf('@') + 1));
  }
}
