package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo of a cluster as a process, which starts six more. */
@Tag("slow")
class ClusterDemoTest {
  private static final long LIMIT_MINUTES = 8;

  @TempDir private Path folder;
  private Process demo;

  @AfterEach
  void end() {
    if (demo != null) {
      demo.destroyForcibly().onExit().join();
    }
  }

  @Test
  void losesNothingWithANodeAndABroker() throws Exception {
    start();

    assertThat(demo.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).as(said()).isTrue();

    assertThat(demo.exitValue()).as(said()).isZero();
    assertThat(said())
        .doesNotContain("\u001b")
        .containsSubsequence(
            "node-2 owns shard",
            "$ ./reprise topic create orders",
            "kill -9 of node-2, which owns shard",
            "has taken it over; attempts go on after",
            "kill -9 of broker 3",
            "Publishing paused for",
            "All shards attempt again",
            "Verified: the store was counted")
        .containsPattern(
            "accepted ([0-9,]+) = delivered [0-9,]+ \\+ dead [0-9,]+ \\+ pending 0, difference 0")
        .contains("lost 0: ", "repeated ", "That was it");
    assertThat(filesOfTheDemo()).as("files that are left").isEmpty();
  }

  @Test
  void itsProcessesEndWhenItIsKilled() throws Exception {
    start();
    // Three brokers and the first of the nodes.
    List<ProcessHandle> children =
        Await.value(
            "four processes of the demo",
            () -> {
              assertThat(demo.isAlive()).as(said()).isTrue();
              return demo.children().toList();
            },
            all -> all.size() >= 4);

    demo.destroyForcibly().waitFor();

    for (ProcessHandle child : children) {
      child.onExit().get(LIMIT_MINUTES, TimeUnit.MINUTES);
    }
  }

  private void start() throws Exception {
    demo =
        new ProcessBuilder(
                StartedProcess.java(
                    StartedProcess.quick(
                        "-Xmx256m",
                        "-Djava.io.tmpdir=" + folder,
                        // A locale whose digits are not ASCII: nothing that a program reads may
                        // have them.
                        "-Duser.language=fa",
                        "-Duser.country=IR"),
                    "dev.reprise.cli.Main",
                    List.of("demo", "--cluster")))
            .redirectErrorStream(true)
            .redirectOutput(output().toFile())
            .start();
  }

  private Stream<Path> filesOfTheDemo() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().contains("reprise-demo")).toList().stream();
    }
  }

  private Path output() {
    return folder.resolve("output");
  }

  private String said() throws Exception {
    return Files.readString(output(), UTF_8);
  }
}
