package dev.reprise.bench.common;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders that a benchmark makes and removes. */
public final class Folders {
  private Folders() {}

  /** Creates a folder among the temporary files. */
  public static Path create(String name) {
    try {
      return Files.createTempDirectory("reprise-" + name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes a folder with all that is in it, as far as that can be done. */
  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                if (!file.toFile().delete()) {
                  System.err.println("cannot delete " + file);
                }
              });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the bytes of all files in a folder. */
  public static long bytes(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
