package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The whole service on a disk that fills up: a file system of 400 MiB, which only root may mount.
 */
@Tag("slow")
class FullDiskTest {
  private static final String MESSAGE = "{\"body\":\"" + "x".repeat(2000) + "\"}";

  @TempDir Path temp;
  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(temp.resolve("disk"));
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", disk.toString());
    assumeTrue(mounted, "SKIPPED: a full disk needs `mount -t tmpfs`, which needs root");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "--lazy", disk.toString());
  }

  @Test
  void publishesAreRefusedUntilTheDiskHasSpaceAgain() throws Exception {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint();
        RunningService api = RunningService.dev(disk.resolve("data"))) {
      api.subscribe("orders", "{\"endpoint\":\"" + endpoint.url() + "\"}");
      Set<String> accepted = new HashSet<>();
      accepted.add(api.publish("orders", MESSAGE));

      Path ballast = fillUntilFree(200 << 20);
      RunningService.Reply refused =
          Await.value(
              "a publish that is refused",
              () -> api.post("/v1/topics/orders/messages", MESSAGE),
              reply -> reply.status() != 202);
      assertThat(refused.status()).isEqualTo(507);
      assertThat(refused.code()).isEqualTo("storage_full");
      assertThat(refused.text())
          .containsPattern("the disk has [0-9,]+ bytes \\([0-9]+ MiB\\) left")
          .contains("268,435,456 bytes (256 MiB) of it free: ", " more needed. Free space on");
      assertThat(api.get("/health/live").status()).isEqualTo(200);

      JsonNode trouble =
          api.await(
                  "/v1/troubles",
                  list -> list.at("/troubles/0/kind").asString("").equals("disk_low"))
              .at("/troubles/0");
      assertThat(trouble.get("text").asString())
          .startsWith("Publishes are refused: storage is full: the disk has ")
          .contains(" MiB) left, and publishing leaves ", " more needed");
      assertThat(trouble.get("action").asString()).contains("--dead-letter-bytes");
      assertThat(trouble.has("since")).isTrue();
      assertThat(api.get("/health/ready").json().get("reason").asString())
          .startsWith("storage is full: the disk has ");
      assertThat(api.get("/v1/overview").json().at("/troubles/0/kind").asString())
          .isEqualTo("disk_low");

      // Not a byte left: even the outcomes of attempts cannot be written now.
      Path last = fillUntilFree(0);
      assertThat(api.post("/v1/topics/orders/messages", MESSAGE).status()).isEqualTo(507);
      assertThat(api.get("/health/live").status()).isEqualTo(200);

      Files.delete(ballast);
      Files.delete(last);
      RunningService.Reply again =
          Await.value(
              "a publish that is accepted",
              () -> api.post("/v1/topics/orders/messages", MESSAGE),
              reply -> reply.status() == 202);
      accepted.add(again.json().get("messageId").asString());
      api.await("/v1/troubles", list -> list.get("troubles").isEmpty());

      api.await("/v1/ledger", ledger -> ledger.at("/total/pending").intValue() == 0);
      JsonNode ledger = api.get("/v1/ledger?verify=true").json();
      assertThat(ledger.at("/total/unexplained").intValue()).isZero();
      assertThat(ledger.at("/verified/agrees").booleanValue()).isTrue();
      for (String message : accepted) {
        assertThat(
                api.get("/v1/deliveries?message=" + message)
                    .json()
                    .at("/items/0/status")
                    .asString())
            .isEqualTo("delivered");
      }
    }
  }

  @Test
  void operatorsHearOfADiskThatHasNoMoreThanItsReserve() throws Exception {
    try (ScriptedEndpoint ops = new ScriptedEndpoint();
        RunningService api = RunningService.dev(disk.resolve("data"))) {
      Reply made =
          api.post(
              OperatorEventsTest.OPERATOR + "/subscriptions",
              "{\"endpoint\":\"" + ops.url() + "\",\"format\":\"raw\"}");
      assertThat(made.status()).as(made.text()).isEqualTo(201);

      Path ballast = fillUntilFree(200 << 20);
      // What the store held for a moment, such as the space for its next log, it gives back.
      Await.value(
          "the post of disk.low",
          () -> {
            fillUntilFree(ballast, 200 << 20);
            return ops.posts();
          },
          all -> all.size() == 1);
      Files.delete(ballast);
      Await.value("the post of disk.recovered", ops::posts, all -> all.size() == 2);

      List<JsonNode> events =
          ops.posts().stream().map(each -> JsonMapper.shared().readTree(each.body())).toList();
      assertThat(events)
          .extracting(event -> event.get("type").asString())
          .containsExactly("disk.low", "disk.recovered");
      long reserve = events.get(0).get("reserveBytes").longValue();
      assertThat(events.get(0).get("freeBytes").longValue()).isLessThan(reserve);
      assertThat(events.get(1).get("freeBytes").longValue()).isGreaterThan(reserve);
    }
  }

  private Path fillUntilFree(long freeBytes) throws IOException {
    return fillUntilFree(Files.createTempFile(disk, "ballast", ""), freeBytes);
  }

  private Path fillUntilFree(Path ballast, long freeBytes) {
    byte[] block = new byte[64 << 10];
    try (OutputStream out = Files.newOutputStream(ballast, StandardOpenOption.APPEND)) {
      while (Files.getFileStore(disk).getUsableSpace() > freeBytes) {
        out.write(block);
      }
    } catch (IOException e) {
      if (freeBytes > 0) {
        throw new UncheckedIOException(e);
      }
    }
    return ballast;
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(5, TimeUnit.MINUTES) && process.exitValue() == 0;
  }
}
