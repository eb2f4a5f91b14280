package dev.reprise.delivery.address;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A machine whose name servers do not change, and that has no hosts file. */
final class FixedHostFiles {
  private FixedHostFiles() {}

  /**
   * Returns what a {@code resolv.conf} of these lines makes.
   *
   * @param port of the name servers
   */
  static HostFiles of(int port, String... lines) throws IOException {
    Path file = Files.createTempFile("resolv", ".conf");
    try {
      Files.write(file, List.of(lines));
      // The time stands still, so it is read only once.
      HostFiles files = new HostFiles(file, file.resolveSibling("no-hosts"), port, () -> 0);
      files.settings();
      return files;
    } finally {
      Files.delete(file);
    }
  }
}
