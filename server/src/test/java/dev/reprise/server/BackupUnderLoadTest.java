package dev.reprise.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.cli.CommandRun;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The real process is backed up under load, and killed. */
@Tag("slow")
class BackupUnderLoadTest {
  private static final int LARGE_BYTES = 60_000;

  @TempDir Path temp;
  private ServiceProcess service;
  private Load load;

  @BeforeEach
  void start() throws Exception {
    service = new ServiceProcess(temp.resolve("data"), temp.resolve("stderr"));
    service.start(Map.of());
    load = new Load(service, LARGE_BYTES);
    load.start();
  }

  @AfterEach
  void end() throws IOException {
    load.close();
    service.close();
  }

  private CommandRun.Result run(String... args) {
    return new CommandRun().with("REPRISE_URL", service.url()).execute(args);
  }

  /** The disk is lost after a backup; what was acknowledged before it arrives all the same. */
  @Test
  void nothingFromBeforeTheBackupIsLostWithTheDisk() throws Exception {
    load.awaitMoreAcknowledged(500);
    Set<Integer> before = load.acknowledgedNow();
    Path file = temp.resolve("backup.tar");
    CommandRun.Result backup = run("backup", file.toString());
    assertThat(backup.exitCode()).as("%s %s", backup.err(), service.said()).isZero();
    load.awaitMoreAcknowledged(100);
    service.kill();
    load.stop();

    Path data = temp.resolve("restored");
    CommandRun.Result restored =
        CommandRun.run("restore", file.toString(), "--data", data.toString());
    assertThat(restored.exitCode()).as(restored.err()).isZero();
    assertThat(restored.out()).endsWith("; the ledger is balanced.\n");

    try (ServiceProcess again = new ServiceProcess(data, temp.resolve("stderr-again"))) {
      again.start(Map.of());
      again.await(
          "nothing pending", () -> again.get("/v1/ledger").at("/total/pending").intValue() == 0);
      JsonNode ledger = again.get("/v1/ledger?verify=true");
      assertThat(ledger.at("/verified/agrees").booleanValue()).as("%s", ledger).isTrue();
      assertThat(ledger.at("/total/unexplained").intValue()).isZero();
      Set<Integer> missing = load.missing();
      missing.retainAll(before);
      assertThat(missing).isEmpty();
    }
  }

  @Test
  void aProcessThatIsKilledWithinABackupLeavesNothing() throws Exception {
    load.awaitMoreAcknowledged(1500);
    URI url = URI.create(service.url());
    try (Socket slow = new Socket(url.getHost(), url.getPort())) {
      slow.getOutputStream()
          .write(
              "POST /v1/backup HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
                  .getBytes(US_ASCII));
      assertThat(slow.getInputStream().readNBytes(12)).isEqualTo("HTTP/1.1 200".getBytes(US_ASCII));
      Path copy = temp.resolve("data").resolve("reprise.copy");
      assertThat(copy).isDirectory();

      service.kill();
      assertThat(copy).isDirectory();
      service.start(Map.of());
      assertThat(copy).doesNotExist();
    }
    load.awaitMoreAcknowledged(100);
    load.stop();
    load.assertNothingLost();
  }
}
