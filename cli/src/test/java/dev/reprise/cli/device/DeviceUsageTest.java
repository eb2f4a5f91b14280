package dev.reprise.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a command line that is wrong. */
class DeviceUsageTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mqtt://u:secret@localhost:99999 | URL is mqtt://***@localhost:99999: its port must be",
        "mqtt://u:secret@localhost:x | URL is mqtt://***@localhost:x: its port must be",
        "mqtt://u:se/cret@localhost | URL is mqtt://***@localhost: its port must be",
        "mqtt://u:se#cret@localhost | URL is mqtt://***@localhost: its port must be",
        "mqtt://u:sec ret@localhost | URL is mqtt://***@localhost: must be a URL such as",
        "mqtt://u:s@cret@local host | URL is mqtt://***@local host: must be a URL such as",
        "u:secret@localhost | URL is ***@localhost: must be a URL such as",
        "mqtt://u:secret@my_host | URL is mqtt://***@my_host: its port must be",
        "mqtt://u:secret@localhost?to=a/# | URL is mqtt://localhost?to=a/#: URI says #: must not",
        "mqtt://u:secret@localhost?too=a | URL is mqtt://localhost?too=a: URI says too=a: must be",
        "ftp://u:secret@localhost | URL is ftp://localhost: scheme is ftp: must be mqtt",
      })
  void noPasswordIsPrinted(String url, String message) {
    CommandRun.Result run = CommandRun.run("device", url);

    assertThat(run.err()).contains(message);
    assertThat(run.out() + run.err()).doesNotContain("cret");
    assertThat(run.exitCode()).isEqualTo(2);
  }

  @Test
  void noPasswordOfTheServiceIsPrinted() {
    CommandRun.Result run = CommandRun.run("topic", "list", "--url", "http://u:secret@localhost");

    assertThat(run.err()).contains("is http://***@localhost: must be a URL such as");
    assertThat(run.out() + run.err()).doesNotContain("secret");
  }

  @Test
  void aFolderThatCannotBeAQueueIsRefusedWithTheReason(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");

    assertThat(CommandRun.run("device", "mqtt://localhost", "--queue", file.toString()).err())
        .contains("--queue " + file + " cannot be used: ")
        .doesNotContain("cannot be used: " + file + "\n");
    assertThat(CommandRun.run("device", "mqtt://localhost", "--queue", "/proc/x").err())
        .contains("--queue /proc/x cannot be used: /proc/x cannot be made there");
  }
}
