package dev.reprise.examples.smithy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the demo as its reader would; it waits for a real second. */
@Tag("slow")
class WeatherDemoTest {
  @Test
  void theDemoTellsWhatBecomesOfEachError() throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream recorder = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      System.setOut(recorder);
      WeatherDemo.main(new String[0]);
    } finally {
      System.setOut(console);
    }

    assertThat(printed.toString(StandardCharsets.UTF_8).lines().map(String::strip))
        .filteredOn(line -> !line.endsWith(":"))
        // The others wait for as long as chance has it.
        .map(line -> line.replaceFirst("Busy, again in [0-9]+ ms", "Busy, again in some ms"))
        .containsExactly(
            "attempt 1 failed with ThrottlingError, again in 1000 ms",
            "{\"summary\":\"sunny\"}",
            "attempt 1 failed with NoSuchCity, no other follows",
            "no city osol; did you mean Oslo",
            "attempt 1 failed with StorageBusy, again in some ms",
            "{\"summary\":\"sunny\"}",
            "attempt 1 failed with StorageBusy, no other follows",
            "safe to retry? MAYBE");
  }
}
