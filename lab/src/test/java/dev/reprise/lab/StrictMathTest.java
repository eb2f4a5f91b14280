package dev.reprise.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StrictMathTest {
  private static final Path SOURCES = Path.of("src/main/java/dev/reprise/lab");

  /** Those whose last bit the platform is free to choose. */
  private static final Pattern FREE =
      Pattern.compile(
          "\\bMath\\.(exp|expm1|log|log1p|log10|pow|sin|cos|tan|cbrt|hypot)\\("
              + "|\\.next(Gaussian|Exponential)\\(");

  private static final List<String> PACKAGES =
      List.of("calls", "choose", "contention", "figure", "fleet", "kernel", "meanfield", "replay");

  @Test
  void resultsAreTheSameOnEveryMachine() throws IOException {
    for (String each : PACKAGES) {
      try (Stream<Path> files = Files.list(SOURCES.resolve(each))) {
        assertThat(files.filter(StrictMathTest::isFree)).as(each).isEmpty();
      }
    }
  }

  private static boolean isFree(Path file) {
    try {
      return FREE.matcher(Files.readString(file)).find();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
