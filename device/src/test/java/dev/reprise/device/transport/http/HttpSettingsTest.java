package dev.reprise.device.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSettingsTest {
  private static final HttpSettings.Builder BUILDER =
      HttpSettings.builder(URI.create("https://example.com/"));

  @Test
  void defaultsAreTheDocumentedOnes() {
    HttpSettings settings = HttpSettings.builder(URI.create("https://example.com/")).build();

    assertThat(settings.parallelRequests()).isEqualTo(1);
    assertThat(settings.requestTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    assertThat(settings.probe()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mqtt://example.com", "example.com", "http:/path", "https:example"})
  void addressOfAnotherKindIsRefused(String address) {
    assertThatThrownBy(() -> HttpSettings.builder(URI.create(address)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("uri is " + address + ": must be http or https, with a host");
    assertThatThrownBy(() -> BUILDER.probe(URI.create(address)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("probe is " + address + ": must be http or https, with a host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mqtt://device:pass@example.com", "http:device:p/a@ss@example.com"})
  void passwordInAnAddressThatIsRefusedIsNotTold(String address) {
    assertThatThrownBy(() -> HttpSettings.builder(URI.create(address)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "uri is (mqtt|http):\\*{3}@example.com: must be http or https, with a host");
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThatThrownBy(() -> BUILDER.parallelRequests(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("parallelRequests is 0: must be >= 1");
    for (Duration timeout : new Duration[] {Duration.ZERO, Duration.ofDays(2)}) {
      assertThatThrownBy(() -> BUILDER.requestTimeout(timeout))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("requestTimeout is " + timeout + ": must be PT0.001S to PT24H");
    }
  }
}
