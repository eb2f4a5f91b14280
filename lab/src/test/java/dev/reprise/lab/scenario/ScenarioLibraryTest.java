package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScenarioLibraryTest {
  static List<String> names() {
    return ScenarioLibrary.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyScenarioIsReadableFitsTheSchemaAndSaysWhatToLookAt(String name) {
    String text = ScenarioLibrary.read(name);
    Scenario scenario = ScenarioDocuments.read(text);

    assertThat(ScenarioSchema.accepts(text)).isTrue();
    assertThat(scenario.name()).isEqualTo(name);
    assertThat(scenario.description()).matches("[A-Z].*\\. Look at .*\\.");
    if (text.contains("\"sweep\"")) {
      assertThat(ScenarioDocuments.variants(text, Traces.NONE))
          .hasSizeGreaterThan(1)
          .extracting(variant -> variant.scenario().name())
          .containsOnly(name);
    }
  }

  @Test
  void namesAreThoseOfTheFiles() throws IOException, URISyntaxException {
    Path directory =
        Path.of(
                ScenarioLibrary.class
                    .getResource("/dev/reprise/lab/scenarios/herd-after-outage.json")
                    .toURI())
            .getParent();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".json", "")))
          .containsExactlyInAnyOrderElementsOf(ScenarioLibrary.names());
    }
  }

  @Test
  void unknownNamesAreRefusedWithThoseThatThereAre() {
    assertThatThrownBy(() -> ScenarioLibrary.read("herd"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("scenario is \"herd\": must be one of herd-after-outage, ");
  }
}
