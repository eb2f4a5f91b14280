package dev.reprise.examples;

import dev.reprise.core.http.RetryingHttpSender;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Comes back when the server asks for it. */
public final class HonourRetryAfter {
  private HonourRetryAfter() {}

  /** Gets a page from a server that asks to come back after a second. */
  public static void main(String[] args) throws IOException, InterruptedException {
    RecordingListener events = new RecordingListener();
    try (FlakyService service = FlakyService.answering(429)) {
      // @start region=hint
      Retry retry =
          Retry.builder()
              .strategy(StandardRetryStrategy.builder().hintCeiling(Duration.ofSeconds(30)).build())
              .listener(events)
              .build();
      RetryingHttpSender sender = RetryingHttpSender.of(HttpClient.newHttpClient(), retry);
      // @end
      HttpRequest request = HttpRequest.newBuilder(service.uri()).build();
      HttpResponse<String> response = sender.send(request, BodyHandlers.ofString());
      boolean asAsked = events.delays().get(0).compareTo(Duration.ofSeconds(1)) >= 0;
      System.out.println(response.statusCode() + (asAsked ? " as asked" : " too early"));
    }
  }
}
