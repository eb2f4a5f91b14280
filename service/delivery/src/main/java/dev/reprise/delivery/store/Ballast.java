package dev.reprise.delivery.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A file that holds space which nothing else can take, and gives it back when space runs out: then
 * a start, a deletion and the compaction that turns deletions into free space have room. Safe for
 * use by many threads.
 */
final class Ballast {
  static final String FILE = "reprise.ballast";

  private static final int BLOCK_BYTES = 1 << 20;

  private final Path file;
  private final long bytes;

  Ballast(Path folder, long bytes) {
    this.file = folder.resolve(FILE);
    this.bytes = bytes;
  }

  /** Whether all of it is there. */
  boolean isWhole() {
    return file.toFile().length() >= bytes;
  }

  /** Gives the space back; false if there was none to give. */
  synchronized boolean release() throws IOException {
    return Files.deleteIfExists(file);
  }

  /** Takes the space. Does not compress, so it is really taken. */
  synchronized void make() throws IOException {
    byte[] block = new byte[BLOCK_BYTES];
    SplittableRandom random = new SplittableRandom(bytes);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (long left = bytes; left > 0; left -= BLOCK_BYTES) {
        random.nextBytes(block);
        out.write(block, 0, (int) Math.min(left, BLOCK_BYTES));
      }
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }
}
