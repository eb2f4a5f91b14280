package dev.reprise.server.api;

import dev.reprise.delivery.attempt.ReceiverChecks;
import dev.reprise.delivery.attempt.ReceiverFinding;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.server.document.ReceiverCheckDocument;
import dev.reprise.server.document.ReceiverCheckDocument.FindingDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.SubscriptionDescriptions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Checking whether the receivers of subscriptions do right. */
final class ReceiverOperations {
  /** The most checks at the same time: each has up to a message of 256 KB in memory. */
  static final int MAX_CHECKS = 8;

  private final ReceiverChecks checks;

  /** The numbers of the subscriptions whose receivers are being checked. */
  private final Set<Long> running = new HashSet<>();

  ReceiverOperations(ReceiverChecks checks) {
    this.checks = checks;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(
                Use.CHANGE,
                Place.KNOWN_SUBSCRIPTION,
                "POST",
                "/v1/subscriptions/{id}/check",
                Route.JSON,
                this::check)
            .described(SubscriptionDescriptions.CHECK_RECEIVER));
  }

  private CompletionStage<Answer> check(Call call) {
    call.query();
    call.object();
    Subscription subscription = call.catalog().subscription(call.path("id"));
    if (!subscription.settings().isUrl()) {
      throw new ConflictException(
          "protocol of subscription '"
              + subscription.id()
              + "' is "
              + subscription.settings().protocol().wireName()
              + ": must be http for its receiver to be checked");
    }
    begin(subscription);
    CompletionStage<List<ReceiverFinding>> findings;
    try {
      findings = checks.check(subscription);
    } catch (RuntimeException e) {
      end(subscription);
      throw e;
    }
    return findings
        .whenComplete((found, error) -> end(subscription))
        .thenApply(found -> Answer.json(200, document(found)));
  }

  private synchronized void begin(Subscription subscription) {
    if (running.contains(subscription.number())) {
      throw new ConflictException(
          "the receiver of subscription '"
              + subscription.id()
              + "' is being checked: wait until that has ended");
    }
    if (running.size() >= MAX_CHECKS) {
      throw new ApiException(
          ApiError.of(
                  503,
                  "overloaded",
                  MAX_CHECKS + " receivers are being checked, the most at the same time")
              .withHeader("Retry-After", "5"));
    }
    running.add(subscription.number());
  }

  private synchronized void end(Subscription subscription) {
    running.remove(subscription.number());
  }

  private static ReceiverCheckDocument document(List<ReceiverFinding> findings) {
    return ReceiverCheckDocument.of(
        findings.stream()
            .map(each -> new FindingDocument(each.check().wireName(), each.passed(), each.text()))
            .toList());
  }
}
