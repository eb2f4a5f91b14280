package dev.reprise.examples.smithy;

import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryEvent;
import example.weather.errors.NoSuchCity;
import example.weather.errors.StorageBusy;
import java.io.IOException;
import java.net.http.HttpClient;

/** Shows how a client handles each error of the model; see {@code examples/smithy/run}. */
public final class WeatherDemo {
  private WeatherDemo() {}

  /** Calls a service on this machine that fails in several ways. */
  public static void main(String[] args) throws IOException {
    try (WeatherService service = new WeatherService()) {
      Retry retry = Retry.builder().listener(WeatherDemo::tell).build();
      WeatherClient client = new WeatherClient(HttpClient.newHttpClient(), service.uri(), retry);

      System.out.println("throttled, and asked to wait a second:");
      service.fails(429, "ThrottlingError", "1", "{\"message\":\"slow down\"}");
      System.out.println("  " + client.forecast("oslo"));

      System.out.println("no such city, so a retry would be in vain:");
      service.fails(404, "NoSuchCity", "{\"city\":\"osol\",\"similar\":[{\"name\":\"Oslo\"}]}");
      try {
        client.forecast("osol");
      } catch (NoSuchCity e) {
        System.out.println("  no city " + e.city() + "; did you mean " + e.similar().get(0).name());
      }

      System.out.println("the storage is busy; a read is tried again:");
      service.fails(500, "StorageBusy", "{}");
      System.out.println("  " + client.forecast("oslo"));

      System.out.println("the storage is busy; what is written might be written twice:");
      service.fails(500, "StorageBusy", "{}");
      try {
        client.reportObservation("oslo", -3.5);
      } catch (StorageBusy e) {
        System.out.println("  safe to retry? " + e.isRetrySafe());
      }
    }
  }

  private static void tell(RetryEvent event) {
    if (event.failure() != null) {
      boolean again = event.kind() == RetryEvent.Kind.RETRY;
      System.out.println(
          "  attempt "
              + event.attempt()
              + " failed with "
              + event.failure().getClass().getSimpleName()
              + (again ? ", again in " + event.delay().toMillis() + " ms" : ", no other follows"));
    }
  }
}
