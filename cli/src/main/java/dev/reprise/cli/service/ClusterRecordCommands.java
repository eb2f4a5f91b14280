package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.RecordDocument;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Commands on a single record from which a shard takes messages. */
final class ClusterRecordCommands {
  private static final String PATH = "/v1/cluster/records";

  private ClusterRecordCommands() {}

  private static String path(String topic, int shard, long offset) {
    return ApiClient.path(PATH, topic + "-" + shard + "@" + offset);
  }

  @Command(
      name = "show",
      description = {
        "Show the record of a shard at an offset: size, headers, and what it is read as.",
        "The place is one of the topic of nodes, whose name ends with .in, or of that of"
            + " applications, whose name ends with .open. The body is not shown."
      },
      footer = {"  ./reprise cluster show 3 17", "  ./reprise cluster show 3 17 --open"})
  static final class Show extends BaseCommand {
    @Parameters(index = "0", paramLabel = "SHARD", description = "The shard.")
    private int shard;

    @Parameters(index = "1", paramLabel = "OFFSET", description = "The offset in its partition.")
    private long offset;

    @Option(names = "--open", description = "Look into the topic of applications.")
    private boolean open;

    @Override
    public Integer call() {
      JsonNode answer = root().client().get(path(open ? "open" : "in", shard, offset), "meaning");
      if (root().printedAsJson(answer)) {
        return ExitCode.DONE;
      }
      RecordDocument place = Json.document(answer, RecordDocument.class);
      Facts facts =
          new Facts(terminal())
              .add(
                  "place",
                  HarmlessText.visible(place.topic() + "-" + place.partition()) + " at " + offset)
              .add("partition has", place.firstOffset() + " to " + (place.endOffset() - 1))
              .add("is", HarmlessText.visible(place.meaning()));
      RecordDocument.Content record = place.record();
      if (record != null) {
        facts
            .add("appended", record.appendedAt())
            .add("key", bytes(record.keyBytes()))
            .add("value", bytes(record.valueBytes()));
        for (RecordDocument.Header header : record.headers()) {
          facts.add(
              "header " + HarmlessText.visible(header.name()),
              HarmlessText.visible(Objects.requireNonNullElse(header.value(), "null")));
        }
      }
      facts.print();
      return ExitCode.DONE;
    }

    private static String bytes(@Nullable Long count) {
      return count == null ? "none" : count + " bytes";
    }
  }

  @Command(
      name = "skip",
      description = {
        "Pass over the record at which a shard stands; it goes on with the next one.",
        "What the record says is lost: look at it first. Nothing is passed over if the shard does"
            + " not stand there. The audit log and the event 'skipped' record it."
      },
      footer = "  ./reprise cluster skip 3 17")
  static final class Skip extends BaseCommand {
    @Parameters(index = "0", paramLabel = "SHARD", description = "The shard.")
    private int shard;

    @Parameters(index = "1", paramLabel = "OFFSET", description = "Where it stands.")
    private long offset;

    @Override
    public Integer call() {
      JsonNode answer =
          root().client().send("POST", path("in", shard, offset) + "/skip", Map.of(), "", "id");
      if (!root().printedAsJson(answer)) {
        terminal().line("shard " + shard + " has passed over " + offset);
      }
      return ExitCode.DONE;
    }
  }
}
