package dev.reprise.server.cli.service;

import dev.reprise.cluster.ClusterException;
import dev.reprise.cluster.ClusterSettings;
import dev.reprise.cluster.TopicRestore;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Words;
import java.nio.file.Path;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Brings a topic of a cluster back that was deleted. */
@Command(
    name = "restore-topic",
    description = {
      "Bring a topic of the cluster back that was deleted, while no node runs.",
      "The catalog comes from the copy in a node's folder, of which nothing is changed: take that"
          + " of the node that ran last. What was changed in the catalog behind that copy is gone."
          + " The topics of intake and of events begin anew, without what was in them. If it is"
          + " broken off, run it again: it goes on."
    },
    footer = {
      "  ./reprise cluster restore-topic catalog --data /var/lib/reprise-node --cluster"
          + " kafka-1:9092,kafka-2:9092",
      "  ./reprise cluster restore-topic in --accept-loss --data /var/lib/reprise-node --cluster"
          + " kafka-1:9092"
    })
final class RestoreTopicCommand extends BaseCommand {
  @Parameters(paramLabel = "TOPIC", description = "Which one: catalog, in, open or events.")
  private String topic = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data folder of a node that is stopped.")
  private Path data = Path.of("");

  @Mixin private StoppedClusterOptions cluster = new StoppedClusterOptions();

  @Option(
      names = "--accept-loss",
      description = "Begin a topic anew of which no folder has a copy.")
  private boolean acceptLoss;

  @Override
  public Integer call() throws InterruptedException {
    Path folder = data.toAbsolutePath().normalize();
    TopicRestore.Report report;
    try {
      report = TopicRestore.run(topic, folder, settings(), acceptLoss);
    } catch (StoreException | ClusterException e) {
      throw Failure.failed(String.valueOf(e.getMessage()));
    } catch (KafkaException e) {
      throw cluster.failed(e);
    }
    if (json()) {
      Json.print(terminal(), document(report));
    } else {
      tell(report);
    }
    return ExitCode.DONE;
  }

  private ClusterSettings settings() {
    try {
      return cluster.settings("restore");
    } catch (InvalidSettingException e) {
      throw refused(e);
    }
  }

  private static ObjectNode document(TopicRestore.Report report) {
    return Json.object()
        .put("topic", report.topic())
        .put("before", report.before())
        .put("after", report.after())
        .put("node", report.node())
        .put("records", report.records())
        .put("position", report.position())
        .put("asOf", report.asOf() == null ? null : report.asOf().toString());
  }

  private void tell(TopicRestore.Report report) {
    terminal()
        .line(
            "Topic "
                + report.topic()
                + " has the id "
                + report.after()
                + (report.before() == null ? "" : " in place of " + report.before())
                + "; "
                + Words.count(report.records(), "record")
                + " restored from the folder of node '"
                + report.node()
                + "', read back and compared.");
    if (report.position() > 0) {
      terminal()
          .note(
              "The copy went up to place "
                  + report.position()
                  + (report.asOf() == null ? "" : " and was whole at " + report.asOf())
                  + ": what was changed later is gone.");
    }
    terminal().note("Start the nodes, on the folders that they had.");
  }
}
