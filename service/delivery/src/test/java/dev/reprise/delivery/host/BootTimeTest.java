package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The time since the machine was started, as Linux gives it. */
class BootTimeTest {
  @TempDir Path folder;

  private long read(String text) throws IOException {
    return new BootTime(Files.writeString(folder.resolve("uptime"), text)).getAsLong();
  }

  @Test
  void theFirstNumberIsSecondsToAHundredth() throws Exception {
    assertThat(read("350735.47 234388.90\n")).isEqualTo(350_735_470);
    assertThat(read("0.05 0.00\n")).isEqualTo(50);
    assertThat(read("12\n")).isEqualTo(12_000);
  }

  @Test
  void whatCannotBeReadIsNotKnown() throws Exception {
    assertThat(read("")).isZero();
    assertThat(read("long ago\n")).isZero();
    assertThat(new BootTime(folder.resolve("none")).getAsLong()).isZero();
  }
}
