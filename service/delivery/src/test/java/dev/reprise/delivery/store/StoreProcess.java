package dev.reprise.delivery.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A process of its own that opens a store, because some things happen between processes only. */
final class StoreProcess {
  private static final Path TEST_CLASSES =
      Path.of(
          URI.create(
              StoreProcess.class.getProtectionDomain().getCodeSource().getLocation().toString()));

  private StoreProcess() {}

  /** Arguments: {@code hold FOLDER}, or {@code write FOLDER FIRST COUNT}. */
  public static void main(String[] args) throws IOException {
    RocksStore store = RocksStore.open(Path.of(args[1]), RocksSettings.defaults());
    switch (args[0]) {
      case "hold" -> {
        System.out.println("holding");
        if (System.in.read() < 0) {
          store.close();
        }
      }
      case "write" -> {
        int first = Integer.parseInt(args[2]);
        int count = Integer.parseInt(args[3]);
        for (int i = first; i < first + count; i++) {
          Batch batch = new Batch();
          batch.put(StoreContract.bytes(String.format(Locale.ROOT, "%08d", i)), new byte[600]);
          store.write(batch);
        }
        // At once, with nothing closed, flushed or told to RocksDB.
        Runtime.getRuntime().halt(9);
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  static Process start(Object... args) throws IOException {
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                StoreProcess.class.getName()));
    for (Object arg : args) {
      command.add(arg.toString());
    }
    // Not inherited: what Surefire's own process prints is shown by a green build.
    File errors = TEST_CLASSES.resolveSibling("store-process.err").toFile();
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(errors))
        .start();
  }

  /** Waits until {@code process} holds its store. */
  static void awaitHolding(Process process) throws IOException {
    String line =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
    if (!"holding".equals(line)) {
      throw new IOException("the process said " + line);
    }
  }
}
