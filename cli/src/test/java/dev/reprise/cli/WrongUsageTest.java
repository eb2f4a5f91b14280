package dev.reprise.cli;

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
        "publsh                               | there is no command publsh. Did you mean publish",
        "publsh --help                        | there is no command publsh. Did you mean publish",
        "topic creat --help                   | there is no command creat. Did you mean",
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
        "deliveries list --every 1s           | --every is for --watch",
        "deliveries list --watch --every 1ms  | --every is 1ms: must be a span between 100ms",
        "dead-letters purge a                 | Give a filter, or --all",
        "dead-letters purge a --all --reason attempts | contradict each other",
        "dead-letters count a                 | there is no command count. Did you mean reasons?",
        "topic remove a                       | there is no command remove. Did you mean delete?",
        "redrive a --rate 5                   | there is no option --rate. Did you mean"
            + " --per-second?",
        "redrive a --died-after yesterday     | --died-after is yesterday: must be a time such as",
        "redrive a --attributes {             | --attributes is not JSON",
        "redrive a --dry-run --per-second 5   | --dry-run and --per-second exclude each other",
        "redrive a --reason foo               | --reason is foo: must be one of not_retryable, ",
        "topic list --api-key a --api-key-file b | --api-key and --api-key-file exclude each other",
        "preview no-retry --url http://x      | --url is for commands that ask a service",
        "completion bash --json               | --json is for commands that print data",
        "--api-key a version                  | --api-key is for commands that ask a service",
        "subscription update a                | there is nothing to change",
        "subscription update a --lifetime 1h --reset lifetime | it is also given a value",
        "serve --port 70000                   | --port is 70000: must be between 0 and 65535",
        "serve --port http                    | http",
        "serve --attempt-timeout 1h              | --attempt-timeout is 1h: must be between 100ms"
            + " and 10m",
        "serve --max-response-head 1M         | --max-response-head is 1M: must be between 1K and",
        "serve --max-response-head 1000       | --max-response-head is 1000: must be between 1K",
        "serve --max-connection-age 0s        | --max-connection-age is 0s: must be between 1s",
        "serve --max-connection-age 48h       | --max-connection-age is 48h: must be between 1s",
        "serve --dev --host 0.0.0.0           | --host is 0.0.0.0: must be loopback",
        "serve --cluster kafka --node-url http://a:1 | --cluster is kafka: must be HOST:PORT",
        "serve --cluster a:1,b --node-url http://a:1 | --cluster is a:1,b: must be HOST:PORT",
        "serve --cluster a:1 --node-url a:8080 | --node-url is a:8080: must be such as https://",
        "serve --public-url https://o:pass@h/ | --public-url is https://***@h/: must have no user",
        "serve --node-url https://o:pass@h/   | --node-url is https://***@h/: must be absent",
        "serve --cluster a:1 --node-url https://o:pass@h | --node-url is https://***@h: must be",
        "serve --cluster embedded --node-url https://o:pass@h --print-config | --node-url is"
            + " https://***@h: must be such as",
        "serve --cluster a:1 --clock-from-system --print-config | --clock-from-system and --cluster"
            + " exclude each other",
        "serve --cluster o:pass@h:1 --node-url http://a:1 | --cluster is ***@h:1: must be"
            + " HOST:PORT",
        "serve --cluster a:1 --port 0         | --node-url is absent: must be given",
        "serve --cluster a:1 --cluster-name a/b | --cluster-name is a/b: must be 1 to 100 letters",
        "serve --cluster a:1 --replication 0  | --replication is 0: must be between 1 and",
        "serve --node-ca x.pem                | --node-ca is x.pem: must be absent without"
            + " --cluster",
        "serve --node a                       | --node is a: must be absent without --cluster",
        "serve --history soon                 | --history is soon: must be a span such as",
        "serve --history-bytes much           | --history-bytes is much: must be a size such as",
        "serve --history-bytes 100K           | --history-bytes is 100K: must be at least 1M",
        "serve --store-bytes 100M             | --store-bytes is 100M: must be at least 512M",
        "serve --store-bytes 1.5G             | --store-bytes is 1.5G: must be a size such as",
        "backup                               | FILE",
        "restore x.tar                        | --data",
        "serve --dead-letter-retention 1s     | --dead-letter-retention is 1s: must be at least"
            + " 1m, or forever",
        "serve --hold-after 0                 | --hold-after is 0: must be a number from 1 to 100",
        "serve --store-bytes 99999999T        | --store-bytes is 99999999T: must be a size such as",
        "serve --log-format xml               | --log-format is xml: must be text or json",
        "serve --tls-key x.pem                | --tls-certificate is absent: must be given with",
        "serve --config nix.yaml              | nix.yaml: there is no such file",
        "serve --dev --new-key                | --new-key and --dev exclude each other",
        "preview                              | POLICY",
        "preview notification-http --lifetime long | --lifetime is long: must be a span",
        "device                               | URL",
        "device localhost:1883                | URL is localhost:1883: must be a URL such as"
            + " mqtt://",
        "device xmqtt://localhost             | scheme is xmqtt: must be mqtt, mqtts, ws",
        "device mqtt://localhost:abc          | its port must be between 1 and 65535",
        "device mqtt://localhost:70000        | its port must be between 1 and 65535",
        "device mqtt://localhost/a/path       | topics go into ?to=",
        "device mqtt://u:secret@localhost?x=1 | URL is mqtt://localhost?x=1: URI says x=1",
        "device mqtt://localhost --count 0    | --count is 0: must be between 1 and 10000",
        "device mqtt://localhost --count ten  | ten",
        "device mqtt://localhost --rate -1    | --rate is -1: must be between 0 and 10000",
        "device mqtt://localhost --rate NaN   | --rate is NaN: must be between 0 and 10000",
        "device mqtt://localhost --size -1    | --size is -1: must be between 0 and 1048576 bytes",
        "device mqtt://localhost --ramp 5     | --ramp is 5: must be a span such as",
        "device mqtt://localhost --duration 0s | --duration is 0 s: must be between 1 ms and 3650"
            + " d",
        "device mqtt://localhost --every 1ms  | --every is 1 ms: must be between 100 ms",
        "device mqtt://localhost --name a/b   | --name is a/b: must be 1 to 64 letters",
        "device mqtt://localhost --policy nix | nix is neither a file nor a preset",
        "device mqtts://localhost --ca no.pem | --ca: there is no file no.pem",
        "device mqtts://localhost --cert a.pem | --cert and --key belong together",
        "device http://localhost --topic a    | --topic is for MQTT and AMQP",
        "device mqtt://localhost?to=a --topic b | --topic and ?to= exclude each other",
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
