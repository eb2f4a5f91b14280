package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asks for one folder from several places, one of them a real process. */
@Tag("slow")
@Timeout(300)
class SharedFolderTest {
  @TempDir Path folder;

  @Test
  void aSecondClientCostsTheFirstNoLock() throws Exception {
    try (MessageQueue first = QueueProcess.open(folder)) {
      assertThatThrownBy(() -> QueueProcess.open(folder))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "folder "
                  + folder
                  + " is in use by this very process: another client has this queue open; each"
                  + " client needs a folder of its own");

      assertThat(opensElsewhere()).isEqualTo(inUse());
      assertThat(first.messages()).isZero();
    }
    assertThat(opensElsewhere()).isEqualTo("opened");
  }

  private String inUse() {
    return "folder "
        + folder
        + " is in use by another process (pid "
        + ProcessHandle.current().pid()
        + "): another client has this queue open; each client needs a folder of its own";
  }

  /** Opens the folder in a process of its own, and returns how that ended. */
  private String opensElsewhere() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Opening.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return said.strip().lines().reduce((before, last) -> last).orElse("");
    } finally {
      process.destroyForcibly();
    }
  }

  /** A process that opens a queue and ends. */
  static final class Opening {
    private Opening() {}

    public static void main(String[] args) {
      try {
        QueueProcess.open(Path.of(args[0])).close();
        System.out.println("opened");
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
