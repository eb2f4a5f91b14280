package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {
  @Test
  void theFirstHelpIsAsReviewed() throws IOException {
    CommandRun.Result help = CommandRun.run("--help");

    assertThat(help.exitCode()).isZero();
    assertThat(help.err()).isEmpty();
    try (InputStream golden = HelpTest.class.getResourceAsStream("help.txt")) {
      assertThat(help.out())
          .isEqualTo(
              new String(Objects.requireNonNull(golden).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve",
        "demo",
        "topic",
        "topic create",
        "topic list",
        "topic show",
        "topic delete",
        "subscribe",
        "subscription",
        "subscription list",
        "subscription show",
        "subscription health",
        "subscription update",
        "subscription sign",
        "subscription check",
        "subscription delete",
        "carrier",
        "carrier create",
        "carrier list",
        "carrier show",
        "carrier update",
        "carrier test",
        "carrier bounced",
        "carrier delete",
        "cluster",
        "cluster show",
        "cluster skip",
        "health",
        "troubles",
        "secret-key",
        "key",
        "key list",
        "key create",
        "key revoke",
        "publish",
        "deliveries",
        "deliveries list",
        "deliveries show",
        "deliveries export",
        "dead-letters",
        "dead-letters list",
        "dead-letters purge",
        "redrive",
        "ledger",
        "apply",
        "export",
        "backup",
        "restore",
        "migrate",
        "device",
        "lab",
        "lab run",
        "lab compare",
        "lab sweep",
        "lab choose",
        "lab lint",
        "lab replay",
        "lab scenarios",
        "lab figures",
        "preview",
        "presets",
        "schema",
        "smithy",
        "completion",
        "version"
      })
  void everyCommandHasHelpWithAnExample(String command) {
    String[] args = (command + " --help").split(" ");

    CommandRun.Result help = CommandRun.run(args);

    assertThat(help.exitCode()).isZero();
    assertThat(help.out())
        .startsWith("Usage: reprise " + command)
        .contains("For example:\n")
        .contains("./reprise " + command);
    assertThat(help.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void whoeverSaysNothingIsHelped() {
    CommandRun.Result help = CommandRun.run();

    assertThat(help.exitCode()).isZero();
    assertThat(help.out()).isEqualTo(CommandRun.run("--help").out());
  }

  @Test
  void optionsThatACommandRefusesAreNotInItsHelp() {
    assertThat(CommandRun.run("preview", "--help").out())
        .contains("\nAs every command: --json, --help (");
    assertThat(CommandRun.run("topic", "list", "--help").out())
        .contains(
            "\n"
                + "As every command: --url, --api-key, --api-key-file, --api-ca, --project, --json,"
                + " --help");
  }

  @Test
  void aGroupListsItsCommandsUnderTheirHeading() {
    assertThat(CommandRun.run("deliveries", "--help").out())
        .contains("\nCommands:\n  list         List deliveries.\n  show         Show a delivery");
  }

  @Test
  void helpIsGivenWhereverItIsAskedFor() {
    assertThat(CommandRun.run("topic", "create", "orders", "-h").out())
        .isEqualTo(CommandRun.run("topic", "create", "--help").out());
  }

  @Test
  void noColourWithoutATerminalNorWhereItIsUnwanted() {
    assertThat(CommandRun.run("--help").out()).doesNotContain("\u001b");
    assertThat(new CommandRun().interactive().with("NO_COLOR", "1").execute("--help").out())
        .doesNotContain("\u001b");
    assertThat(new CommandRun().interactive().execute("--help").out()).contains("\u001b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh"})
  void completionKnowsTheCommands(String shell) {
    CommandRun.Result completion = CommandRun.run("completion", shell);

    assertThat(completion.exitCode()).isZero();
    assertThat(completion.out()).contains("dead-letters", "--key-field", "complete -F");
  }

  @Test
  void versionIsSaidBothWays() {
    assertThat(CommandRun.run("version").out()).startsWith("reprise ");
    assertThat(CommandRun.run("--version").out()).isEqualTo(CommandRun.run("version").out());
    assertThat(CommandRun.run("version", "--json").out()).startsWith("{\"version\":");
  }
}
