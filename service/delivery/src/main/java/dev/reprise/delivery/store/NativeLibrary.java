package dev.reprise.delivery.store;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Loads RocksDB's native code. By itself RocksDB unpacks 17 MB into the temporary folder and
 * removes them at an orderly exit only: each killed process would leave a copy behind. One that
 * lies in {@code java.library.path} needs no temporary folder.
 */
final class NativeLibrary {
  private static boolean loaded;

  private NativeLibrary() {}

  static synchronized void load() {
    if (loaded) {
      return;
    }
    try {
      if (isInstalled()) {
        RocksDB.loadLibrary();
      } else {
        loadUnpacked();
      }
    } catch (IOException | RuntimeException | UnsatisfiedLinkError e) {
      throw new StoreException(
          "RocksDB's native library could not be loaded; it is unpacked into java.io.tmpdir, now "
              + System.getProperty("java.io.tmpdir")
              + ", which must be writable and must not be mounted noexec",
          false,
          e);
    }
    loaded = true;
  }

  private static boolean isInstalled() {
    String name = Environment.getJniLibraryFileName("rocksdb");
    for (String folder :
        System.getProperty("java.library.path", "").split(File.pathSeparator, -1)) {
      if (!folder.isEmpty() && Files.isRegularFile(Path.of(folder, name))) {
        return true;
      }
    }
    return false;
  }

  private static void loadUnpacked() throws IOException {
    Path unpacked = Files.createTempDirectory("reprise-rocksdb");
    try {
      NativeLibraryLoader.getInstance().loadLibrary(unpacked.toString());
      RocksDB.loadLibrary();
    } finally {
      remove(unpacked);
    }
  }

  /** Code that is loaded stays mapped without its file, except on Windows, where this fails. */
  private static void remove(Path folder) {
    File[] files = folder.toFile().listFiles();
    if (files != null) {
      for (File file : files) {
        deleteNowOrAtExit(file);
      }
    }
    deleteNowOrAtExit(folder.toFile());
  }

  private static void deleteNowOrAtExit(File file) {
    if (!file.delete()) {
      file.deleteOnExit();
    }
  }
}
