package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckoutFilesTest {
  /** The times that the files of a build come and go while others are listed. */
  private static final int ROUNDS = 20;

  @TempDir Path folder;

  @Test
  void filesAreSortedAndThoseOfBuildsLeftOut() throws IOException {
    write("b/READ.md");
    write("a/READ.md");
    write("a/READ.txt");
    write("a/target/READ.md");
    write("target-suite/READ.md");
    write(".git/READ.md");

    assertThat(CheckoutFiles.endingWith(".md", folder))
        .containsExactly(folder.resolve("a/READ.md"), folder.resolve("b/READ.md"));
    assertThat(CheckoutFiles.endingWith(".md", folder.resolve("a/target"))).hasSize(1);
  }

  /** A browser's cache is such a folder while tests of other modules run. */
  @Test
  void filesOfBuildsMayVanishMeanwhile() throws Exception {
    write("READ.md");
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger rounds = new AtomicInteger();
    Callable<Void> makesAndRemoves =
        () -> {
          while (!done.get()) {
            rounds.incrementAndGet();
            for (int i = 0; i < 100; i++) {
              write("target-suite/" + i);
            }
            for (int i = 0; i < 100; i++) {
              Files.delete(folder.resolve("target-suite/" + i));
            }
          }
          return null;
        };
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<Void> ended = other.submit(makesAndRemoves);
      while (rounds.get() <= ROUNDS && !ended.isDone()) {
        assertThat(CheckoutFiles.endingWith(".md", folder)).hasSize(1);
      }
      done.set(true);
      ended.get();
    } finally {
      done.set(true);
      other.shutdown();
    }
  }

  private void write(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "");
  }
}
