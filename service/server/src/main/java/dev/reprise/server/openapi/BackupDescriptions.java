package dev.reprise.server.openapi;

import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Backup". */
public final class BackupDescriptions {
  private static final String TAG = "Backup";

  public static final Description CREATE_BACKUP =
      Description.of("createBackup", TAG, "Back up everything while the service runs")
          .text(
              "Everything that was accepted before, as it is at one moment, as a tar archive"
                  + " that is sent while it is made: a description, the files of the data folder,"
                  + " and their SHA-256 sums. Secrets are in it as they are stored, encrypted;"
                  + " their keys are not. One at a time. It is broken off when the service stops,"
                  + " the disk becomes nearly full, or the client does not read for 75 s: then the"
                  + " connection ends before as many bytes as Content-Length says. A node of a"
                  + " cluster refuses it with 409: its data folder has copies of a part of what the"
                  + " brokers hold.")
          .answers(200, "The archive.", "application/x-tar", Schema.TEXT.with("format", "binary"))
          .refuses(Refusal.CONFLICT, Refusal.STORAGE_FULL);

  private BackupDescriptions() {}
}
