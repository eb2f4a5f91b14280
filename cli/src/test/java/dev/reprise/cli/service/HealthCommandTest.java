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
            + "\"standing\":[\"shard 3 takes nothing\"],\"clock\":\"the clock is ahead\"}";

    CommandRun.Result result = health();

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo("ready\n");
    assertThat(result.err())
        .contains("sms: at fault")
        .contains("shard 3 takes nothing")
        .contains("the clock is ahead");
  }

  @ParameterizedTest
  @CsvSource({"'',/health/ready,ready", "--live,/health/live,live"})
  void eachQuestionHasItsPath(String option, String path, String word) {
    body = "{\"status\":\"" + word + "\",\"reason\":\"asked at PATH\"}";

    CommandRun.Result result = option.isEmpty() ? health("--json") : health(option, "--json");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("\"asked at " + path + "\"");
  }

  @ParameterizedTest
  @CsvSource({
    "200,<html>",
    "200,{}",
    "404,'{\"status\":\"ready\"}'",
    "302,''",
    // The health of Quarkus, Spring Boot and others.
    "200,'{\"status\":\"UP\",\"checks\":[]}'",
    "503,'{\"status\":\"DOWN\",\"checks\":[]}'",
    // Words of Reprise that are no answer to this question.
    "200,'{\"status\":\"live\"}'",
    "200,'{\"status\":\"not ready\"}'",
    "503,'{\"status\":\"ready\"}'",
    "503,'{\"status\":\"failed\"}'",
  })
  void whateverElseAnswersIsNotAService(int answered, String text) {
    status = answered;
    body = text;

    CommandRun.Result result = health();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("answers, but not as a Reprise service does");
  }

  @ParameterizedTest
  @CsvSource({
    "407,<html>",
    "502,<html>",
    "503,''",
    "503,no healthy upstream",
    "504,'{\"message\":\"timeout\"}'",
  })
  void aGatewayBeforeTheServiceIsNamed(int answered, String text) {
    status = answered;
    body = text;
    String url = "http://127.0.0.1:" + server.getAddress().getPort();

    CommandRun.Result result = health();

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.err())
        .isEqualTo(
            "reprise: cannot reach "
                + url
                + ": a proxy or gateway answered "
                + answered
                + " in its place\n");
  }

  @ParameterizedTest
  @CsvSource({
    "407, asks for a user and password: write them as http://user:password@host:port",
    "502, 'that proxy, or a gateway behind it, answered 502 in its place'",
    "503, 'that proxy, or a gateway behind it, answered 503 in its place'",
    "504, 'that proxy, or a gateway behind it, answered 504 in its place'",
  })
  void aProxyThatDoesNotReachTheServiceIsNamed(int answered, String said) {
    status = answered;
    body = "<html>";
    String proxy = "127.0.0.1:" + server.getAddress().getPort();

    CommandRun.Result result =
        new CommandRun()
            .with("REPRISE_URL", "http://reprise.example")
            .with("http_proxy", proxy)
            .execute("health");

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.err()).contains("the proxy " + proxy + " of http_proxy").contains(said);
  }

  @Test
  void anErrorOfTheServiceItselfIsPrinted() {
    status = 503;
    body = "{\"error\":{\"code\":\"overloaded\",\"message\":\"too many requests\"}}";

    CommandRun.Result result = health();

    assertThat(result).isEqualTo(new CommandRun.Result(1, "", "reprise: too many requests\n"));
  }

  @Test
  void whereNothingListensTheExitCodeIs3() {
    assertThat(CommandRun.run("health").exitCode()).isEqualTo(3);
  }
}
