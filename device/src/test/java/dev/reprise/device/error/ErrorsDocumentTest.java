package dev.reprise.device.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code ERRORS.md} tells people is what the client acts on. */
class ErrorsDocumentTest {
  private static final Path DOCUMENT = Path.of("ERRORS.md");

  private static String cells(ErrorRow row) {
    return "| `%s` | `%s` | %s | %s | %s | %s |"
        .formatted(
            row.protocol(),
            row.code(),
            row.name(),
            row.retryable() ? "**yes**" : "no",
            row.kind().name().toLowerCase(Locale.ROOT),
            row.scope().name().toLowerCase(Locale.ROOT));
  }

  private static List<String> table() {
    return Stream.concat(
            Stream.of(
                "| protocol | code | name | retried | kind | scope |", "|---|---|---|---|---|---|"),
            DeviceErrors.rows().stream().map(ErrorsDocumentTest::cells))
        .toList();
  }

  @Test
  void theTableOfTheDocumentIsTheTableOfTheClient() throws IOException {
    List<String> document = Files.readAllLines(DOCUMENT);
    int start = document.indexOf(table().get(0));
    List<String> written =
        start < 0
            ? List.of()
            : document.stream().skip(start).takeWhile(line -> line.startsWith("|")).toList();

    assertThat(written)
        .as("ERRORS.md must have this table:%n%s%n", String.join("\n", table()))
        .isEqualTo(table());
  }
}
