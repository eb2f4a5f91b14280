package dev.reprise.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every {@code @JCStressTest} of this module, each for a short time only. {@code
 * -Dreprise.stress=default} takes the hours that jcstress would like to have.
 */
@Tag("slow")
class RacesTest {
  /** Long enough to see a forgotten second look at the wheels, which a mere sanity run misses. */
  private static final List<String> BRIEF =
      List.of("-m", "sanity", "-time", "100", "-iters", "5", "-sc", "false");

  @Test
  void noRaceHasAForbiddenOutcome(@TempDir Path workFolder) throws Exception {
    Path output = workFolder.resolve("output.txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main"));
    String mode = System.getProperty("reprise.stress");
    command.addAll(mode == null ? BRIEF : List.of("-m", mode));

    int exitCode =
        new ProcessBuilder(command)
            .directory(workFolder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();

    String said = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(exitCode).as(said).isZero();
    assertThat(said)
        .contains("Failed tests: No matches.")
        .contains("Error tests: No matches.")
        .contains("All remaining tests: " + countOfTests() + " matching test results");
  }

  /** Counts what the annotation processor of jcstress has found, so that no test is left out. */
  private static long countOfTests() throws IOException {
    try (InputStream in = RacesTest.class.getResourceAsStream("/META-INF/TestList")) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().count();
    }
  }
}
