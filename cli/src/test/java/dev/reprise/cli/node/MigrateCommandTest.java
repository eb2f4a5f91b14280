package dev.reprise.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cluster.broker.EmbeddedBroker;
import dev.reprise.server.serve.Service;
import dev.reprise.testkit.RefusingPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Moving the folder of a service into clusters of one broker. */
@Tag("slow")
class MigrateCommandTest {
  @TempDir private static Path brokerFolder;
  private static EmbeddedBroker broker;

  @TempDir Path temp;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.start(brokerFolder);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  /** Makes a folder with one delivery that waits, and a carrier whose password is encrypted. */
  private Path folder(String name) {
    Path data = temp.resolve(name);
    Service service = DevService.start(data);
    try {
      for (String command :
          new String[] {
            "topic create orders",
            "subscribe orders http://127.0.0.1:9/hook --suspended --http {\"token\":\"hidden\"}",
            "publish orders one"
          }) {
        CommandRun.Result result =
            new CommandRun().with("REPRISE_URL", service.baseUrl()).execute(command.split(" "));
        assertThat(result.exitCode()).as(result.err()).isZero();
      }
    } finally {
      service.close();
    }
    return data;
  }

  private static CommandRun.Result migrate(Path data, String name, String... more) {
    String[] args = {
      "migrate",
      "--data",
      data.toString(),
      "--cluster",
      broker.address(),
      "--cluster-name",
      name,
      "--replication",
      "1"
    };
    String[] all = Arrays.copyOf(args, args.length + more.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return CommandRun.run(all);
  }

  @Test
  void tells_what_was_moved_and_what_the_operator_has_to_do() {
    Path data = folder("data");

    CommandRun.Result moved = migrate(data, "first");

    assertThat(moved.exitCode()).as(moved.err()).isZero();
    assertThat(moved.out())
        .contains("Copied ")
        .contains(" GB/s)")
        .contains("compared all ")
        .contains("Migrated " + data + " into cluster 'first'")
        .contains(
            "1 shard, 1 topic, 1 subscription, 1 pending delivery, 0 dead letters,"
                + " 1 accepted delivery; the ledger is balanced.");
    assertThat(moved.err())
        .contains("--secret-keys")
        .contains("orders-1, are encrypted under key 'dev'")
        .contains("dev-secret-key")
        .contains("--cluster " + broker.address() + " --cluster-name first");

    CommandRun.Result again = migrate(data, "first", "--json");

    assertThat(again.exitCode()).as(again.err()).isZero();
    JsonNode document = JsonMapper.shared().readTree(again.out());
    assertThat(document.get("before").asBoolean()).isTrue();
    assertThat(document.get("pending").asInt()).isEqualTo(1);

    CommandRun.Result other = migrate(folder("other"), "first");

    assertThat(other.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(other.err())
        .startsWith("reprise: cluster 'first' is not empty: another data folder was migrated")
        .contains("choose another name with --cluster-name")
        .contains("first.in, first.shards, first.catalog, first.events");
  }

  @Test
  void a_folder_without_a_store_is_refused_and_not_touched() throws Exception {
    CommandRun.Result absent = migrate(temp.resolve("absent"), "second");

    assertThat(absent.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(absent.err())
        .isEqualTo(
            "reprise: " + temp.resolve("absent") + " is no data folder: there is no store in it\n");
    assertThat(temp.resolve("absent")).doesNotExist();

    Path papers = Files.createDirectory(temp.resolve("papers"));
    Files.writeString(papers.resolve("letter"), "dear");
    assertThat(migrate(papers, "second").err()).contains("is no data folder");
    assertThat(papers.toFile().list()).containsExactly("letter");
  }

  @Test
  void a_folder_that_a_service_has_is_refused() {
    Path data = temp.resolve("data");
    Service service = DevService.start(data);
    try {
      assertThat(migrate(data, "third").err()).contains("is in use by this very process");
    } finally {
      service.close();
    }
  }

  @Test
  void brokers_that_do_not_answer_leave_the_folder_as_it_was() throws Exception {
    Path data = folder("data");
    try (RefusingPort nobody = RefusingPort.take()) {
      CommandRun.Result result =
          CommandRun.run(
              "migrate", "--data", "" + data, "--cluster", "127.0.0.1:" + nobody.number());

      assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(result.err()).contains("none of the brokers has answered within 10 s");
    }
    DevService.start(data).close();
  }

  @Test
  void options_that_make_no_sense_are_wrong_usage() {
    assertThat(CommandRun.run("migrate", "--data", "d", "--cluster", "embedded").err())
        .contains("--cluster is embedded: must be HOST:PORT,...");
    assertThat(migrate(temp, "a.b").err()).contains("--cluster-name is a.b: must be 1 to 100");
    assertThat(migrate(temp, "a.b").exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
  }
}
