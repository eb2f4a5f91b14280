package dev.reprise.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class FolderLockTest {
  private static final String NAME = "lock";

  @TempDir Path folder;

  @Test
  void aFolderIsLockedUntilTheLockIsClosed() throws IOException {
    FolderLock lock = FolderLock.of(folder, NAME);
    assertThatThrownBy(() -> FolderLock.of(folder, NAME))
        .isInstanceOf(FolderInUseException.class)
        .hasMessage("folder " + folder + " is in use by this very process")
        .extracting(e -> ((FolderInUseException) e).holder())
        .isEqualTo("this very process");

    lock.close();
    FolderLock.of(folder, NAME).close();
  }

  @Test
  void anotherPathOfTheSameFolderIsTheSameFolder() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    try (FolderLock lock = FolderLock.of(folder, NAME)) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> FolderLock.of(link, NAME)).isInstanceOf(FolderInUseException.class);
    }
  }

  @Test
  void theFileHoldsTheIdOfTheProcess() throws IOException {
    Files.writeString(folder.resolve(NAME), "a longer text of somebody else\n");
    FolderLock.of(folder, NAME).close();

    assertThat(folder.resolve(NAME)).hasContent(ProcessHandle.current().pid() + "\n");
  }

  @Test
  void aFolderThatCannotBeLockedIsNotHeld() throws IOException {
    Path file = Files.createDirectory(folder.resolve(NAME));
    assertThatThrownBy(() -> FolderLock.of(folder, NAME)).isInstanceOf(IOException.class);

    Files.delete(file);
    FolderLock.of(folder, NAME).close();
  }

  @Test
  void anInterruptedThreadLocksAndStaysInterrupted() throws IOException {
    Thread.currentThread().interrupt();
    try (FolderLock lock = FolderLock.of(folder, NAME)) {
      assertThat(lock).isNotNull();
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(folder.resolve(NAME)).hasContent(ProcessHandle.current().pid() + "\n");
  }

  @Test
  void aFolderThatDoesNotExistIsRefused() {
    assertThatThrownBy(() -> FolderLock.of(folder.resolve("none"), NAME))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  @Tag("slow")
  void aRefusalInThisProcessKeepsOthersOut() throws Exception {
    try (FolderLock lock = FolderLock.of(folder, NAME)) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> FolderLock.of(folder, NAME))
          .isInstanceOf(FolderInUseException.class);

      assertThat(lockElsewhere())
          .isEqualTo("another process (pid " + ProcessHandle.current().pid() + ")");
    }
    assertThat(lockElsewhere()).isEqualTo("locked");
  }

  /** Locks the folder in a process of its own, and returns how that ended. */
  private String lockElsewhere() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Locking.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return said.strip();
    } finally {
      process.destroyForcibly();
    }
  }

  /** A process that locks a folder and ends. */
  static final class Locking {
    private Locking() {}

    public static void main(String[] args) throws IOException {
      try {
        FolderLock.of(Path.of(args[0]), NAME).close();
        System.out.println("locked");
      } catch (FolderInUseException e) {
        System.out.println(e.holder());
      }
    }
  }
}
