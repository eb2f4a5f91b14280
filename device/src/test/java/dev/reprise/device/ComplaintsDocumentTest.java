package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every entry of {@code COMPLAINTS.md} names a test. */
class ComplaintsDocumentTest {
  private static final Pattern TEST = Pattern.compile("`\\w+Test(\\.\\w+)?`");

  private static List<String> entries() throws IOException {
    return Files.readAllLines(Path.of("COMPLAINTS.md")).stream()
        .filter(line -> line.matches("\\| \\d+ \\|.*"))
        .toList();
  }

  @Test
  void everyComplaintNamesATest() throws IOException {
    assertThat(entries()).hasSize(34);
    assertThat(entries()).allSatisfy(entry -> assertThat(entry).containsPattern(TEST));
  }
}
