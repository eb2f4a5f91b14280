package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The real process is backed up under load, and killed. */
@Tag("slow")
class BackupUnderLoadTest {
  private static final int LARGE_BYTES = 60_000;
  private static final int HELD = 200;

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

  /**
   * Holds more than the buffers of a connection take, so that a backup ends only when it is read.
   *
   * @return the id of the subscription that holds it
   */
  private String fill() throws Exception {
    service.send("PUT", "/v1/topics/held", "{}");
    String subscription =
        service.send(
            "POST",
            "/v1/topics/held/subscriptions",
            "{\"endpoint\":\"http://127.0.0.1:9/\",\"startSuspended\":true}");
    Random random = new Random(1);
    byte[] body = new byte[150_000];
    for (int i = 0; i < HELD; i++) {
      random.nextBytes(body);
      service.send(
          "POST",
          "/v1/topics/held/messages",
          "{\"bodyBase64\":\"%s\"}".formatted(Base64.getEncoder().encodeToString(body)));
    }
    return JsonMapper.shared().readTree(subscription).get("id").asString();
  }

  @Test
  void aProcessThatIsKilledWithinABackupLeavesNothing() throws Exception {
    String held = fill();
    load.awaitMoreAcknowledged(100);
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
    service.send("DELETE", "/v1/subscriptions/" + held, "");
    load.awaitMoreAcknowledged(100);
    load.stop();
    load.assertNothingLost();
  }
}
