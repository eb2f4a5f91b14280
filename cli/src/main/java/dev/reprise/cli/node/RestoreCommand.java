package dev.reprise.cli.node;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Words;
import dev.reprise.delivery.backup.BackupException;
import dev.reprise.delivery.host.RestoredFolder;
import dev.reprise.delivery.store.StoreException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a data folder of a backup. */
@Command(
    name = "restore",
    description = {
      "Make a data folder of a backup, and count everything in it.",
      "The folder must be empty or absent; one that failed to be restored is left as it was. Then"
          + " start the service on it: deliveries that ended after the backup are attempted again,"
          + " so endpoints see those twice."
    },
    footer = {
      "  ./reprise restore /backups/reprise-20260131T030000Z.tar --data /var/lib/reprise",
      "  ./reprise serve --data /var/lib/reprise"
    })
public final class RestoreCommand extends BaseCommand {
  @Parameters(paramLabel = "BACKUP", description = "A file that ./reprise backup has written.")
  private String backup = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data folder to make.")
  private Path data = Path.of("");

  @Override
  public Integer call() {
    Path folder = data.toAbsolutePath().normalize();
    Progress progress = new Progress(terminal());
    RestoredFolder restored;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(backup)), 1 << 16)) {
      restored = RestoredFolder.restore(in, folder, bytes -> progress.show(Words.bytes(bytes)));
    } catch (BackupException e) {
      throw CommandFailure.failed(backup + " " + e.getMessage() + ". Nothing was restored");
    } catch (StoreException e) {
      throw CommandFailure.failed(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw CommandFailure.failed(
          String.valueOf(e.getMessage()).contains("No space left")
              ? "the disk of " + folder + " is full. Nothing was restored"
              : InputFile.reason(backup, e));
    } finally {
      progress.clear();
    }
    if (json()) {
      Json.print(
          terminal(),
          Json.object()
              .put("data", folder.toString())
              .put("takenAt", restored.backup().takenAt().toString())
              .put("bytes", restored.backup().bytes())
              .put("topics", restored.topics())
              .put("subscriptions", restored.subscriptions())
              .put("accepted", restored.ledger().accepted())
              .put("pending", restored.ledger().pending())
              .put("deadLettered", restored.ledger().deadLettered())
              .put("agrees", restored.agrees()));
    } else {
      told(folder, restored);
    }
    restored.missingKeys().forEach(this::warnOfKey);
    if (!restored.agrees()) {
      terminal()
          .error(
              "the store in the backup disagrees with its ledger: start the service on it, and"
                  + " ./reprise ledger --verify tells where");
    }
    return restored.agrees() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void told(Path folder, RestoredFolder restored) {
    terminal()
        .line(
            "Restored the backup of "
                + restored.backup().takenAt()
                + " into "
                + folder
                + ": "
                + Words.count(restored.topics(), "topic")
                + ", "
                + Words.count(restored.subscriptions(), "subscription")
                + ", "
                + Words.count(restored.ledger().pending(), "pending delivery")
                + ", "
                + Words.count(restored.ledger().deadLettered(), "dead letter")
                + (restored.agrees() ? "; the ledger is balanced." : "."));
    terminal().note("Start it with: ./reprise serve --data " + folder);
  }

  private void warnOfKey(String key, String owner) {
    terminal()
        .warning(
            "secrets in it, such as that of "
                + owner
                + ", are encrypted under key '"
                + key
                + "', which no backup holds: "
                + (key.equals("dev")
                    ? "if it was a service with --dev, copy its dev-secret-key into the folder"
                    : "start the service with --secret-keys"));
  }
}
