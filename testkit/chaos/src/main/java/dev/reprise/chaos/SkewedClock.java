package dev.reprise.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The clock of a process, which can be moved while it runs: by libfaketime. */
final class SkewedClock {
  private static final String LIBRARY = "libfaketimeMT.so.1";

  private final Path file;

  /** A clock that is right; {@code file} has by how much it is wrong. */
  SkewedClock(Path file) throws IOException {
    this.file = file;
    set(0);
  }

  /** Returns the library; empty if it is not installed. */
  static String library() {
    Path libraries = Path.of("/usr/lib");
    try (Stream<Path> found =
        Files.find(libraries, 3, (path, attributes) -> path.endsWith("faketime/" + LIBRARY))) {
      return found.map(Path::toString).findFirst().orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns the variables of the environment of a process that has this clock. */
  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD",
        library(),
        "FAKETIME_TIMESTAMP_FILE",
        file.toString(),
        // In seconds; a look at the file with each look at the clock would take all of the time.
        "FAKETIME_CACHE_DURATION",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        "DONT_FAKE_MONOTONIC",
        "1",
        // Else each wait with a limit ends at once, and the process turns in a circle.
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0");
  }

  /** From now on it is ahead by so many seconds; behind, if that is less than 0. */
  void set(int seconds) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, String.format(Locale.ROOT, "%+d\n", seconds));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
