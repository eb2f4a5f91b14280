package dev.reprise.examples;

import dev.reprise.core.http.RetryingHttpSender;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Retries without a thread that waits. */
public final class CallAsynchronously {
  private CallAsynchronously() {}

  /** Gets three pages at once from a server that fails twice. */
  public static void main(String[] args) {
    try (FlakyService service = FlakyService.answering(503, 503)) {
      CompletableFuture<?>[] pages =
          IntStream.range(0, 3)
              .mapToObj(i -> fetch(HttpClient.newHttpClient(), service.uri()))
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(pages).join();
      System.out.println(pages[0].join() + " after " + service.requests());
    }
  }

  private static CompletableFuture<String> fetch(HttpClient client, URI uri) {
    // @start region=async
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    CompletableFuture<HttpResponse<String>> response =
        RetryingHttpSender.of(client).sendAsync(request, BodyHandlers.ofString());
    CompletableFuture<String> page = response.thenApply(HttpResponse::body);
    // response.cancel(true) ends the request under way, or the wait for the next
    // @end
    return page;
  }
}
