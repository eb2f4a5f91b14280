package dev.reprise.server.api;

import dev.reprise.lab.fleet.OutageForecast;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.document.OutageDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.labs.LabThread;
import dev.reprise.server.openapi.PolicyDescriptions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * The operation that computes the effect of an outage on a policy's messages. Nothing is stored.
 */
final class OutageOperations {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String DEFAULT_OUTAGE = "30m";
  private static final String DEFAULT_RATE = "10/s";

  private final LabThread thread = new LabThread("reprise-outage");

  List<Route> routes() {
    return List.of(
        Routes.waiting(
                Use.READ, Place.ANYWHERE, "POST", "/v1/preview/outage", Route.JSON, this::outage)
            .described(PolicyDescriptions.PREVIEW_OUTAGE));
  }

  private CompletionStage<Answer> outage(Call call) {
    call.query();
    JsonNode document = call.object("policy", "outage", "rate");
    JsonNode written = document.get("policy");
    if (written == null) {
      throw ApiException.invalid("policy", "absent", "must be a policy, or the name of a preset");
    }
    Policy policy = PolicyDocuments.read(written);
    Duration outage = span(document);
    double rate = rate(document);
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    thread.take(
        () -> {
          try {
            answer.complete(
                Answer.json(200, OutageDocument.of(OutageForecast.of(policy, outage, rate))));
          } catch (IllegalArgumentException e) {
            answer.completeExceptionally(refused(String.valueOf(e.getMessage())));
          } catch (CancellationException e) {
            answer.completeExceptionally(
                refused("it took more than " + LIMIT.toSeconds() + " s: ask for less"));
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        },
        LIMIT);
    return answer;
  }

  private static ApiException refused(String message) {
    return new ApiException(ApiError.of(422, "too_much", message));
  }

  private static Duration span(JsonNode document) {
    String text = text(document, "outage", DEFAULT_OUTAGE);
    Duration span = DurationText.read(text);
    if (span == null
        || span.compareTo(Duration.ofSeconds(1)) < 0
        || span.compareTo(OutageForecast.MAX_OUTAGE) > 0) {
      throw ApiException.invalid(
          "outage", RequestFields.shortened(text), "must be a span from 1s to 168h, such as 30m");
    }
    return span;
  }

  private static double rate(JsonNode document) {
    String text = text(document, "rate", DEFAULT_RATE);
    OptionalDouble rate = RateText.read(text);
    if (rate.isEmpty()
        || !(rate.getAsDouble() > 0)
        || rate.getAsDouble() > OutageForecast.MAX_RATE) {
      throw ApiException.invalid(
          "rate",
          RequestFields.shortened(text),
          RateText.RULE + ", more than 0/s, at most 1000000/s");
    }
    return rate.getAsDouble();
  }

  private static String text(JsonNode document, String field, String otherwise) {
    String text = RequestFields.string(document, field);
    return text == null ? otherwise : text;
  }
}
