package dev.reprise.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.base.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabFailConditionTest {
  private static final String SMALL =
      """
      {"name": "small-herd",
       "policies": {"mine": {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
                             "backoff": {"type": "exponential", "base": "1s", "cap": "16s", "jitter": "full"}}},
       "fleet": {"devices": 2000, "quota": {"rate": "100/s"},
                 "failures": [{"type": "outage", "to": "10s"}]}}
      """;

  @TempDir private Path folder;

  private String small() throws IOException {
    return Files.writeString(folder.resolve("small.json"), SMALL).toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "peakRatio > 0.1 | peakRatio is",
        "drainLast>=1s | drainLast is",
        "peakAfterRecovery > 1/s | /s with seed 1",
        "success <= 100 % | success is",
        "drainP99 < never | drainP99 is",
      })
  void aFigureThatIsAsFailIfSaysEndsWithItsOwnExitCode(String condition, String said)
      throws Exception {
    CommandRun.Result run =
        CommandRun.run("lab", "run", small(), "--runs", "1", "--fail-if", condition);

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.CONDITION);
    assertThat(run.err())
        .contains(said)
        .contains("mine: ")
        .contains("seed 1")
        .contains("--fail-if '" + condition + "'");
    assertThat(run.out()).contains("mine");
  }

  @Test
  void figuresWithinTheirLimitsEndWithZeroAndOneThatIsNotIsEnough() throws Exception {
    assertThat(
            CommandRun.run(
                    "lab",
                    "run",
                    small(),
                    "--runs",
                    "1",
                    "--fail-if",
                    "peakRatio > 1000",
                    "--fail-if",
                    "drainLast > 10h")
                .exitCode())
        .isZero();
    CommandRun.Result run =
        CommandRun.run(
            "lab",
            "compare",
            "iot-core-32s",
            "--scenario",
            small(),
            "--runs",
            "2",
            "--fail-if",
            "peakRatio > 1000",
            "--fail-if",
            "attempts > 1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.CONDITION);
    assertThat(run.err())
        .containsPattern(
            "iot-core-32s: attempts is .* on average of 2 runs \\(seed 1 has .*, seed 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "peakRati > 5 | there is no figure peakRati; did you mean peakRatio?",
        "peak ratio > 5 | must be a figure, one of < <= > >=, and a number",
        "peakRatio > five | five must be a number, or a share",
        "drainLast > 5 parsecs | must be a number of seconds, a span such as 90s",
        "latencyP99 > 1s | latencyP99 does not apply to this scenario, which has drainP50, ",
      })
  void aConditionThatCannotBeJudgedIsWrongUsage(String condition, String message) throws Exception {
    CommandRun.Result run =
        CommandRun.run("lab", "run", small(), "--runs", "1", "--fail-if", condition);

    assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run.err()).contains(message);
  }
}
