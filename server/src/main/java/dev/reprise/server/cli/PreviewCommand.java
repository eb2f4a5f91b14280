package dev.reprise.server.cli;

import dev.reprise.policy.DurationText;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.SchedulePreview;
import dev.reprise.server.cli.Table.Cell;
import dev.reprise.server.cli.Terminal.Style;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows every delay of a policy before it is used; needs no service. */
@Command(
    name = "preview",
    description = "Show every delay of a policy: when each retry comes, and what may surprise.",
    footer = {
      "  ./reprise preview notification-sms",
      "  ./reprise preview --lifetime 1h policy.json",
      "  ./reprise preview --json policy.json",
      "  echo '{\"numRetries\": 10, \"minDelayTarget\": 1, \"maxDelayTarget\": 60}' |"
          + " ./reprise preview -"
    })
final class PreviewCommand extends BaseCommand {
  @Parameters(paramLabel = "POLICY", description = "The policy: " + PolicyArgument.FORMS + ".")
  private String policy = "";

  @Option(
      names = "--lifetime",
      paramLabel = "SPAN",
      description = "How long a message is worth delivering, such as 1h: shows what fits.")
  private @Nullable String lifetime;

  @Override
  public Integer call() {
    PolicyArgument argument = PolicyArgument.of(policy, terminal());
    NotificationPolicy read = argument.read(PolicyDocuments::readAnyShape);
    SchedulePreview preview;
    try {
      preview = SchedulePreview.of(read, argument.name(), lifetimeSpan());
    } catch (PolicyException e) {
      throw Failure.wrongUsage("--" + e.getMessage());
    }
    if (!root().printedAsJson(preview.toJson())) {
      print(preview);
    }
    return ExitCode.DONE;
  }

  private @Nullable Duration lifetimeSpan() {
    if (lifetime == null) {
      return null;
    }
    Duration span = DurationText.read(lifetime);
    if (span == null) {
      throw wrongUsage("--lifetime is " + lifetime + ": must be a span such as 90s, 30m or 1h");
    }
    return span;
  }

  private void print(SchedulePreview preview) {
    Terminal terminal = terminal();
    terminal.line(
        terminal.styled(Words.safe(preview.name()), Style.BOLD)
            + ": "
            + Words.count(preview.attempts(), "attempt")
            + ", "
            + (preview.retries() == 0
                ? "no retries"
                : Words.count(preview.retries(), "retry")
                    + " within "
                    + Spans.exact(preview.totalDelayMillis())));
    if (preview.retries() > 0) {
      terminal.line("");
      table(preview).print(terminal, "  ");
      terminal.line("");
      new DelayChart(preview, terminal).print();
    }
    terminal.line("");
    for (String warning : preview.warnings()) {
      terminal.line("  " + terminal.styled("!", Style.WAITING) + " " + warning);
    }
  }

  private static Table table(SchedulePreview preview) {
    Table table = new Table(">RETRY", "STAGE", ">DELAY", ">TIMES", ">TOTAL DELAY");
    for (SchedulePreview.Row row : preview.rows()) {
      String retries =
          row.times() == 1
              ? String.valueOf(row.firstRetry())
              : row.firstRetry() + "-" + row.lastRetry();
      table.row(
          retries,
          row.stage().wireName(),
          Spans.exact(row.delayMillis()),
          row.times() == 1 ? "" : "x " + row.times(),
          new Cell(Spans.exact(row.cumulativeMillis()), Style.PLAIN));
    }
    return table;
  }
}
