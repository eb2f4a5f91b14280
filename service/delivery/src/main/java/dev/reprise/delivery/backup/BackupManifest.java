package dev.reprise.delivery.backup;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The description of a backup, the first file of its archive.
 *
 * @param format the format of the data folder in it
 * @param takenAt the moment that it has everything of
 * @param files the number of its other files, without the list of checksums
 * @param bytes the bytes of those
 */
public record BackupManifest(int format, Instant takenAt, int files, long bytes) {
  /** The file's name in the archive. */
  static final String FILE = "reprise-backup.json";

  /** The version of the archive itself. */
  static final int VERSION = 1;

  static final int MAX_BYTES = 4096;

  private static final String KIND = "reprise-backup";
  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Returns a name for the file of the backup, which tells its moment. */
  public String fileName() {
    return "reprise-" + FILE_TIME.format(takenAt) + ".tar";
  }

  byte[] toBytes() {
    return JsonMapper.shared()
        .writerWithDefaultPrettyPrinter()
        .writeValueAsBytes(
            JsonMapper.shared()
                .createObjectNode()
                .put("kind", KIND)
                .put("version", VERSION)
                .put("format", format)
                .put("takenAt", takenAt.toString())
                .put("files", files)
                .put("bytes", bytes));
  }

  static BackupManifest read(byte[] bytes) throws BackupException {
    JsonNode node;
    try {
      node = JsonMapper.shared().readTree(bytes);
    } catch (JacksonException e) {
      throw new BackupException("is damaged: " + FILE + " is no JSON");
    }
    if (!KIND.equals(node.path("kind").asString(""))) {
      throw new BackupException("is no backup of Reprise");
    }
    int version = node.path("version").asInt(0);
    if (version > VERSION) {
      throw new BackupException(
          "was made by a newer version of Reprise (version "
              + version
              + " of backups; this one reads up to "
              + VERSION
              + "): restore it with that version");
    }
    try {
      BackupManifest manifest =
          new BackupManifest(
              node.path("format").asInt(0),
              Instant.parse(node.path("takenAt").asString("")),
              node.path("files").asInt(-1),
              node.path("bytes").asLong(-1));
      if (version > 0 && manifest.format > 0 && manifest.files >= 0 && manifest.bytes >= 0) {
        return manifest;
      }
    } catch (DateTimeParseException e) {
      // As below.
    }
    throw new BackupException("is damaged: " + FILE + " lacks a field");
  }
}
