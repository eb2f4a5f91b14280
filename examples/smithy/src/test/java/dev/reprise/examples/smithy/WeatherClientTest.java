package dev.reprise.examples.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.retry.Retry;
import dev.reprise.smithy.runtime.HttpError;
import dev.reprise.smithy.runtime.UnmodeledHttpError;
import dev.reprise.testkit.VirtualTime;
import example.weather.errors.City;
import example.weather.errors.NoSuchCity;
import example.weather.errors.ServiceUnavailable;
import example.weather.errors.StorageBusy;
import example.weather.errors.ThrottlingError;
import java.net.http.HttpClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client against a real server; only the waits between attempts take no time. */
class WeatherClientTest {
  private final VirtualTime time = new VirtualTime();
  private final WeatherService service = new WeatherService();
  private final WeatherClient client =
      new WeatherClient(
          HttpClient.newHttpClient(), service.uri(), Retry.builder().time(time).build());

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void aThrottledCallWaitsAtLeastWhatItWasAskedToAndSucceeds() throws Exception {
    service.fails(429, "ThrottlingError", "7", "{\"message\":\"slow down\"}");

    assertThat(client.forecast("oslo")).isEqualTo("{\"summary\":\"sunny\"}");

    assertThat(service.requests()).isEqualTo(2);
    assertThat(time.waits()).hasSize(1);
    assertThat(time.waits().get(0)).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aThrottleThatDoesNotEndIsThrownAtLastWithItsHint() {
    for (int i = 0; i < 3; i++) {
      service.fails(429, "ThrottlingError", "2", "{\"message\":\"slow down\"}");
    }

    ThrottlingError error =
        catchThrowableOfType(ThrottlingError.class, () -> client.forecast("oslo"));

    assertThat(error).hasMessage("slow down");
    assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(2));
    assertThat(error.isThrottle()).isTrue();
    assertThat(service.requests()).isEqualTo(3);
  }

  @Test
  void aCityThatIsNotThereIsToldAfterOneAttempt() {
    service.fails(
        404,
        "NoSuchCity",
        "{\"city\":\"osol\",\"similar\":[{\"name\":\"Oslo\",\"country\":\"NO\"}]}");

    NoSuchCity error = catchThrowableOfType(NoSuchCity.class, () -> client.forecast("osol"));

    assertThat(error.city()).isEqualTo("osol");
    assertThat(error.similar()).containsExactly(City.builder().name("Oslo").country("NO").build());
    assertThat(error.fault()).isEqualTo(ErrorFault.CLIENT);
    assertThat(error.isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(service.requests()).isEqualTo(1);
  }

  @Test
  void whatMayHaveTakenEffectIsRepeatedWhereNothingIsWritten() throws Exception {
    service.fails(500, "StorageBusy", "{\"message\":\"busy\"}");

    assertThat(client.forecast("oslo")).isEqualTo("{\"summary\":\"sunny\"}");
    assertThat(service.requests()).isEqualTo(2);
  }

  @Test
  void whatMayHaveTakenEffectIsNotRepeatedWhereSomethingIsWritten() {
    service.fails(500, "StorageBusy", "{\"message\":\"busy\"}");

    StorageBusy error =
        catchThrowableOfType(StorageBusy.class, () -> client.reportObservation("oslo", 4));

    assertThat(error).hasMessage("busy");
    assertThat(error.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    assertThat(service.requests()).isEqualTo(1);
  }

  @Test
  void whatTheModelCallsRetryableIsRepeatedWhateverIsWritten() throws Exception {
    service.fails(503, "ServiceUnavailable", "{}").fails(429, "ThrottlingError", "{}");

    assertThat(client.reportObservation("oslo", 4)).isEqualTo("{\"summary\":\"sunny\"}");
    assertThat(service.requests()).isEqualTo(3);
  }

  @Test
  void aCityMayHaveAnyName() throws Exception {
    client.forecast("New York/?..");

    assertThat(service.lastPath()).isEqualTo("/cities/New%20York%2F%3F../forecast");
  }

  @Test
  void anErrorIsKnownByItsNameInTheBodyToo() {
    for (int i = 0; i < 3; i++) {
      service.fails(503, "", "{\"__type\":\"example.weather#ServiceUnavailable\"}");
    }

    assertThat(
            catchThrowableOfType(ServiceUnavailable.class, () -> client.forecast("oslo"))
                .isRetrySafe())
        .isEqualTo(RetrySafety.YES);
  }

  @Test
  void anAnswerThatTheModelDoesNotKnowIsReadByItsStatus() throws Exception {
    service.fails(502, "", "<html>Bad Gateway</html>");
    assertThat(client.forecast("oslo")).isEqualTo("{\"summary\":\"sunny\"}");

    service.fails(403, "AccessDenied", "{\"message\":\"no\"}");
    HttpError error = catchThrowableOfType(HttpError.class, () -> client.forecast("oslo"));

    assertThat(error).isInstanceOf(UnmodeledHttpError.class);
    assertThat(error.httpStatus()).isEqualTo(403);
    assertThat(error.isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(service.requests()).isEqualTo(3);
  }
}
