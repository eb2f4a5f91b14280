package dev.reprise.cli.node;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Words;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.migrate.TopicRestore;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.store.StoreException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
      "The catalog and the shards come from the copies in the folders of nodes, of which nothing is"
          + " changed: name those of all nodes, and of each shard the newest copy is taken. What"
          + " was changed in the catalog behind that copy is gone. Deliveries that a shard has"
          + " ended behind it are made again, and what was accepted since is taken from the intake."
          + " The topics of intake and of events begin anew, without what was in them. If it is"
          + " broken off, run it again: it goes on."
    },
    footer = {
      "  ./reprise cluster restore-topic catalog --data /var/lib/reprise-node --cluster"
          + " kafka-1:9092,kafka-2:9092",
      "  ./reprise cluster restore-topic shards --data node-1 --data node-2 --data node-3 --cluster"
          + " kafka-1:9092",
      "  ./reprise cluster restore-topic in --accept-loss --data /var/lib/reprise-node --cluster"
          + " kafka-1:9092"
    })
public final class RestoreTopicCommand extends BaseCommand {
  @Parameters(paramLabel = "TOPIC", description = "Which one: catalog, shards, in, open or events.")
  private String topic = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data folder of a node that is stopped; once for each node.")
  private List<Path> data = List.of();

  @Mixin private StoppedClusterOptions cluster = new StoppedClusterOptions();

  @Option(
      names = "--accept-loss",
      description = "Begin a topic, or a shard, anew of which no folder has a copy.")
  private boolean acceptLoss;

  @Override
  public Integer call() throws InterruptedException {
    List<Path> folders = data.stream().map(each -> each.toAbsolutePath().normalize()).toList();
    TopicRestore.Report report;
    try {
      report = TopicRestore.run(topic, folders, settings(), acceptLoss);
    } catch (ClusterException e) {
      throw CommandFailure.failed(String.valueOf(e.getMessage()));
    } catch (StoreException e) {
      throw cluster.failed(e);
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
    ObjectNode document =
        Json.object()
            .put("topic", report.topic())
            .put("before", report.before())
            .put("after", report.after())
            .put("records", report.records());
    var sources = document.putArray("sources");
    for (TopicRestore.Source each : report.sources()) {
      sources
          .addObject()
          .put("partition", each.partition())
          .put("node", each.node())
          .put("position", each.position())
          .put("asOf", each.asOf() == null ? null : each.asOf().toString());
    }
    var lost = document.putArray("lost");
    report.lost().forEach(lost::add);
    return document;
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
                + " restored, read back and compared.");
    Map<String, List<TopicRestore.Source>> byNode = new TreeMap<>();
    for (TopicRestore.Source each : report.sources()) {
      byNode.computeIfAbsent(each.node(), node -> new ArrayList<>()).add(each);
    }
    byNode.forEach((node, sources) -> terminal().note(from(node, sources)));
    if (report.topic().endsWith(".catalog")) {
      terminal().note("What was changed in the catalog after that is gone.");
    }
    if (!report.lost().isEmpty()) {
      terminal()
          .warning(
              "no folder had a copy of these shards, which begin anew: "
                  + String.join(", ", report.lost().stream().map(String::valueOf).toList()));
    }
    terminal().note("Start the nodes, on the folders that they had.");
  }

  private static String from(String node, List<TopicRestore.Source> sources) {
    Instant oldest =
        sources.stream()
            .map(TopicRestore.Source::asOf)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .orElse(null);
    return "From the folder of node '%s': %s%s."
        .formatted(
            node,
            Words.count(sources.size(), "partition"),
            oldest == null ? "" : ", whole at " + oldest + " or later");
  }
}
