package dev.reprise.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WrongUsageTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                                   | a command is missing: one of serve, demo",
        "publsh                               | there is no command publsh. Did you mean publish",
        "topic                                | one of create, list, show, delete",
        "topic creat                          | there is no command creat. Did you mean",
        "topic create                         | NAME",
        "topic create a b                     | one argument too many: b",
        "topic create a --polcy x             | there is no option --polcy. Did you mean --policy",
        "topic create a --policy nix          | nix is neither a file nor a preset",
        "topic create a --policy no/file.json | there is no file no/file.json",
        "topic show ..                        | \"..\" is not a name",
        "publish                              | TOPIC",
        "publish a b --file c                 | BODY and --file exclude each other",
        "publish a {                          | BODY is not JSON",
        "publish a b --attribute c            | --attribute is c: must be NAME=VALUE",
        "publish a b --attribute c=1 --attribute c=2 | --attribute c is given twice",
        "publish a b --key-field id           | --key-field is for lines",
        "publish a - --key k --key-field id   | --key and --key-field exclude each other",
        "publish a b --key ä                  | must be 1 to 256 visible ASCII characters",
        "deliveries list --limit 0            | --limit is 0: must be at least 1",
        "deliveries list --limit many         | many",
        "deliveries list --message a --subscription b | exclude each other",
        "dead-letters purge a                 | Give a filter, or --all",
        "dead-letters purge a --all --reason attempts | contradict each other",
        "redrive a --died-after yesterday     | --died-after is yesterday: must be a time such as",
        "redrive a --attributes {             | --attributes is not JSON",
        "subscription update a                | there is nothing to change",
        "subscription update a --lifetime 1h --reset lifetime | it is also given a value",
        "serve --port 70000                   | --port is 70000: must be between 0 and 65535",
        "serve --port http                    | http",
        "serve --attempt-timeout 1h              | --attempt-timeout is PT1H: must be between 100ms"
            + " and 10m",
        "serve --dev --host 0.0.0.0           | --host is 0.0.0.0: must be loopback",
        "serve --history soon                 | --history is soon: must be a span such as",
        "preview                              | POLICY",
        "preview notification-http --lifetime long | --lifetime is long: must be a span",
        "completion powershell                | powershell",
        "topic list --url example.com         | --url is example.com: must be a URL",
        "topic list --url ftp://example.com   | must be a URL such as http://127.0.0.1:8080",
        "topic list --url http://u:p@host     | must be a URL",
        "topic list --api-key-file no/key     | there is no file no/key",
      })
  void isToldInOneLineWithExitCode2(String commandLine, String message) {
    String[] args = commandLine.isBlank() ? new String[0] : commandLine.split(" ");

    CommandRun.Result result = CommandRun.run(args);

    assertThat(result.err()).startsWith("reprise: ").contains(message);
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.exitCode()).isEqualTo(2);
  }

  @Test
  void anUnreadableArgumentIsNotSentAsQuestionMarks() {
    CommandRun.Result result = CommandRun.run("publish", "orders", "caf\ufffd");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("LC_ALL=C.UTF-8");
  }

  @Test
  void somebodyAtATerminalIsAskedForABody() {
    CommandRun.Result result = new CommandRun().interactive().execute("publish", "orders");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("what is to be published?");
  }
}
