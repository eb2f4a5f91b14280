package dev.reprise.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.server.settings.Setting;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PrintedSettingsTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path folder;

  private static CommandRun.Result printed(CommandRun command, String... options) {
    String[] args = new String[options.length + 2];
    args[0] = "serve";
    args[1] = "--print-config";
    System.arraycopy(options, 0, args, 2, options.length);
    CommandRun.Result result = command.execute(args);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  @Test
  void eachValueIsShownWithItsPlace() throws IOException {
    Path file = Files.writeString(folder.resolve("a.yaml"), "\nhistory: 1h\ndev: true\n");
    CommandRun command =
        new CommandRun().with("REPRISE_GRACE", "90s").with("REPRISE_CONFIG", file.toString());

    String out = printed(command, "--port", "0", "--no-dev", "--allow", "10.0.0.1").out();

    assertThat(out.lines().map(line -> line.replaceAll(" +", " ")))
        .contains(
            "port: 0 # --port",
            "dev: false # --dev",
            "grace: 90s # REPRISE_GRACE",
            "history: 1h # " + file + ", line 2",
            "attempt-timeout: 15s # default",
            "allow: [\"10.0.0.1\"] # --allow",
            "# store-bytes: # default: no bound but the disk");
  }

  /** Values that YAML takes for something else, or for a part of its own form. */
  @Test
  void whatIsPrintedIsAFileWithTheSameSettings() throws IOException {
    List<String> options =
        List.of(
            "--data=" + folder.resolve("a: b #c"),
            "--host=no",
            "--allow=10.0.0.0/8",
            "--allow=fd00::/8",
            "--hold-after=never",
            "--dead-letter-retention=forever",
            "--history-bytes=1048577",
            "--grace=1500ms",
            "--cluster=kafka-1:9092,[::1]:9092",
            "--node=1e3",
            "--node-url=https://10.0.0.3:8080",
            "--cluster-name=null",
            "--log-attempts");
    CommandRun.Result first = printed(new CommandRun(), options.toArray(String[]::new));
    Path file = Files.writeString(folder.resolve("printed.yaml"), first.out());

    JsonNode before =
        JSON.readTree(
            printed(new CommandRun(), with(options, "--json").toArray(String[]::new)).out());
    JsonNode after =
        JSON.readTree(printed(new CommandRun(), "--config", file.toString(), "--json").out());

    assertThat(after.path("settings")).hasSameSizeAs(Settings.ALL);
    for (int i = 0; i < Settings.ALL.size(); i++) {
      Setting<?> setting = Settings.ALL.get(i);
      JsonNode value = after.path("settings").get(i);
      assertThat(value.path("name").asString()).isEqualTo(setting.name());
      assertThat(value.path("variable").asString()).isEqualTo(setting.variable());
      assertThat(value.path("value"))
          .as(setting.name())
          .isEqualTo(before.path("settings").get(i).path("value"));
    }
  }

  private static List<String> with(List<String> options, String more) {
    List<String> all = new ArrayList<>(options);
    all.add(more);
    return all;
  }

  @Test
  void aMisspeltVariableIsWarnedOf() {
    CommandRun.Result result =
        printed(new CommandRun().with("REPRISE_HISTROY", "1h").with("REPRISE_PORT", "tcp://a:1"));

    assertThat(result.err()).contains("REPRISE_HISTROY", "did you mean REPRISE_HISTORY?");
    assertThat(result.out()).contains("port: 8080 ");
  }
}
