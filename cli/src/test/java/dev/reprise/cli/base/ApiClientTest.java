package dev.reprise.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.CommandRun;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command makes of the answers of a service, and of things that are none. */
class ApiClientTest {
  private HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger busyFor = new AtomicInteger();
  private volatile int status = 200;
  private volatile String body = "{}";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String sent =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(
                exchange.getRequestMethod()
                    + " "
                    + exchange.getRequestURI()
                    + " "
                    + exchange.getRequestHeaders().getFirst("Authorization")
                    + " "
                    + sent);
            boolean busy = busyFor.getAndDecrement() > 0;
            if (busy) {
              exchange.getResponseHeaders().set("Retry-After", "1");
            }
            byte[] bytes =
                (busy ? "{\"error\":{\"message\":\"overloaded\"}}" : body)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(busy ? 503 : status, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private CommandRun here() {
    return new CommandRun()
        .with("REPRISE_URL", "http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | 2 | no",
        "401 | 5 | no. No API key was given: export REPRISE_KEY=..., or use --api-key",
        "403 | 5 | no. No API key was given: export REPRISE_KEY=..., or use --api-key",
        "404 | 4 | no",
        "409 | 1 | no",
        "413 | 2 | no",
        "500 | 1 | no",
        "503 | 1 | no",
        "507 | 1 | no",
      })
  void anErrorBecomesOneLineAndAnExitCode(int status, int exitCode, String line) {
    this.status = status;
    body = "{\"error\":{\"code\":\"any\",\"message\":\"no\"}}";

    CommandRun.Result result = here().execute("topic", "show", "orders");

    assertThat(result.err()).isEqualTo("reprise: " + line + "\n");
    assertThat(result.exitCode()).isEqualTo(exitCode);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void everyBrokenRuleIsNamed() {
    status = 400;
    body =
        "{\"error\":{\"code\":\"invalid\",\"message\":\"2 rules are broken\",\"violations\":["
            + "{\"field\":\"format\",\"value\":\"xml\",\"rule\":\"must be raw or envelope\"},"
            + "{\"field\":\"maxInFlight\",\"value\":\"0\",\"rule\":\"must be at least 1\"}]}}";

    CommandRun.Result result = here().execute("subscribe", "orders", "http://x");

    assertThat(result.err())
        .isEqualTo(
            """
            reprise: 2 rules are broken:
              format is xml: must be raw or envelope
              maxInFlight is 0: must be at least 1
            """);
    assertThat(result.exitCode()).isEqualTo(2);
  }

  @Test
  void theKeyIsTheNearestThatWasGiven() {
    here().with("REPRISE_KEY", "from-environment").execute("topic", "show", "a");
    here()
        .with("REPRISE_KEY", "from-environment")
        .execute("topic", "show", "b", "--api-key", "from-option");

    assertThat(requests)
        .containsExactly(
            "GET /v1/topics/a Bearer from-environment ", "GET /v1/topics/b Bearer from-option ");
  }

  @Test
  void aWrongKeyIsToldApartFromNone() {
    status = 401;
    body = "{\"error\":{\"code\":\"unauthorized\",\"message\":\"this is not an API key\"}}";

    CommandRun.Result result = here().with("REPRISE_KEY", "old").execute("topic", "list");

    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.err()).isEqualTo("reprise: this is not an API key\n");
  }

  @Test
  void namesAreEscaped() {
    here().execute("topic", "show", "a/b c?");

    assertThat(requests).containsExactly("GET /v1/topics/a%2Fb%20c%3F null ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/reprise", "/reprise/", "/reprise//"})
  void aProxyMayTakeAPathAway(String path) {
    body = "{\"status\":\"ready\",\"items\":[],\"name\":\"a\",\"next\":null}";
    CommandRun behind =
        new CommandRun()
            .with("REPRISE_URL", "http://127.0.0.1:" + server.getAddress().getPort() + path);

    behind.execute("topic", "list");
    behind.execute("topic", "create", "a");
    behind.execute("health");

    assertThat(requests).hasSize(3);
    assertThat(requests.get(0)).startsWith("GET /reprise/v1/topics");
    assertThat(requests.get(1)).startsWith("PUT /reprise/v1/topics/a ");
    assertThat(requests.get(2)).startsWith("GET /reprise/health/ready ");
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 401, 404, 503})
  void aRefusalOfSomethingElseIsNoneOfReprise(int status) {
    this.status = status;
    body = "<html>nothing here</html>";

    CommandRun.Result result = here().execute("topic", "show", "orders");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .contains("answered " + status + ", but not as a Reprise service does: check --url");
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>", "{}", "[]", ""})
  void whateverElseListensIsRecognised(String body) {
    this.body = body;

    CommandRun.Result result = here().execute("topic", "list");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("answers, but not as a Reprise service does");
  }

  @Test
  void updatesAreSentAsPatch() {
    body = "{\"id\":\"a-1\"}";

    CommandRun.Result result =
        here()
            .execute("subscription", "update", "a-1", "--max-in-flight", "8", "--reset", "policy");

    assertThat(result.exitCode()).isZero();
    assertThat(requests)
        .containsExactly("POST /v1/subscriptions/a-1 null {\"maxInFlight\":8,\"policy\":null}");
  }

  @Test
  void whyAnEndpointGetsNoMorePlacesIsShown() {
    String health = "{\"inFlight\":4,\"limit\":4,\"maxInFlight\":64,\"limitReason\":\"%s\"}";
    body =
        "{\"id\":\"a-1\",\"endpoint\":\"http://x/\",\"health\":"
            + health.formatted("throughput")
            + "}";
    assertThat(here().execute("subscription", "show", "a-1").out())
        .contains("4 of 4 now, of 64 at most (more places brought no more answers a second)");

    body =
        "{\"id\":\"a-1\",\"endpoint\":\"http://x/\",\"health\":"
            + health.formatted("moonlight")
            + "}";
    assertThat(here().execute("subscription", "show", "a-1").out())
        .contains("of 64 at most (moonlight)");
  }

  @Test
  void whatTheShardDoesNotTellIsNotShownAsZero() {
    body = "{\"id\":\"a-1\",\"endpoint\":\"http://x/\",\"health\":null}";

    assertThat(here().execute("subscription", "show", "a-1").out())
        .contains("in flight  ", "not known: the shard does not answer")
        .doesNotContain("0 of 0");
  }

  @Test
  void whatAnEndpointAnsweredCannotSteerTheTerminal() {
    body = "{\"items\":[{\"name\":\"\\u001b[2Jorders\\u202e\"}],\"next\":null}";

    assertThat(here().execute("topic", "list").out())
        .contains("\\u001b[2Jorders\\u202e")
        .doesNotContain("\u001b", "\u202e");
  }

  @Test
  @Tag("slow")
  void linesWaitForABusyService() {
    busyFor.set(1);
    body = "{\"items\":[{\"messageId\":\"m\",\"deliveries\":1,\"repeated\":false}]}";

    CommandRun.Result result = here().input("{}\n").execute("publish", "orders", "-");

    assertThat(result.exitCode()).isZero();
    assertThat(requests).hasSize(2);
  }

  @Test
  @Tag("slow")
  void linesBeyondAQuotaGoAgainAndOnlyThose() {
    String taken = "{\"messageId\":\"m\",\"deliveries\":1,\"repeated\":false}";
    String beyond = "{\"error\":{\"code\":\"quota_exceeded\",\"message\":\"quota\"}}";
    body = "{\"items\":[" + taken + "," + beyond + "]}";

    CommandRun.Result result = here().input("1\n2\n3\n").execute("publish", "orders", "-");

    // The third has no answer: it is refused at once. The second is taken the second time.
    assertThat(result.err()).contains("line 3:").doesNotContain("line 2:");
    assertThat(requests).hasSize(2);
    assertThat(requests.get(1)).contains("2").doesNotContain("\"body\":1", "\"body\":3");
  }

  @Test
  void linesThatWerePublishedBeforeAFailureAreTold() {
    status = 404;
    body = "{\"error\":{\"message\":\"there is no topic orders\"}}";

    CommandRun.Result result = here().input("1\n2\n").execute("publish", "orders", "-");

    assertThat(result.exitCode()).isEqualTo(4);
    assertThat(result.err())
        .isEqualTo(
            "reprise: there is no topic orders; 0 messages published, 0 failed, up to line 0\n");
  }

  @Test
  void nobodyListens() throws IOException {
    try (RefusingPort port = RefusingPort.take()) {
      String url = "http://127.0.0.1:" + port.number();

      CommandRun.Result result = CommandRun.run("topic", "list", "--url", url);

      assertThat(result.exitCode()).isEqualTo(3);
      assertThat(result.err())
          .isEqualTo(
              "reprise: cannot reach "
                  + url
                  + ": is the service running? Start it with ./reprise serve --dev\n");
    }
  }
}
