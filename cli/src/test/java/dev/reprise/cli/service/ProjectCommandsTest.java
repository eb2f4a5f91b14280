package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.server.fixture.RunningService;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands of an operator whose service has keys and projects. */
@Tag("slow")
class ProjectCommandsTest {
  @TempDir private static Path folder;

  private static RunningService api;

  @BeforeAll
  static void start() {
    api = RunningService.withKeys(folder, "127.0.0.0/8");
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  private static CommandRun.Result run(String... args) {
    return new CommandRun()
        .with("REPRISE_URL", api.service.baseUrl())
        .with("REPRISE_KEY", api.service.firstKey().orElseThrow())
        .execute(args);
  }

  @Test
  void commandsManageProjectsAndKeys() {
    String name = "shop";
    assertThat(run("project", "create", name, "--quota", "topics=2", "--carrier", "*").exitCode())
        .isZero();
    assertThat(run("topic", "create", "orders", "--project", name).exitCode()).isZero();
    assertThat(run("topic", "show", "orders").exitCode()).isEqualTo(4);
    assertThat(run("project", "update", name, "--quota", "messageBytes=10").exitCode()).isZero();
    assertThat(run("project", "show", name).out()).contains("1 of 2").contains("at most 10");
    assertThat(run("project", "update", name, "--quota", "topics=none").exitCode()).isZero();
    assertThat(run("project", "list").out()).contains(name).doesNotContain("topics 2");
    assertThat(run("project", "update", name, "--quota", "topics=many").err())
        .contains("quotas.topics");

    String key =
        run("key", "create", "ci", "--project", name, "--scope", "publish", "--expires-in", "720h")
            .out()
            .strip();
    assertThat(key).startsWith("rk_");
    CommandRun.Result refused =
        new CommandRun()
            .with("REPRISE_URL", api.service.baseUrl())
            .with("REPRISE_KEY", key)
            .execute("topic", "list");
    assertThat(refused.exitCode()).isEqualTo(5);
    assertThat(refused.err()).contains("with scope read").contains("has publish");
    String id = key.substring(3, 15);
    assertThat(run("key", "list", "--project", name).out()).contains(id).contains("publish");
    assertThat(run("key", "rotate", id, "--overlap", "0s").out()).startsWith("rk_" + id);
    assertThat(run("key", "revoke", id).exitCode()).isZero();
    assertThat(run("audit", "--target", id).out())
        .contains("revokeKey")
        .contains("rotateKey")
        .contains("createKey");
    assertThat(run("project", "delete", name).err()).contains("has 1 topic");
    assertThat(run("topic", "list", "--project", "No").exitCode()).isEqualTo(2);
  }

  @Test
  void subscriptionsThatGetEverythingAreFlagged() {
    assertThat(run("project", "create", "all").exitCode()).isZero();
    for (String topic : new String[] {"a", "b", "c"}) {
      assertThat(run("topic", "create", topic, "--project", "all").exitCode()).isZero();
      assertThat(run("subscribe", topic, "http://127.0.0.1:9/", "--project", "all").exitCode())
          .isZero();
    }

    assertThat(run("subscription", "list", "--project", "all").out()).contains("catch-all");
  }

  @Test
  void theTopicOfOperatorEventsIsSubscribedTo() {
    CommandRun.Result done = run("subscribe", "reprise:operator", "http://127.0.0.1:9/");
    assertThat(done.exitCode()).as(done.toString()).isZero();

    CommandRun.Result shown = run("topic", "show", "reprise:operator");
    assertThat(shown.exitCode()).as(shown.toString()).isZero();
    assertThat(run("subscription", "list").out()).contains("reprise:operator");
  }
}
