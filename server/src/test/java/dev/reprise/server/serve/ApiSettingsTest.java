package dev.reprise.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiSettingsTest {
  private static final Path FILE = Path.of("file");

  @Test
  void settingsOutOfRangeAreNamed() {
    refuses(() -> new ApiSettings(-1, Duration.ZERO, null, null), "max-connections is -1: must be");
    refuses(
        () -> new ApiSettings(0, Duration.ofMinutes(11), null, null),
        "drain is PT11M: must be between 0s and 10m");
    refuses(
        () -> new ApiSettings(0, Duration.ZERO, FILE, null),
        "tls-key is absent: must be given with tls-certificate");
    refuses(
        () -> new ApiSettings(0, Duration.ZERO, null, FILE),
        "tls-certificate is absent: must be given with tls-key");
  }

  private static void refuses(Runnable making, String message) {
    assertThatIllegalArgumentException().isThrownBy(making::run).withMessageStartingWith(message);
  }

  @Test
  void keysAreExposedWithoutTlsOnlyAndToOthersOnly() {
    ApiSettings tls = new ApiSettings(0, Duration.ZERO, FILE, FILE);
    assertThat(on("127.0.0.1").exposesKeys()).isFalse();
    assertThat(on("localhost").exposesKeys()).isFalse();
    assertThat(on("0.0.0.0").exposesKeys()).isTrue();
    assertThat(on("0.0.0.0").withApi(tls).exposesKeys()).isFalse();
  }

  private static ServeSettings on(String host) {
    return new ServeSettings(
        FILE,
        host,
        0,
        false,
        List.of(),
        0,
        Duration.ofDays(1),
        Duration.ofSeconds(15),
        Duration.ZERO);
  }
}
