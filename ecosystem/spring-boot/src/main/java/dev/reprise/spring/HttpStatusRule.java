package dev.reprise.spring;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.classify.Verdict;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.http.RetryAfter;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClientResponseException;

/**
 * Reads an error response that {@code RestClient} or {@code RestTemplate} throws: what {@link
 * HttpFailure} says of its status. {@code Retry-After} is kept. Failures without a response have
 * the {@code IOException} as their cause, which the default rules know.
 */
final class HttpStatusRule implements FailureRule {
  @Override
  public Verdict apply(Throwable failure, Verdict soFar) {
    if (!(failure instanceof RestClientResponseException response)
        || HttpFailure.isSuccess(response.getStatusCode().value())) {
      return soFar;
    }
    HttpFailure http = HttpFailure.status(response.getStatusCode().value(), retryAfter(response));

    // The same request would get the same answer.
    if (http.isRetrySafe() == RetrySafety.NO) {
      return soFar;
    }

    Verdict verdict =
        http.isRetrySafe() == RetrySafety.YES
            ? soFar.yes(http.describe())
            : soFar.maybe(http.describe());
    verdict = http.isThrottle() ? verdict.withThrottle() : verdict;
    verdict = http.isTimeout() ? verdict.withTimeout() : verdict;
    return verdict.withRetryAfter(http.retryAfter());
  }

  private static @Nullable Duration retryAfter(RestClientResponseException response) {
    HttpHeaders headers = response.getResponseHeaders();
    return headers == null
        ? null
        : RetryAfter.longest(
            headers.getOrEmpty(HttpHeaders.RETRY_AFTER),
            headers.getFirst(HttpHeaders.DATE),
            Instant.now());
  }
}
