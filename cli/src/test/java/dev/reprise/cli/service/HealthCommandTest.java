package dev.reprise.cli.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.server.serve.Service;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command for health checks: its words and exit codes. */
class HealthCommandTest {
  private HttpServer server;
  private volatile int status = 200;
  private volatile String body = "";

  @BeforeEach
  void listen() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            byte[] bytes = body.replace("PATH", exchange.getRequestURI().getPath()).getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private CommandRun.Result health(String... options) {
    String[] words = new String[options.length + 1];
    words[0] = "health";
    System.arraycopy(options, 0, words, 1, options.length);
    return new CommandRun()
        .with("REPRISE_URL", "http://127.0.0.1:" + server.getAddress().getPort())
        .execute(words);
  }

  @Test
  void aServiceIsReadyAndLive(@TempDir Path folder) {
    try (Service service = DevService.start(folder.resolve("data"))) {
      CommandRun asking = new CommandRun().with("REPRISE_URL", service.baseUrl());

      CommandRun.Result ready = asking.execute("health");
      CommandRun.Result live = asking.execute("health", "--live");

      assertThat(ready).isEqualTo(new CommandRun.Result(0, "ready\n", ""));
      assertThat(live).isEqualTo(new CommandRun.Result(0, "live\n", ""));
    }
  }

  @Test
  void aReasonAgainstItIsPrintedWithExitCode1() {
    status = 503;
    body = "{\"status\":\"not ready\",\"reason\":\"storage is full\\u001b[2J\"}";

    CommandRun.Result result = health();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .startsWith("reprise: not ready: storage is full")
        .doesNotContain("\u001b");
  }

  @Test
  void whatWaitsAlthoughItIsReadyIsAWarning() {
    body =
        "{\"status\":\"ready\",\"reason\":null,\"carriers\":{\"sms\":\"at fault\"},"
            + "\"standing\":[\"shard 3 takes nothing\"]}";

    CommandRun.Result result = health();

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo("ready\n");
    assertThat(result.err()).contains("sms: at fault").contains("shard 3 takes nothing");
  }

  @ParameterizedTest
  @CsvSource({"'',/health/ready", "--live,/health/live"})
  void eachQuestionHasItsPath(String option, String path) {
    body = "{\"status\":\"PATH\",\"reason\":null}";

    CommandRun.Result result = option.isEmpty() ? health("--json") : health(option, "--json");

    assertThat(result.out()).contains("\"" + path + "\"");
  }

  @ParameterizedTest
  @CsvSource({"200,<html>", "200,{}", "404,'{\"status\":\"live\"}'", "302,''"})
  void whateverElseAnswersIsNotAService(int answered, String text) {
    status = answered;
    body = text;

    CommandRun.Result result = health();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("answers, but not as a Reprise service does");
  }

  @Test
  void whereNothingListensTheExitCodeIs3() {
    assertThat(CommandRun.run("health").exitCode()).isEqualTo(3);
  }
}
