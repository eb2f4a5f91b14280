package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.Cli;
import dev.reprise.cli.base.Reprise;
import dev.reprise.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class DemoCommandTest {
  /** Long, so that only the attempt that the endpoint leaves unanswered takes so long. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(15);

  @Test
  void tellsTheWholeStoryWithoutATerminal() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Terminal terminal = terminal(out);

    int exitCode =
        new CommandLine(new Reprise(terminal))
            .addSubcommand("demo", new DemoCommand(Cli::run, ATTEMPT_TIMEOUT))
            .execute("demo");
    terminal.flush();

    String story = out.toString(UTF_8);
    assertThat(exitCode).as(story).isZero();
    assertThat(story)
        .doesNotContain("\u001b")
        .containsSubsequence(
            "$ ./reprise topic create orders",
            "$ ./reprise subscribe orders http://127.0.0.1:",
            "$ ./reprise publish orders '{\"type\": \"order.created\"",
            "attempt 1  503 Service Unavailable",
            "the endpoint asked for 2 s",
            "attempt 2  timeout after 15 s",
            "attempt 3  204 No Content",
            "delivered",
            "the time-out took 15 s",
            "422 Unprocessable",
            "dead-lettered, not retryable",
            "$ ./reprise dead-letters list orders-1",
            "NOT_RETRYABLE",
            "1 dead letter redriven",
            "redriven",
            "204 No Content",
            "$ ./reprise ledger --verify",
            "total",
            "Verified: the store was counted",
            "What next:");
  }

  @Test
  void oneMessageReachesFiveKindsOfEndpoints() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Terminal terminal = terminal(out);

    int exitCode =
        new CommandLine(new Reprise(terminal))
            .addSubcommand("demo", new DemoCommand(Cli::run, ATTEMPT_TIMEOUT))
            .execute("demo", "--endpoints");
    terminal.flush();

    String story = out.toString(UTF_8);
    assertThat(exitCode).as(story).isZero();
    assertThat(story)
        .doesNotContain("\u001b", "demo-key")
        .containsSubsequence(
            "$ ./reprise carrier create relay --type smtp",
            "$ ./reprise carrier create account --type aws",
            "$ ./reprise carrier create smsc --type smpp",
            "$ ./reprise publish shipments",
            "The SMS centre does not answer",
            "pending",
            "carrier",
            "The SMS centre comes back:",
            "$ ./reprise deliveries show",
            "attempt 1  ",
            "delivered",
            "What has arrived:",
            "webhook: ",
            "phone: to +4915112345678: Order 1001 is on its way: JD0146",
            "mailbox: ",
            "queue: ",
            "$ ./reprise ledger");
  }

  @Test
  void usersGetItWithAShortTimeout() {
    CommandLine demo =
        Cli.tree(terminal(new ByteArrayOutputStream()), "demo").getSubcommands().get("demo");

    assertThat(demo.<DemoCommand>getCommand().attemptTimeout).isEqualTo(Duration.ofSeconds(4));
  }

  private static Terminal terminal(ByteArrayOutputStream out) {
    PrintStream printed = new PrintStream(out, false, UTF_8);
    return new Terminal(
        InputStream.nullInputStream(), printed, printed, false, false, false, 100, Map.of());
  }
}
