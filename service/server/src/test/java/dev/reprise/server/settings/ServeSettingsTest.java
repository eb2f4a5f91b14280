package dev.reprise.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.core.InvalidSettingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ServeSettingsTest {
  private static final Path FILE = Path.of("file");

  private static void refuses(UnaryOperator<ServeSettings> change, String message) {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> change.apply(ServeSettings.defaults()).checked())
        .withMessage(message);
  }

  @Test
  void theDefaultsAreAllowed() {
    ServeSettings settings = ServeSettings.in(FILE).checked();

    assertThat(settings.data()).isEqualTo(FILE.toAbsolutePath());
    assertThat(settings.get(Settings.PORT)).isEqualTo(8080);
    assertThat(settings.get(Settings.HISTORY)).isEqualTo(Duration.ofDays(3));
    assertThat(settings.get(Settings.DEAD_LETTER_RETENTION)).isEqualTo(Duration.ofDays(30));
    assertThat(settings.orZero(Settings.STORE_BYTES)).isZero();
    assertThat(settings.cluster()).isNull();
  }

  @Test
  void aValueOutOfRangeIsNamed() {
    refuses(s -> s.with(Settings.PORT, 70000), "port is 70000: must be between 0 and 65535");
    refuses(
        s -> s.with(Settings.DRAIN, Duration.ofMinutes(11)),
        "drain is 11m: must be between 0s and 10m");
    refuses(
        s -> s.with(Settings.IDLE_TIMEOUT, Duration.ZERO),
        "idle-timeout is 0s: must be between 1s and 24h");
    refuses(
        s -> s.with(Settings.HEAD_TIMEOUT, Duration.ofMinutes(11)),
        "head-timeout is 11m: must be between 1s and 10m");
    refuses(
        s -> s.with(Settings.MAX_CONNECTIONS, -1),
        "max-connections is -1: must be between 1 and 1000000, or 0");
  }

  @Test
  void settingsThatNeedEachOtherAreNamed() {
    refuses(
        s -> s.with(Settings.TLS_CERTIFICATE, FILE),
        "tls-key is absent: must be given with tls-certificate");
    refuses(
        s -> s.with(Settings.TLS_KEY, FILE),
        "tls-certificate is absent: must be given with tls-key");
    refuses(
        s -> s.with(Settings.DEV, true).with(Settings.HOST, "0.0.0.0"),
        "host is 0.0.0.0: must be loopback, such as 127.0.0.1: dev is for this machine only");
    refuses(
        s -> s.with(Settings.PUBLIC_URL, "https://host/v1/"),
        "public-url is https://host/v1/: must have a path that does not begin with /v1, which the"
            + " service has");
    refuses(s -> s.with(Settings.NODE, "a"), "node is a: must be absent without --cluster");
  }

  @Test
  void theUrlOfANodeIsCheckedBesideAnEmbeddedBrokerToo() {
    refuses(
        s -> s.with(Settings.CLUSTER, "embedded").with(Settings.NODE_URL, "https://o:pass@h"),
        "node-url is https://***@h: must be such as https://10.0.0.3:8080, without a path");
  }

  @Test
  void keysAreExposedWithoutTlsOnlyAndToOthersOnly() {
    assertThat(on("127.0.0.1").exposesKeys()).isFalse();
    assertThat(on("localhost").exposesKeys()).isFalse();
    assertThat(on("0.0.0.0").exposesKeys()).isTrue();
    ServeSettings tls = on("0.0.0.0").with(Settings.TLS_CERTIFICATE, FILE);
    assertThat(tls.with(Settings.TLS_KEY, FILE).exposesKeys()).isFalse();
  }

  private static ServeSettings on(String host) {
    return ServeSettings.defaults().with(Settings.HOST, host);
  }

  @Test
  void eachTextOfAValueIsReadAsTheSameValue() {
    List<List<?>> values =
        List.of(
            List.of(Settings.HOLD_AFTER, "never", "10"),
            List.of(Settings.DEAD_LETTER_RETENTION, "forever", "90m", "720h"),
            List.of(Settings.STORE_BYTES, "512M", "20G", "1T", "536870913"),
            List.of(Settings.GRACE, "0s", "1500ms"),
            List.of(Settings.DEV, "true", "false"),
            List.of(Settings.ALLOW, "10.0.0.0/8,fd00::/8"),
            List.of(Settings.DATA, "/var/lib/reprise"));
    for (List<?> row : values) {
      Setting<?> setting = (Setting<?>) row.get(0);
      for (Object text : row.subList(1, row.size())) {
        assertThat(ServeSettings.defaults().withText(setting, (String) text).text(setting))
            .as(setting + " " + text)
            .isEqualTo(text);
      }
    }
  }

  @Test
  void aNodeTakesWhatItIsNotGivenFromTheService() {
    ServeSettings node =
        ServeSettings.defaults()
            .with(Settings.CLUSTER, "kafka:9092")
            .with(Settings.NODE, "a")
            .with(Settings.HOST, "::1")
            .with(Settings.PORT, 8443);

    assertThat(node.cluster().url()).isEqualTo("http://[::1]:8443");
    assertThat(node.cluster().shards()).isEqualTo(16);
    assertThat(node.cluster().replication()).isEqualTo((short) 3);
    ServeSettings alone = node.with(Settings.CLUSTER, "embedded");
    assertThat(alone.cluster().shards()).isEqualTo(4);
    assertThat(alone.cluster().url()).isEmpty();
    assertThat(alone.with(Settings.NODE_URL, "http://h:1").cluster().url()).isEqualTo("http://h:1");
    assertThat(node.with(Settings.SHARDS, 64).cluster().shards()).isEqualTo(64);
  }
}
