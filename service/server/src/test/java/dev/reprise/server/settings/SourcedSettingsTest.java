package dev.reprise.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourcedSettingsTest {
  @TempDir Path folder;

  private SettingsFile file(String name, String text) {
    try {
      return SettingsFile.read(Files.writeString(folder.resolve(name), text));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anOptionCountsBeforeAVariableAndThatBeforeTheFile() {
    SettingsFile file = file("a.yaml", "history: 1h\ngrace: 1s\ndrain: 2s\n");
    SourcedSettings sourced =
        SourcedSettings.of(
            Map.of(Settings.HISTORY, "3h"),
            Map.of("REPRISE_HISTORY", "2h", "REPRISE_GRACE", " 4s ", "REPRISE_PORT", ""),
            file);

    ServeSettings settings = sourced.settings();
    assertThat(settings.get(Settings.HISTORY)).isEqualTo(Duration.ofHours(3));
    assertThat(settings.get(Settings.GRACE)).isEqualTo(Duration.ofSeconds(4));
    assertThat(settings.drain()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.get(Settings.PORT)).isEqualTo(8080);
    assertThat(sourced.place(Settings.HISTORY)).isEqualTo("--history");
    assertThat(sourced.place(Settings.GRACE)).isEqualTo("REPRISE_GRACE");
    assertThat(sourced.place(Settings.DRAIN)).isEqualTo(file.path() + ", line 3");
    assertThat(sourced.place(Settings.PORT)).isEmpty();
  }

  @Test
  void anErrorNamesThePlaceOfTheValue() {
    SettingsFile file = file("a.yaml", "port: 80\nhistory: soon\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SourcedSettings.of(Map.of(), Map.of(), file))
        .withMessage(
            "history in %s, line 2 is soon: must be a span such as 30s, 10m or 72h", file.path());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SourcedSettings.of(Map.of(), Map.of("REPRISE_PORT", "http"), null))
        .withMessage("REPRISE_PORT is http: must be a number from 0 to 65535");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                SourcedSettings.of(
                    Map.of(Settings.DEV, "true"), Map.of("REPRISE_HOST", "0.0.0.0"), null))
        .withMessageStartingWith("REPRISE_HOST is 0.0.0.0: must be loopback");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a.yaml       | histroy: 1h              | histroy: there is no such setting; did you mean"
            + " history?",
        "a.yaml       | colour: red              | ./reprise serve --help lists all",
        "a.yaml       | port: {a: 1}             | port: must be a value, or a list of values",
        "a.yaml       | '- a'                    | must be lines such as history: 72h",
        "a.yaml       | 'port: [1'               | a.yaml, line 1, column ",
        "a.yaml       | 'new-key: true'          | new-key: there is no such setting",
        "a.properties | 'histroy = 1h'           | histroy: there is no such setting; did you mean"
            + " history?",
        "a.properties | 'port = \\u00'           | cannot be read",
      })
  void aWrongFileIsNamedWithTheReason(String name, String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> file(name, text))
        .withMessageStartingWith(folder.resolve(name).toString())
        .withMessageContaining(message);
  }

  @Test
  void whatIsGivenTwiceInAFileIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> file("a.properties", "port=1\ngrace=1s\nport=2\n"))
        .withMessageContaining("port: given twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> file("a.yaml", "port: 1\nport: 2\n"))
        .withMessageContaining("port");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> file("a.yaml", "port: 1\n---\nport: 2\n"))
        .withMessageContaining("several documents");
  }

  @Test
  void aFileThatIsNoneIsNamed() throws IOException {
    Path bytes = Files.write(folder.resolve("b.yaml"), "ä".getBytes(StandardCharsets.ISO_8859_1));
    for (Path path : List.of(folder, folder.resolve("nix.yaml"), bytes)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> SettingsFile.read(path))
          .withMessageStartingWith(path + ": ");
    }
  }

  @Test
  void bothFormsOfAFileHaveTheSameSettings() {
    String yaml =
        """
        # a comment
        data: store
        port: 8443
        dev: false
        allow: [10.20.0.0/16, "fd00::/8"]
        history: 0123h
        node:
        """;
    String properties =
        """
        # a comment
        data = store
        port=8443
        dev: false
        allow = 10.20.0.0/16, fd00::/8
        history 0123h
        node =
        """;
    for (SettingsFile file :
        List.of(
            file("a.yaml", yaml),
            file("a.properties", properties),
            file("b.yaml", "\ufeff" + yaml.replace("\n", "\r\n")),
            file("b.properties", "\ufeff" + properties.replace("\n", "\r\n")))) {
      ServeSettings settings = SourcedSettings.of(Map.of(), Map.of(), file).settings();
      assertThat(settings.data()).as("relative to the file").isEqualTo(folder.resolve("store"));
      assertThat(settings.get(Settings.PORT)).isEqualTo(8443);
      assertThat(settings.get(Settings.ALLOW)).containsExactly("10.20.0.0/16", "fd00::/8");
      assertThat(settings.get(Settings.HISTORY)).isEqualTo(Duration.ofHours(123));
      assertThat(settings.find(Settings.NODE)).isNull();
    }
    assertThat(SettingsFile.read(file("empty.yaml", "# nothing\n").path()).values()).isEmpty();
  }

  /** A service that is called reprise gives each container such variables. */
  @Test
  void whatKubernetesSaysOfItsServicesIsNoSetting() {
    Map<String, String> links =
        Map.of(
            "REPRISE_PORT", "tcp://10.96.0.1:8080",
            "REPRISE_SERVICE_HOST", "10.96.0.1",
            "REPRISE_SERVICE_PORT", "8080",
            "REPRISE_PORT_8080_TCP_ADDR", "10.96.0.1",
            "REPRISE_NODE_SERVICE_PORT_HTTP", "8080");

    ServeSettings settings = SourcedSettings.of(Map.of(), links, null).settings();

    assertThat(settings.get(Settings.PORT)).isEqualTo(8080);
    assertThat(SourcedSettings.misspelt(links)).isEmpty();
  }

  @Test
  void aVariableThatIsMisspeltIsTold() {
    assertThat(
            SourcedSettings.misspelt(
                Map.of(
                    "REPRISE_DEADLETTER_BYTES", "4G",
                    "REPRISE_KEY", "k",
                    "REPRISE_CA", "f",
                    "REPRISE_URL", "u",
                    "REPRISE_SMTP_PASSWORD", "p",
                    "REPRISE_DATA", "d")))
        .containsExactly(
            "REPRISE_DEADLETTER_BYTES is no setting, and has no effect; did you mean"
                + " REPRISE_DEAD_LETTER_BYTES?");
  }

  @Test
  void everySettingCanBeGivenInEachPlace() {
    Set<String> variables = new HashSet<>();
    for (Setting<?> setting : Settings.ALL) {
      assertThat(variables.add(setting.variable())).as(setting.variable()).isTrue();
      assertThat(setting.description()).as(setting.name()).endsWith(".");
      assertThat(Settings.named(setting.name())).contains(setting);
    }
    assertThat(variables).doesNotContain("REPRISE_SECRET_KEYS", "REPRISE_CONFIG");
  }
}
