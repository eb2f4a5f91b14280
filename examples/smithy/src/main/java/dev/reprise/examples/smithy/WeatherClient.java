package dev.reprise.examples.smithy;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.retry.Retry;
import example.weather.errors.WeatherHttpErrors;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A client of the service in {@code model/weather.smithy}. The model's traits of an error decide
 * whether a call is retried, and {@code Retry-After} how long it waits. Thread-safe.
 */
public final class WeatherClient {
  private final HttpClient http;
  private final URI service;
  private final Retry writes;
  private final Retry reads;

  /**
   * Creates a client.
   *
   * @param http sends the requests
   * @param service where the service is, with a slash at its end
   * @param retry how often and how fast to try again; reads and writes share its budget
   */
  public WeatherClient(HttpClient http, URI service, Retry retry) {
    this.http = http;
    this.service = service;
    this.writes = retry;
    // An error that may have taken effect, such as StorageBusy, is no harm where nothing is
    // written.
    this.reads = retry.toBuilder().idempotent(true).build();
  }

  /**
   * Gets the forecast of a city, as JSON.
   *
   * @throws dev.reprise.smithy.runtime.HttpError what the service answered at last; its subclasses
   *     are the errors of the model
   * @throws IOException when there was no answer
   */
  public String forecast(String city) throws IOException {
    HttpRequest request = request(city, "forecast").GET().build();
    return reads.call(() -> send(request));
  }

  /**
   * Reports what the air's temperature is.
   *
   * @return the observation's id, as JSON
   * @throws IllegalArgumentException when {@code celsius} is no finite number
   * @throws dev.reprise.smithy.runtime.HttpError what the service answered at last
   * @throws IOException when there was no answer
   */
  public String reportObservation(String city, double celsius) throws IOException {
    if (!Double.isFinite(celsius)) {
      throw new IllegalArgumentException("celsius is " + celsius + ": must be a number");
    }
    HttpRequest request =
        request(city, "observations")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"celsius\":" + celsius + "}"))
            .build();
    return writes.call(() -> send(request));
  }

  private HttpRequest.Builder request(String city, String what) {
    // URLEncoder is meant for forms, where a space is a plus.
    String segment = URLEncoder.encode(city, StandardCharsets.UTF_8).replace("+", "%20");
    return HttpRequest.newBuilder(service.resolve("cities/" + segment + "/" + what))
        .timeout(Duration.ofSeconds(30));
  }

  /** Makes one attempt. */
  private String send(HttpRequest request) throws IOException {
    HttpResponse<byte[]> response;
    try {
      response = http.send(request, BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for " + request.uri());
    }
    if (HttpFailure.isSuccess(response.statusCode())) {
      return new String(response.body(), StandardCharsets.UTF_8);
    }
    throw WeatherHttpErrors.read(response.statusCode(), response.headers().map(), response.body());
  }
}
