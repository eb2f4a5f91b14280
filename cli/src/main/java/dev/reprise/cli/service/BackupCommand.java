package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Words;
import dev.reprise.delivery.backup.BackupException;
import dev.reprise.delivery.backup.BackupManifest;
import dev.reprise.delivery.backup.BackupReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Backs up a running service. */
@Command(
    name = "backup",
    description = {
      "Back up everything while the service runs, into one file.",
      "The backup has all that was accepted before it began, as it was at one moment. Every"
          + " checksum is compared before the file gets its name. Passwords and other secrets are"
          + " in it as they are stored, encrypted; the keys of --secret-keys are not: keep them"
          + " elsewhere. An operator's API key with manage is needed."
    },
    footer = {
      "  ./reprise backup /backups",
      "  ./reprise backup /backups/before-the-upgrade.tar",
      "",
      "A backup is a tar archive: tar xf FILE && sha256sum -c SHA256SUMS checks it without Reprise."
    })
public final class BackupCommand extends BaseCommand {
  @Parameters(
      paramLabel = "FILE",
      description =
          "The file, which must not exist; or a folder, in which it gets a name with its time.")
  private Path target = Path.of("");

  @Override
  public Integer call() {
    try (BackupFile file = BackupFile.open(target)) {
      Progress progress = new Progress(terminal());
      BackupManifest manifest;
      try {
        manifest =
            root()
                .client()
                .download("/v1/backup", (body, bytes) -> read(body, bytes, file, progress));
      } catch (BackupException e) {
        throw CommandFailure.failed(
            "what came " + e.getMessage() + ": look at the log of the service");
      } catch (IOException e) {
        throw new CommandFailure(
            ExitCode.UNREACHABLE,
            "the service broke off the backup ("
                + e.getMessage()
                + "): look at its log, and try again");
      } finally {
        progress.clear();
      }
      Path named = file.finish(manifest.fileName());
      told(named, manifest);
    }
    return ExitCode.DONE;
  }

  private static BackupManifest read(
      InputStream body, long bytes, BackupFile file, Progress progress) throws IOException {
    if (bytes > 0) {
      file.requireSpace(bytes);
    }
    InputStream copied = new Copied(body, file, bytes, progress);
    return BackupReader.read(
        copied,
        new BackupReader.Receiver() {
          @Override
          public void began(BackupManifest manifest) {}

          @Override
          public OutputStream file(String name, long size) {
            return OutputStream.nullOutputStream();
          }
        });
  }

  private void told(Path file, BackupManifest manifest) {
    if (json()) {
      Json.print(
          terminal(),
          Json.object()
              .put("file", file.toString())
              .put("takenAt", manifest.takenAt().toString())
              .put("bytes", manifest.bytes())
              .put("files", manifest.files()));
      return;
    }
    terminal()
        .line(
            "Backup of "
                + manifest.takenAt()
                + " in "
                + file
                + ": "
                + Words.bytes(manifest.bytes())
                + ", every checksum compared.");
  }

  /** Writes what is read into the file. */
  private static final class Copied extends FilterInputStream {
    private final BackupFile file;
    private final long bytes;
    private final Progress progress;
    private long read;

    Copied(InputStream in, BackupFile file, long bytes, Progress progress) {
      super(in);
      this.file = file;
      this.bytes = bytes;
      this.progress = progress;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
      int count = super.read(buffer, from, length);
      if (count > 0) {
        file.write(buffer, from, count);
        read += count;
        progress.show(Words.bytes(read) + (bytes > 0 ? " of " + Words.bytes(bytes) : ""));
      }
      return count;
    }
  }
}
