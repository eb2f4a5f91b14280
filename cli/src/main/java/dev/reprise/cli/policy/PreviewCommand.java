package dev.reprise.cli.policy;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.cli.terminal.DelayChart;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.fleet.OutageForecast;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.document.DurationText;
import dev.reprise.policy.document.Violation;
import dev.reprise.policy.preview.DelaySpan;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.server.document.OutageDocument;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Shows every delay of a policy before it is used; needs no service. */
@Command(
    name = "preview",
    description = "Show every delay of a policy: when each retry comes, and warnings.",
    footer = {
      "  ./reprise preview notification-sms",
      "  ./reprise preview azure-iot",
      "  ./reprise preview --lifetime 1h policy.json",
      "  ./reprise preview --json policy.json",
      "  ./reprise preview --outage 30m --rate 20/s notification-http",
      "  echo '{\"numRetries\": 10, \"minDelayTarget\": 1, \"maxDelayTarget\": 60}' |"
          + " ./reprise preview -"
    })
public final class PreviewCommand extends BaseCommand {
  @Parameters(paramLabel = "POLICY", description = "The policy: " + PolicyArgument.FORMS + ".")
  private String policy = "";

  @Option(
      names = "--lifetime",
      paramLabel = "SPAN",
      description = "How long a message is worth delivering, such as 1h: shows what fits.")
  private @Nullable String lifetime;

  @Option(
      names = "--outage",
      paramLabel = "SPAN",
      description = "Also show the effect of an outage of the endpoint, such as 30m.")
  private @Nullable String outage;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      defaultValue = "10/s",
      description = "Messages published in such an outage (default: 10/s).")
  private String rate = "10/s";

  @Override
  public Integer call() {
    PolicyArgument argument = PolicyArgument.of(policy, terminal());
    Policy read = argument.read(PolicyDocuments::read);
    SchedulePreview preview;
    try {
      preview = SchedulePreview.of(read, argument.name(), lifetimeSpan());
    } catch (PolicyException e) {
      Violation refused = e.violations().get(0);
      throw wrongOption(refused.path(), refused.value(), refused.rule());
    }
    OutageForecast forecast = forecast(read);
    ObjectNode json = preview.toJson();
    if (forecast != null) {
      json.set("outage", OutageDocument.of(forecast));
    }
    if (!root().printedAsJson(json)) {
      print(preview);
      if (forecast != null) {
        terminal().line("");
        OutageDocument.sentences(forecast).forEach(each -> terminal().line("  " + each));
      }
    }
    PolicyDocuments.ignored(argument.text()).forEach(terminal()::warning);
    return ExitCode.DONE;
  }

  private @Nullable Duration lifetimeSpan() {
    return lifetime == null ? null : span("--lifetime", lifetime);
  }

  private Duration span(String option, String text) {
    Duration span = DurationText.read(text);
    if (span == null) {
      throw wrongUsage(option + " is " + text + ": must be a span such as 90s, 30m or 1h");
    }
    return span;
  }

  private @Nullable OutageForecast forecast(Policy policy) {
    if (outage == null) {
      return null;
    }
    OptionalDouble perSecond = RateText.read(rate);
    if (perSecond.isEmpty()) {
      throw wrongUsage("--rate is " + rate + ": " + RateText.RULE);
    }
    try {
      return OutageForecast.of(policy, span("--outage", outage), perSecond.getAsDouble());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private void print(SchedulePreview preview) {
    Terminal terminal = terminal();
    terminal.line(
        terminal.styled(HarmlessText.visible(preview.name()), Style.BOLD)
            + ": "
            + summary(preview));
    if (preview.retries() > 0) {
      terminal.line("");
      table(preview.rows()).print(terminal, "  ");
      if (!preview.throttleRows().isEmpty()) {
        terminal.line("");
        terminal.line("  After a throttle:");
        table(preview.throttleRows()).print(terminal, "  ");
      }
      terminal.line("");
      new DelayChart(preview, terminal).print();
    }
    terminal.line("");
    for (String warning : preview.warnings()) {
      terminal.line("  " + terminal.styled("!", Style.WAITING) + " " + warning);
    }
  }

  private static String summary(SchedulePreview preview) {
    if (preview.isUnlimited()) {
      return "attempts without end";
    }
    String attempts = Words.count(preview.attempts(), "attempt") + ", ";
    if (preview.retries() == 0) {
      return attempts + "no retries";
    }
    String retries = attempts + Words.count(preview.retries(), "retry");
    DelaySpan total = preview.total();
    if (total == null) {
      return retries;
    }
    return total.isJittered()
        ? retries
            + " within "
            + AmountText.exact(total.expected())
            + " on average, "
            + AmountText.exact(total.highest())
            + " at most"
        : retries + " within " + AmountText.exact(total.expected());
  }

  private static Table table(List<SchedulePreview.Row> rows) {
    boolean staged = rows.get(0).stage() != null;
    boolean jittered = rows.stream().anyMatch(row -> row.delay().isJittered());
    List<String> headings = new ArrayList<>(List.of(">RETRY"));
    if (staged) {
      headings.add("STAGE");
    }
    headings.addAll(jittered ? List.of(">SHORTEST", ">EXPECTED", ">LONGEST") : List.of(">DELAY"));
    headings.addAll(List.of(">TIMES", jittered ? ">EXPECTED IN ALL" : ">TOTAL DELAY"));
    Table table = new Table(headings.toArray(String[]::new));
    for (SchedulePreview.Row row : rows) {
      List<Object> cells = new ArrayList<>(List.of(retries(row)));
      if (staged) {
        cells.add(row.stage() == null ? "" : row.stage().wireName());
      }
      if (jittered) {
        cells.add(AmountText.exact(row.delay().lowest()));
      }
      cells.add(AmountText.exact(row.delay().expected()));
      if (jittered) {
        cells.add(AmountText.exact(row.delay().highest()));
      }
      cells.add(row.isEndless() ? "for ever" : row.times() == 1 ? "" : "x " + row.times());
      cells.add(row.isEndless() ? "" : AmountText.exact(row.cumulative().expected()));
      table.row(cells.toArray());
    }
    return table;
  }

  private static String retries(SchedulePreview.Row row) {
    if (row.isEndless()) {
      return row.firstRetry() + "-";
    }
    return row.times() == 1
        ? String.valueOf(row.firstRetry())
        : row.firstRetry() + "-" + row.lastRetry();
  }
}
