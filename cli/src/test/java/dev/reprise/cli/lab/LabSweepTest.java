package dev.reprise.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.base.Json;
import dev.reprise.lab.scenario.ScenarioLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class LabSweepTest {
  @TempDir private Path folder;

  static Stream<String> readySweeps() {
    return ScenarioLibrary.names().stream()
        .filter(name -> ScenarioLibrary.read(name).contains("\"sweep\""));
  }

  @ParameterizedTest
  @MethodSource("readySweeps")
  void everyReadySweepRuns(String name) throws Exception {
    ObjectNode scenario = (ObjectNode) Json.read(name, ScenarioLibrary.read(name));
    if (scenario.get("fleet") instanceof ObjectNode fleet) {
      fleet.put("devices", 1_000).put("horizon", "20m");
    }
    Path file = Files.writeString(folder.resolve(name + ".json"), scenario.toString());
    Path report = folder.resolve(name);

    CommandRun.Result run =
        CommandRun.run(
            "lab", "sweep", file.toString(), "--runs", "1", "--report", report.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode written =
        Json.read(name, Files.readString(report.resolve("report.json"))).path("sweep");
    assertThat(written.path("points").size())
        .isEqualTo(scenario.path("sweep").path("values").size());
    String first = written.path("points").path(0).path("value").asString();
    assertThat(run.out().lines()).anyMatch(line -> line.strip().startsWith(first));
    assertThat(report.resolve("report.html")).isNotEmptyFile();
  }

  @Test
  void aSweepOverObjectsCallsThemByTheirFields() throws Exception {
    CommandRun.Result run =
        CommandRun.run("lab", "sweep", "stale-queue", "--runs", "1", "--report", folder.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("order fifo, dropsExpired true", "order lifo", "order fifo, bound 50");
    assertThat(Files.readString(folder.resolve("report.html")))
        .contains("As calls.service.queue changes")
        .contains("\"order fifo, bound 50\"]");
  }
}
