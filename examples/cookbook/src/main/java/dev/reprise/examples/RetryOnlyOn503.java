package dev.reprise.examples;

import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Retries one status and nothing else. */
public final class RetryOnlyOn503 {
  private RetryOnlyOn503() {}

  /** Gets a page from a server that answers 503, then 500. */
  public static void main(String[] args) throws Exception {
    try (FlakyService service = FlakyService.answering(503, 500)) {
      HttpResponse<String> response = fetch(HttpClient.newHttpClient(), service.uri());
      System.out.println(response.statusCode() + " after " + service.requests());
    }
  }

  private static HttpResponse<String> fetch(HttpClient client, URI uri) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    // @start region=only-503
    Classifier onlyResults = Classifier.of(); // knows no exception
    Retry retry =
        Retry.builder()
            .strategy(StandardRetryStrategy.builder().classifier(onlyResults).build())
            .retryOnResult(HttpResponse.class, response -> response.statusCode() == 503)
            .build();
    HttpResponse<String> response = retry.call(() -> client.send(request, BodyHandlers.ofString()));
    // @end
    return response;
  }
}
