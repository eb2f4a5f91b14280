package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Backups as clients ask for them, those that go away and those that may not. */
@Tag("slow")
class BackupApiTest {
  /** More than the buffers of a connection hold. */
  private static final int MESSAGES = 250;

  private static final String MESSAGE = "{\"bodyBase64\":\"%s\"}";

  @TempDir Path folder;
  private RunningService api;
  private Path copy;

  @BeforeEach
  void start() {
    api = RunningService.withKeys(folder, "127.0.0.0/8");
    copy = folder.resolve("reprise.copy");
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private void fill() {
    api.subscribe("t", "{\"endpoint\":\"http://127.0.0.1:9/\",\"startSuspended\":true}");
    Random random = new Random(1);
    byte[] body = new byte[150_000];
    for (int i = 0; i < MESSAGES; i++) {
      random.nextBytes(body);
      api.publish("t", MESSAGE.formatted(Base64.getEncoder().encodeToString(body)));
    }
  }

  /** Begins a backup and reads the beginning of it. */
  private Socket begin() throws IOException {
    URI url = URI.create(api.service.baseUrl());
    Socket socket = new Socket(url.getHost(), url.getPort());
    String request =
        "POST /v1/backup HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
            + api.service.firstKey().orElseThrow()
            + "\r\nContent-Length: 0\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    String head = new String(socket.getInputStream().readNBytes(12), US_ASCII);
    assertThat(head).isEqualTo("HTTP/1.1 200");
    return socket;
  }

  private void awaitFree() {
    Await.value("the copy is there", () -> Files.exists(copy), exists -> !exists);
    Reply next =
        Await.value(
            "the next backup", () -> send("POST", "/v1/backup"), reply -> reply.status() != 409);
    assertThat(next.status()).isEqualTo(200);
    assertThat(next.header("Content-Type")).isEqualTo("application/x-tar");
    assertThat(next.header("Content-Disposition"))
        .matches("attachment; filename=\"reprise-\\d{8}T\\d{6}Z\\.tar\"");
  }

  private Reply send(String method, String path, String... headers) {
    return api.send(method, path, null, "", headers);
  }

  @Test
  void oneAtATimeAndAClientThatGoesGivesItFree() throws Exception {
    fill();
    try (Socket socket = begin()) {
      assertThat(copy).isDirectory();
      Reply second = send("POST", "/v1/backup");
      assertThat(second.status()).isEqualTo(409);
      assertThat(second.message())
          .isEqualTo("a backup is being taken already: wait until it has ended");
      // Deliveries and publishes notice nothing.
      api.publish("t", "{\"body\":1}");
      socket.setSoLinger(true, 0);
    }
    awaitFree();
  }

  @Test
  void whoHasTheLastByteMayAskForTheNextAtOnce() {
    for (int i = 0; i < 50; i++) {
      assertThat(send("POST", "/v1/backup").status()).as("backup %s", i).isEqualTo(200);
    }
  }

  @Test
  void aStopDoesNotWaitForIt() throws Exception {
    fill();
    try (Socket socket = begin()) {
      api.close();

      assertThat(copy).doesNotExist();
      // It ends before it is whole, which a client sees.
      long bytes;
      try {
        bytes = socket.getInputStream().readAllBytes().length;
      } catch (IOException e) {
        bytes = 0;
      }
      assertThat(bytes).isLessThan(MESSAGES * 150_000L);
    }
  }

  @Test
  void operatorsAloneMayAndItIsRecorded() {
    for (String scopes : new String[] {"[\"publish\",\"read\"]", "[\"manage\"]"}) {
      boolean operator = scopes.contains("read");
      Reply made =
          api.post(
              "/v1/keys",
              "{\"name\":\"k\",\"scopes\":"
                  + scopes
                  + (operator ? "" : ",\"project\":\"default\"")
                  + "}");
      Reply refused =
          send(
              "POST", "/v1/backup", "Authorization", "Bearer " + made.json().get("key").asString());
      assertThat(refused.status()).isEqualTo(403);
    }
    assertThat(send("POST", "/v1/backup", "Authorization", "Bearer x").status()).isEqualTo(401);
    assertThat(send("GET", "/v1/backup").status()).isEqualTo(405);
    assertThat(send("POST", "/v1/backup?all=1").status()).isEqualTo(400);
    assertThat(copy).doesNotExist();

    assertThat(send("POST", "/v1/backup").status()).isEqualTo(200);

    JsonNode audit = api.get("/v1/audit?operation=createBackup").json().get("items");
    assertThat(audit).hasSize(1);
    assertThat(audit.at("/0/outcome").asString()).isEqualTo("done");
  }
}
