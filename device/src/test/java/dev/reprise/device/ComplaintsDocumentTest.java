package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that {@code COMPLAINTS.md} calls as witnesses exist. */
class ComplaintsDocumentTest {
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?`");
  private static final List<Path> SOURCES =
      List.of(
          Path.of("src/test/java"),
          Path.of("../core/src/test/java"),
          Path.of("../examples/device/src/test/java"));

  private static List<String> entries() throws IOException {
    return Files.readAllLines(Path.of("COMPLAINTS.md")).stream()
        .filter(line -> line.matches("\\| \\d+ \\|.*"))
        .toList();
  }

  private static Path source(String name) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        files.filter(file -> file.endsWith(name + ".java")).forEach(found::add);
      }
    }
    assertThat(found).as(name).hasSize(1);
    return found.get(0);
  }

  @Test
  void everyComplaintHasATestThatExists() throws IOException {
    assertThat(entries()).hasSize(34);
    for (String entry : entries()) {
      Matcher tests = TEST.matcher(entry);
      List<MatchResult> named = tests.results().toList();
      assertThat(named).as(entry).isNotEmpty();
      for (MatchResult test : named) {
        String source = Files.readString(source(test.group(1)));
        if (test.group(2) != null) {
          assertThat(source).as(test.group()).contains(" " + test.group(2) + "(");
        }
      }
    }
  }
}
