package dev.reprise.examples;

import dev.reprise.core.http.RetryingHttpSender;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Retries an HTTP call. */
public final class RetryAnHttpCall {
  private RetryAnHttpCall() {}

  /** Gets a page from a server that fails twice. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (FlakyService service = FlakyService.answering(503, 502)) {
      HttpResponse<String> response = fetch(service.uri());
      System.out.println(
          response.statusCode() + " " + response.body() + " after " + service.requests());
    }
  }

  private static HttpResponse<String> fetch(URI uri) throws IOException, InterruptedException {
    // @start region=fetch
    RetryingHttpSender sender = RetryingHttpSender.of(HttpClient.newHttpClient());
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build();
    HttpResponse<String> response = sender.send(request, BodyHandlers.ofString());
    // @end
    return response;
  }
}
