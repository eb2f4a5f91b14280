package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power fails under load, again and again: of what was written and not synced, each piece of 4
 * KiB is there or is not ({@code powerloss.c}). Whatever was acknowledged must arrive.
 */
@Tag("slow")
class PowerLossTest {
  private static final int CUTS = Integer.getInteger("reprise.cuts", 5);

  /** Printed, and drawn anew by {@code -Dreprise.seed=N}. */
  private static final long SEED = Long.getLong("reprise.seed", 11);

  @TempDir Path data;
  @TempDir Path temp;
  private Path library;
  private ServiceProcess service;
  private Load load;

  @BeforeEach
  void compile() throws Exception {
    library = Shim.compile("powerloss", temp);
    service = new ServiceProcess(data, temp.resolve("stderr"));
    load = new Load(service, 60_000);
  }

  @AfterEach
  void end() throws Exception {
    if (load != null) {
      load.close();
    }
    if (service != null) {
      service.close();
    }
  }

  private Map<String, String> environment(long seed, String sync) {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "REPRISE_POWER_SEED", Long.toString(seed),
        "REPRISE_POWER_SYNC", sync);
  }

  @Test
  void losesNothingThatItHasAcknowledged() throws Exception {
    System.out.println("seed " + SEED);
    service.start(environment(SEED, "kept"));
    load.start();
    for (int cut = 1; cut <= CUTS; cut++) {
      load.awaitMoreAcknowledged(300);
      service.kill();
      service.start(environment(SEED + cut, "kept"));
    }
    load.awaitMoreAcknowledged(50);
    load.stop();
    load.assertNothingLost();
    System.out.printf(
        "%d power cuts, %d messages acknowledged, 0 lost%n", CUTS, load.acknowledged());
  }

  /** Without syncs the same test must fail, or it would prove nothing. */
  @Test
  void aStoreWhoseSyncsAreIgnoredIsFoundBroken() throws Exception {
    service.start(environment(SEED, "ignored"));
    load.start();
    load.awaitMoreAcknowledged(300);
    service.kill();
    service.launch(Map.of());

    assertThat(service.awaitExit()).isEqualTo(8);
    assertThat(service.log()).contains("data folder " + data + " is damaged");
  }
}
