package dev.reprise.bench.service;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Requests of JSON to a service, some at the same time. All must succeed. */
final class ManyRequests implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final String url;
  private final int atOnce;
  private final Semaphore places;
  private final AtomicReference<String> refused = new AtomicReference<>();

  ManyRequests(String url, int atOnce) {
    this.url = url;
    this.atOnce = atOnce;
    this.places = new Semaphore(atOnce);
  }

  /** Sends a request as soon as there is a place for it. */
  void post(String path, String body) throws InterruptedException {
    places.acquire();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    var unused =
        client
            .sendAsync(request, BodyHandlers.ofString())
            .whenComplete(
                (answer, error) -> {
                  if (error != null) {
                    refused.set(path + ": " + error);
                  } else if (answer.statusCode() / 100 != 2) {
                    refused.set(path + ": " + answer.statusCode() + " " + answer.body());
                  }
                  places.release();
                });
  }

  /** Waits for the answers of all. */
  void await() throws IOException, InterruptedException {
    places.acquire(atOnce);
    places.release(atOnce);
    String problem = refused.get();
    if (problem != null) {
      throw new IOException(problem);
    }
  }

  @Override
  public void close() {
    places.acquireUninterruptibly(atOnce);
  }
}
