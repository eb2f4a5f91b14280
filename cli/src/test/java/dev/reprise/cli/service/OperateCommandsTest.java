package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.server.serve.Service;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands that suspend, release, cancel and count, against a real service. */
class OperateCommandsTest {
  @TempDir private static Path folder;

  private static Service service;

  @BeforeAll
  static void start() {
    service = DevService.start(folder.resolve("data"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static CommandRun.Result run(String... args) {
    return new CommandRun().with("REPRISE_URL", service.baseUrl()).execute(args);
  }

  private static JsonNode json(String... args) {
    CommandRun.Result result = run(args);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return JsonMapper.shared().readTree(result.out());
  }

  /** Nobody listens there, and nothing is attempted while it is suspended. */
  private static String suspended(String topic) {
    run("topic", "create", topic);
    return json("subscribe", topic, "http://127.0.0.1:9/hook", "--suspended", "--json")
        .get("id")
        .asString();
  }

  @Test
  void holdsCountsCancelsAndReleases() {
    String id = suspended("orders");
    run("publish", "orders", "one");
    run("publish", "orders", "two");

    CommandRun.Result suspend =
        run("subscription", "suspend", id, "--reason", "move", "--max-age", "72h");
    assertThat(suspend.out())
        .startsWith("subscription " + id + " suspended: by creation since ")
        .contains("(move), holds 2 of at most 1000000; the first is dropped at ");
    assertThat(run("subscription", "show", id).out()).contains("suspended").contains("(move)");

    assertThat(run("deliveries", "cancel", id).exitCode()).isEqualTo(2);
    assertThat(run("deliveries", "cancel", id, "--all").out())
        .isEqualTo("2 pending deliveries cancelled\n");
    assertThat(run("dead-letters", "reasons", id).out()).contains("CANCELLED").contains("2");
    assertThat(json("dead-letters", "reasons", id, "--json").get("seen").asInt()).isEqualTo(2);
    assertThat(run("dead-letters", "reasons", id, "--reason", "attempts").err())
        .contains("No dead letters match.");
    assertThat(run("dead-letters", "list", id, "--text", "BY REQUEST").out())
        .contains("cancelled by request");

    assertThat(run("subscription", "release", id).out())
        .isEqualTo("subscription " + id + " released, with 0 pending deliveries\n");
    assertThat(run("ledger").out()).contains("MOVED");
  }

  @Test
  void aReleaseOfOneThatIsNotSuspendedSaysSo() {
    run("topic", "create", "running");
    String id =
        json("subscribe", "running", "http://127.0.0.1:9/hook", "--json").get("id").asString();

    assertThat(run("subscription", "release", id).out())
        .isEqualTo("subscription " + id + " is not suspended; it has 0 pending deliveries\n");
    assertThat(json("subscription", "release", id, "--json").get("id").asString()).isEqualTo(id);
  }

  @Test
  void redrivesIntoAnotherSubscription() {
    String from = suspended("failing");
    String to = suspended("other");
    run("publish", "failing", "one");
    run("deliveries", "cancel", from, "--all");

    assertThat(run("redrive", from, "--to", to, "--per-second", "1").exitCode()).isEqualTo(2);
    assertThat(run("redrive", from, "--to", to).out()).isEqualTo("1 dead letter redriven\n");
    assertThat(json("subscription", "show", to, "--json").at("/ledger/pending").asInt())
        .isEqualTo(1);
    assertThat(json("subscription", "show", from, "--json").at("/ledger/moved").asInt())
        .isEqualTo(1);
  }

  @Test
  void aSuspendedOneRefusesATest() {
    String id = suspended("quiet");
    CommandRun.Result refused = run("subscription", "test", id);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("is suspended: release it first");

    run("subscription", "release", id);
    CommandRun.Result sent = run("subscription", "test", id);
    assertThat(sent.out().strip()).hasSize(36);
    assertThat(sent.err()).contains("./reprise deliveries show " + sent.out().strip() + "@" + id);
  }
}
