package dev.reprise.cli.node;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Words;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.migrate.Migration;
import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Moves a data folder into a cluster. */
@Command(
    name = "migrate",
    description = {
      "Move the data folder of a service into a new cluster.",
      "All of it: topics, subscriptions, carriers, projects, API keys, the audit log, pending"
          + " deliveries, dead letters, idempotency keys, history and ledger. Stop the service"
          + " first. The cluster gets as many shards as the folder has. Everything is read back and"
          + " compared. If it is broken off, run it again: it goes on. Until it is complete no node"
          + " can be started, and afterwards the folder can be no service's: keep it until the"
          + " cluster works, then delete it."
    },
    footer = {
      "  ./reprise migrate --data /var/lib/reprise --cluster kafka-1:9092,kafka-2:9092",
      "  ./reprise serve --data /var/lib/reprise-node --cluster kafka-1:9092,kafka-2:9092"
    })
public final class MigrateCommand extends BaseCommand {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data folder to move. Nothing of it is deleted.")
  private Path data = Path.of("");

  @Mixin private StoppedClusterOptions cluster = new StoppedClusterOptions();

  @Override
  public Integer call() throws InterruptedException {
    Path folder = data.toAbsolutePath().normalize();
    ClusterSettings settings = settings();
    Progress progress = new Progress(terminal());
    Migration.Report report;
    try {
      report =
          Migration.run(
              folder,
              settings,
              (step, part, parts, bytes) ->
                  progress.show(
                      String.format(
                          Locale.ROOT,
                          "%s %s, %,d of %,d parts",
                          step,
                          Words.bytes(bytes),
                          part,
                          parts)));
    } catch (ClusterException e) {
      throw CommandFailure.failed(String.valueOf(e.getMessage()));
    } catch (StoreException e) {
      throw cluster.failed(e);
    } catch (KafkaException e) {
      throw cluster.failed(e);
    } finally {
      progress.clear();
    }
    if (json()) {
      Json.print(terminal(), document(folder, report));
    } else {
      tell(folder, report);
    }
    report.missingKeys().forEach(this::warnOfKey);
    return ExitCode.DONE;
  }

  private ClusterSettings settings() {
    try {
      return cluster.settings("migration");
    } catch (InvalidSettingException e) {
      throw refused(e);
    }
  }

  private static ObjectNode document(Path folder, Migration.Report report) {
    return Json.object()
        .put("data", folder.toString())
        .put("cluster", report.cluster().name())
        .put("before", report.before())
        .put("shards", report.shards())
        .put("topics", report.topics())
        .put("subscriptions", report.subscriptions())
        .put("accepted", report.ledger().accepted())
        .put("pending", report.ledger().pending())
        .put("deadLettered", report.ledger().deadLettered())
        .put("unexplained", report.ledger().unexplained())
        .put("records", report.records())
        .put("bytes", report.bytes())
        .put("copiedBytes", report.copiedBytes())
        .put("copyingMillis", report.copying().toMillis())
        .put("comparingMillis", report.comparing().toMillis());
  }

  private void tell(Path folder, Migration.Report report) {
    if (!report.before()) {
      terminal()
          .line(
              "Copied "
                  + Words.bytes(report.copiedBytes())
                  + " in "
                  + AmountText.rough(report.copying())
                  + " ("
                  + rate(report.copiedBytes(), report.copying())
                  + "), then read back and compared all "
                  + Words.count(report.records(), "record")
                  + ", "
                  + Words.bytes(report.bytes())
                  + ", in "
                  + AmountText.rough(report.comparing())
                  + ".");
    }
    terminal()
        .line(
            (report.before() ? "Was migrated before: " : "Migrated ")
                + folder
                + " into "
                + report.cluster()
                + ": "
                + Words.count(report.shards(), "shard")
                + ", "
                + Words.count(report.topics(), "topic")
                + ", "
                + Words.count(report.subscriptions(), "subscription")
                + ", "
                + Words.count(report.ledger().pending(), "pending delivery")
                + ", "
                + Words.count(report.ledger().deadLettered(), "dead letter")
                + ", "
                + Words.count(report.ledger().accepted(), "accepted delivery")
                + (report.ledger().unexplained() == 0
                    ? "; the ledger is balanced."
                    : "; the ledger has " + report.ledger().unexplained() + " unexplained."));
    terminal()
        .note(
            "Not in a data folder, so to be carried over by hand to each node: the file of"
                + " --secret-keys, the certificate and key of --tls-certificate and --tls-key, and"
                + " the options of serve.");
    terminal().note("Start nodes with: ./reprise serve --data ANOTHER_DIR " + cluster.forServe());
  }

  private static String rate(long bytes, Duration time) {
    double seconds = Math.max(1, time.toMillis()) / 1e3;
    return String.format(Locale.ROOT, "%.3f GB/s", bytes / seconds / 1e9);
  }

  private void warnOfKey(String key, String owner) {
    terminal()
        .warning(
            "secrets in it, such as that of "
                + owner
                + ", are encrypted under key '"
                + key
                + "', which is not in the cluster: "
                + (key.equals("dev")
                    ? "if it was a service with --dev, give its dev-secret-key to all nodes with"
                        + " --secret-keys"
                    : "start all nodes with the same --secret-keys"));
  }
}
