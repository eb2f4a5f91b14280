package dev.reprise.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class DemoCommandTest {
  @Test
  void tellsTheWholeStoryWithoutATerminal() {
    CommandRun.Result demo = new CommandRun().execute("demo");

    assertThat(demo.exitCode()).as(demo.err()).isZero();
    assertThat(demo.out())
        .doesNotContain("\u001b")
        .containsSubsequence(
            "$ ./reprise topic create orders",
            "$ ./reprise subscribe orders http://127.0.0.1:",
            "$ ./reprise publish orders '{\"type\": \"order.created\"",
            "attempt 1  503 Service Unavailable",
            "the endpoint asked for 2 s",
            "attempt 2  timeout after 4 s",
            "attempt 3  204 No Content",
            "delivered",
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
}
