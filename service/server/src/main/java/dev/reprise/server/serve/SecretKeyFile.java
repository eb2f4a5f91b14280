package dev.reprise.server.serve;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the keys of secrets come from: the file that the operator names, the variable {@value
 * #VARIABLE}, or, with {@code --dev}, a file in the data folder that is made when it is missing.
 * The keys do not lie beside what they encrypt unless it is dev.
 */
final class SecretKeyFile {
  /** The environment variable that holds the text of a key file. */
  static final String VARIABLE = "REPRISE_SECRET_KEYS";

  private static final Logger LOG = LoggerFactory.getLogger(SecretKeyFile.class);
  private static final String DEV_FILE = "dev-secret-key";

  private SecretKeyFile() {}

  /**
   * Returns the keys; {@link SecretKeys#NONE} if none are given.
   *
   * @throws IllegalArgumentException naming what was given, and what is wrong with it
   */
  static SecretKeys read(ServeSettings settings) {
    Path file = settings.find(Settings.SECRET_KEYS);
    if (file != null) {
      return SecretKeys.parse(text(file), file.toString());
    }
    String variable = System.getenv(VARIABLE);
    if (variable != null && !variable.isBlank()) {
      return SecretKeys.parse(variable, VARIABLE);
    }
    return settings.dev() ? ofDev(settings.data().resolve(DEV_FILE)) : SecretKeys.NONE;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(file + ": there is no such file", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static SecretKeys ofDev(Path file) {
    try {
      Files.createDirectories(file.getParent());
      if (!Files.exists(file)) {
        String line = SecretKeys.newLine("dev") + System.lineSeparator();
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        if (posix) {
          Files.createFile(
              file,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } else {
          Files.createFile(file);
        }
        Files.writeString(file, line, StandardOpenOption.WRITE);
        LOG.info("made a key for secrets: {}", file);
      }
    } catch (FileAlreadyExistsException e) {
      // Another start was faster.
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be made: " + e.getMessage(), e);
    }
    return SecretKeys.parse(text(file), file.toString());
  }
}
