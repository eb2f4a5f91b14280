package dev.reprise.cli.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.cli.Main;
import dev.reprise.fixtures.StartedProcess;
import dev.reprise.server.serve.Service;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Documents that come through a pipe of the system, which knows no position and no length. */
@Tag("slow")
class PipesTest {
  private static final String POLICY =
      """
      {"healthyRetryPolicy": {"numRetries": 10, "minDelayTarget": 1, "maxDelayTarget": 60}}\
      """;

  private static final String SCENARIO =
      """
      {"name": "small-herd", "runs": 1, "policies": {"azure": "azure-iot"},
       "fleet": {"devices": 20, "quota": {"rate": "100/s"},
                 "failures": [{"type": "outage", "to": "10s"}]}}\
      """;

  @TempDir private Path folder;

  private record Ended(int exitCode, String out, String err) {}

  /** Runs a command in a process of its own, whose standard input is a pipe. */
  private Ended piped(String input, String commandLine) throws Exception {
    List<String> command =
        StartedProcess.java(
            StartedProcess.quick(), Main.class.getName(), List.of(commandLine.split(" +")));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      try (OutputStream in = process.getOutputStream()) {
        in.write(input.getBytes(UTF_8));
      }
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly().onExit().join();
    }
    return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "policy   | preview -                         | attempt",
        "scenario | lab run -                         | small-herd",
        "failures | lab replay - azure-iot --rate 1/s | azure-iot",
      })
  void aDocumentIsReadFromAPipe(String document, String commandLine, String said) throws Exception {
    String input =
        switch (document) {
          case "policy" -> POLICY;
          case "scenario" -> SCENARIO;
          default -> "14:02,14:31\n";
        };

    Ended ended = piped(input, commandLine);

    assertThat(ended.err()).isEmpty();
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.out()).contains(said);
  }

  @Test
  void theServiceGetsAPolicyThatCameThroughAPipe() throws Exception {
    try (Service service = DevService.start(folder.resolve("data"))) {
      Ended ended = piped(POLICY, "topic create orders --policy - --url " + service.baseUrl());

      assertThat(ended.err()).isEmpty();
      assertThat(ended.exitCode()).isZero();
      assertThat(ended.out()).isEqualTo("topic orders\n");
    }
  }

  @Test
  void aFileMayBeAPipeWithAName() throws Exception {
    Path pipe = folder.resolve("policy.json");
    Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
    assertThat(made.waitFor()).isZero();
    CompletableFuture<CommandRun.Result> preview =
        CompletableFuture.supplyAsync(() -> CommandRun.run("preview", pipe.toString()));

    Files.writeString(pipe, POLICY);

    CommandRun.Result result = preview.get(5, TimeUnit.MINUTES);
    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
  }
}
