package dev.reprise.cluster;

import dev.reprise.cluster.broker.Brokers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The broker of all test classes of a virtual machine that neither stop it nor change it, since
 * starting one costs more than most of them. Each names its topics by a prefix that no other has.
 */
public final class SharedBroker {
  private static @Nullable Brokers started;

  private SharedBroker() {}

  /** Returns it, running. */
  public static synchronized Brokers get() throws IOException, InterruptedException {
    if (started == null) {
      Path folder = Files.createTempDirectory("reprise-shared-broker");
      Brokers brokers = Brokers.start(folder, 1);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(brokers, folder)));
      started = brokers;
    }
    return started;
  }

  private static void remove(Brokers brokers, Path folder) {
    brokers.close();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
