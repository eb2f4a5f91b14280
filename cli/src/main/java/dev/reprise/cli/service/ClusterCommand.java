package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.node.RestoreTopicCommand;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.ClusterDocument;
import dev.reprise.server.document.NotTakenDocument;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Shows the nodes of a cluster, and the shards that each owns. */
@Command(
    name = "cluster",
    description = {
      "Show the nodes of a cluster, and which shards each owns. Exit code 1 if anything is wrong.",
      "Any node can answer. Shards that are at work and have a copy elsewhere are only counted,"
          + " unless --shards asks for all.",
      "A clock is wrong if the time by which a node delivers is more than 1 s off that of its own"
          + " system, or the clock of a node or a broker more than 10 s off those of the other"
          + " machines."
    },
    footer = {"  ./reprise cluster", "  ./reprise cluster --shards"},
    subcommands = {
      ClusterRecordCommands.Show.class,
      ClusterRecordCommands.Skip.class,
      AcknowledgeCommand.class,
      RestoreTopicCommand.class
    })
public final class ClusterCommand extends BaseCommand {
  @Option(names = "--shards", description = "Show every shard.")
  private boolean shards;

  @Override
  public Integer call() {
    JsonNode answer = root().client().get("/v1/cluster", "shards");
    ClusterDocument cluster = Json.document(answer, ClusterDocument.class);
    if (!root().printedAsJson(answer)) {
      print(cluster);
    }
    return cluster.healthy() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void print(ClusterDocument cluster) {
    if (!cluster.clustered()) {
      terminal().line("This service is no node of a cluster.");
      return;
    }
    Table nodes =
        new Table(
            "NODE",
            ">OWNS",
            ">FOLLOWS",
            ">LAG",
            ">TAKEOVERS",
            ">COMMIT",
            ">NOT TAKEN",
            "URL",
            "PROBLEM");
    for (ClusterDocument.Node node : cluster.nodes()) {
      ClusterDocument.Figures figures = node.figures();
      String problem = node.problem() == null ? "" : HarmlessText.visible(node.problem());
      nodes.row(
          HarmlessText.visible(node.name()),
          figures == null ? "" : figures.owned(),
          figures == null ? "" : figures.followed(),
          figures == null || figures.maxLag() == null ? "" : figures.maxLag(),
          figures == null ? "" : takeovers(figures),
          figures == null || figures.commitMillis() == null ? "" : figures.commitMillis() + " ms",
          figures == null ? "" : notTaken(figures.notTaken()),
          HarmlessText.visible(node.url()),
          new Cell(problem, problem.isEmpty() ? Style.PLAIN : Style.BAD));
    }
    nodes.print(terminal(), "");
    List<ClusterDocument.Shard> shown =
        cluster.shards().stream().filter(shard -> shards || !isSafe(shard)).toList();
    if (!shown.isEmpty()) {
      terminal().line("");
      print(shown);
    }
    for (ClusterDocument.Standing each : cluster.standing()) {
      terminal().error(HarmlessText.visible(each.text()));
    }
    long running = cluster.shards().stream().filter(ClusterCommand::isRunning).count();
    terminal()
        .line(
            running
                + " of "
                + Words.count(cluster.shards().size(), "shard")
                + " at work; "
                + cluster.shards().stream().filter(shard -> !shard.followers().isEmpty()).count()
                + " with a copy at another node.");
  }

  private static String takeovers(ClusterDocument.Figures figures) {
    Long last = figures.lastTakeoverMillis();
    return figures.takeovers() + (last == null ? "" : " (last " + last + " ms)");
  }

  private static boolean isRunning(ClusterDocument.Shard shard) {
    return shard.state().equals("running");
  }

  private static boolean isSafe(ClusterDocument.Shard shard) {
    return isRunning(shard) && shard.problem() == null && !shard.followers().isEmpty();
  }

  private void print(List<ClusterDocument.Shard> shown) {
    Table table =
        new Table(
            ">SHARD",
            "OWNER",
            "STATE",
            "LEASE",
            "COPIES (RECORDS BEHIND)",
            ">NOT TAKEN",
            "SINCE",
            "PROBLEM");
    for (ClusterDocument.Shard shard : shown) {
      table.row(
          shard.shard(),
          shard.owner() == null ? "" : HarmlessText.visible(shard.owner()),
          new Cell(HarmlessText.visible(shard.state()), isRunning(shard) ? Style.PLAIN : Style.BAD),
          shard.leaseHeld() ? "held" : "",
          shard.followers().stream().map(ClusterCommand::copy).collect(Collectors.joining(", ")),
          notTaken(shard.notTaken()),
          shard.since() == null ? "" : HarmlessText.visible(shard.since()),
          new Cell(
              shard.problem() == null ? "" : HarmlessText.visible(shard.problem()), Style.BAD));
    }
    table.print(terminal(), "");
  }

  /** The number of records, and how long the oldest of them waits. */
  private static String notTaken(NotTakenDocument waiting) {
    Long records = waiting.records();
    if (records == null) {
      return "?";
    }
    return records == 0
        ? "0"
        : records + " (" + NotTakenText.age(waiting.oldestAt(), waiting.orEarlier()) + ")";
  }

  private static String copy(ClusterDocument.Follower follower) {
    Long lag = follower.lag();
    return HarmlessText.visible(follower.node()) + " (" + (lag == null ? "?" : lag) + ")";
  }
}
