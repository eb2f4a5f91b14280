package dev.reprise.device.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part of the TLS settings that files hold. Files that have changed and cannot be used, such as a
 * certificate whose key is not written yet, leave what they held before. Thread-safe.
 *
 * @param <F> what is made of the files
 */
final class TlsFiles<F> {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);

  /** Makes something of the files; throws as the methods of {@link TlsSettings} do. */
  interface Loader<F> {
    F load() throws IOException;
  }

  private final List<Path> files;
  private final Loader<F> loader;

  /** Not a monitor: a virtual thread of JDK 21 that waits for one keeps its carrier. */
  private final ReentrantLock reading = new ReentrantLock();

  /** Guarded by {@link #reading}. */
  private List<byte[]> contents;

  private volatile F current;

  TlsFiles(List<Path> files, Loader<F> loader) throws IOException {
    this.files = files;
    this.loader = loader;
    // Before they are used: what changes between is noticed the next time.
    contents = read();
    current = loader.load();
  }

  F current() {
    return current;
  }

  /** Reads the files again if they have changed. Blocks for as long as the disk does. */
  F latest() {
    reading.lock();
    try {
      List<byte[]> found = read();
      if (!isSame(found)) {
        F fresh = loader.load();
        current = fresh;
        contents = found;
        LOG.info("{} has changed, and is used from now on", files);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} has changed and cannot be used: what it held before is, {}", files, e.toString());
    } finally {
      reading.unlock();
    }
    return current;
  }

  private List<byte[]> read() throws IOException {
    List<byte[]> found = new ArrayList<>(files.size());
    for (Path file : files) {
      found.add(Files.readAllBytes(file));
    }
    return found;
  }

  private boolean isSame(List<byte[]> found) {
    for (int i = 0; i < found.size(); i++) {
      if (!Arrays.equals(found.get(i), contents.get(i))) {
        return false;
      }
    }
    return true;
  }
}
