package dev.reprise.cli.policy;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.lab.report.Report;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.policy.PolicyDocuments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints the JSON Schemas of the documents, each whole; needs no service. */
@Command(
    name = "schema",
    description = "Print the JSON Schema (2020-12) of a kind of document.",
    footer = {"  ./reprise schema policy > policy.schema.json", "  ./reprise schema topic"})
public final class SchemaCommand extends BaseCommand {
  /** The kinds of documents. */
  private enum Kind {
    policy,
    topic,
    scenario,
    report
  }

  @Parameters(
      arity = "1",
      paramLabel = "KIND",
      description =
          "policy (whatever is read as a policy), topic (what topics and subscriptions accept),"
              + " scenario (of the lab), or report (the lab's results).")
  private Kind kind = Kind.policy;

  @Override
  public Integer call() {
    terminal()
        .line(
            switch (kind) {
              case policy -> PolicyDocuments.policySchema();
              case topic -> PolicyDocuments.schema().strip();
              case scenario -> ScenarioDocuments.schema().strip();
              case report -> Report.schema().strip();
            });
    return ExitCode.DONE;
  }
}
