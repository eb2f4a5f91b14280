package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.server.fixture.WebhookReceiver;
import dev.reprise.server.fixture.WebhookReceiver.Fault;
import dev.reprise.server.serve.Service;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** {@code subscription check}, against a real service and real receivers. */
class ReceiverCheckCommandTest {
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

  private static String signed(WebhookReceiver receiver) {
    run("topic", "create", "orders");
    String id =
        JsonMapper.shared()
            .readTree(run("subscribe", "orders", receiver.url(), "--json").out())
            .get("id")
            .asString();
    receiver.verifyBy(run("subscription", "sign", id).out().strip());
    return id;
  }

  @Test
  void aReceiverThatDoesRightEndsWithZero() {
    try (WebhookReceiver receiver = new WebhookReceiver()) {
      CommandRun.Result result = run("subscription", "check", signed(receiver));

      assertThat(result.exitCode()).as(result.err()).isZero();
      assertThat(result.out().lines().map(line -> line.split(" +", 3)[0]))
          .containsExactly(
              "CHECK", "accepted", "signature", "timestamp", "repetition", "timeout", "body");
      assertThat(result.out()).doesNotContain("FAILED");
      assertThat(result.err()).contains("6 passed, 0 failed, 0 not checked");
    }
  }

  @Test
  void aReceiverThatDoesWrongEndsWithOne() {
    try (WebhookReceiver receiver = new WebhookReceiver(Fault.IGNORES_TIMESTAMPS)) {
      String id = signed(receiver);
      CommandRun.Result result = run("subscription", "check", id);

      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern("timestamp +FAILED +A message that was signed an hour ago was not");
      CommandRun.Result json = run("subscription", "check", id, "--json");
      assertThat(json.exitCode()).isEqualTo(1);
      assertThat(JsonMapper.shared().readTree(json.out()).get("failed").intValue()).isEqualTo(1);
    }
  }

  @Test
  void oneThatIsNotThereIsNotFound() {
    assertThat(run("subscription", "check", "orders-99").exitCode()).isEqualTo(4);
  }
}
