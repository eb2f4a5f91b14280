package dev.reprise.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.Main;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.fixtures.Mosquitto;
import dev.reprise.fixtures.StartedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Real devices against a real broker, as processes that are told to end. */
@Tag("slow")
@Timeout(240)
class DeviceCommandTest {
  @TempDir private Path folder;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() {
    // They write into the folder that is deleted next.
    processes.forEach(process -> process.destroyForcibly().onExit().join());
  }

  private Path errors() {
    return folder.resolve("errors");
  }

  private Process device(String... options) throws IOException {
    List<String> device = new ArrayList<>(List.of("device", "--every", "100ms"));
    device.addAll(List.of(options));
    List<String> command =
        StartedProcess.java(StartedProcess.quick(), Main.class.getName(), device);
    Process process = new ProcessBuilder(command).redirectError(errors().toFile()).start();
    processes.add(process);
    return process;
  }

  /** Reads lines until one is as wanted. */
  private String awaitLine(BufferedReader out, Predicate<String> wanted) throws IOException {
    String line;
    while ((line = out.readLine()) != null) {
      if (wanted.test(line)) {
        return line;
      }
    }
    throw new AssertionError("the command ended before: " + Files.readString(errors()));
  }

  private JsonNode await(BufferedReader out, Predicate<JsonNode> wanted) throws IOException {
    return json(awaitLine(out, line -> wanted.test(json(line))));
  }

  private static JsonNode json(String line) {
    return new JsonMapper().readTree(line);
  }

  private static boolean isSum(JsonNode line) {
    return line.path("type").asString().equals("sum");
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static int exitCode(Process process) throws InterruptedException {
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  @Test
  void everyMessageArrivesAlthoughTheBrokerIsKilled() throws Exception {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      String url = "mqtt://127.0.0.1:" + broker.port();
      Process process = device(url, "--json", "--count", "10", "--rate", "20", "--drain", "120s");
      try (BufferedReader out = output(process)) {
        await(out, line -> line.path("acknowledged").asLong() > 100);
        broker.kill();
        JsonNode down =
            await(
                out,
                line -> line.path("retrying").asInt() == 10 && line.path("waiting").asInt() > 100);
        assertThat(down.path("reasons").size()).isPositive();
        broker.restart();
        await(out, line -> line.path("connected").asInt() == 10);
        // Process.destroy() would also close the stream that is read below.
        process.toHandle().destroy();

        JsonNode sum = await(out, DeviceCommandTest::isSum);

        assertThat(sum.path("sent").asLong()).isGreaterThan(200);
        assertThat(sum.path("acknowledged").asLong()).isEqualTo(sum.path("sent").asLong());
        assertThat(sum.path("lost").asLong()).isZero();
        assertThat(exitCode(process)).isZero();
      }
    }
  }

  @Test
  void whatIsKeptOnDiskIsSentByTheNextRun() throws Exception {
    Path queue = folder.resolve("queue");
    try (Mosquitto broker = Mosquitto.anonymous()) {
      String url = "mqtt://127.0.0.1:" + broker.port();
      broker.stop();
      CommandRun.Result offline =
          CommandRun.run(
              "device",
              url,
              "--queue",
              queue.toString(),
              "--rate",
              "50",
              "--duration",
              "1s",
              "--drain",
              "0s");
      assertThat(offline.exitCode()).as(offline.out() + offline.err()).isZero();
      assertThat(offline.out()).contains("50 sent = 0 acknowledged + 50 stored");
      broker.restart();

      CommandRun.Result online =
          CommandRun.run(
              "device",
              url,
              "--queue",
              queue.toString(),
              "--rate",
              "50",
              "--duration",
              "1s",
              "--drain",
              "120s");

      assertThat(online.exitCode()).as(online.out() + online.err()).isZero();
      assertThat(online.out())
          .contains("50 sent = 50 acknowledged\n")
          .contains("Of an earlier run: 50 messages acknowledged.\n");
    }
  }

  @Test
  void whatNobodyTookIsCancelledAndNoSuccess() throws Exception {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      String url = "mqtt://127.0.0.1:" + broker.port();
      broker.stop();

      Process process = device(url, "--rate", "20", "--drain", "200ms");
      try (BufferedReader out = output(process)) {
        awaitLine(out, line -> line.endsWith("1 network: connection-refused"));
        process.toHandle().destroy();

        String sum = awaitLine(out, line -> line.contains(" sent = "));

        assertThat(sum).matches("[1-9][0-9,]* sent = 0 acknowledged \\+ [1-9][0-9,]* cancelled");
      }
      assertThat(exitCode(process)).isEqualTo(ExitCode.FAILED);
      // A newer JVM may have words of its own before.
      assertThat(Files.readString(errors())).contains("Stopping: waits up to 200 ms for what");
    }
  }

  @Test
  void devicesThatAreRefusedEndTheRun() throws Exception {
    try (Mosquitto broker = Mosquitto.configure().user("pump", "right").start()) {
      CommandRun.Result result =
          CommandRun.run("device", "mqtt://pump:wrong@127.0.0.1:" + broker.port());

      assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(result.out()).contains("1 credential: ").doesNotContain("wrong");
      assertThat(result.err()).isEqualTo("reprise: every device has given up\n");
    }
  }

  @Test
  void devicesThatSendNothingMustBeConnected() throws Exception {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      String url = "mqtt://127.0.0.1:" + broker.port();
      Process process = device(url, "--json", "--rate", "0");
      try (BufferedReader out = output(process)) {
        await(out, line -> line.path("connected").asInt() == 1);
        process.toHandle().destroy();
        assertThat(await(out, DeviceCommandTest::isSum).path("sent").asLong()).isZero();
      }
      assertThat(exitCode(process)).isZero();

      broker.stop();

      CommandRun.Result alone = CommandRun.run("device", url, "--rate", "0", "--duration", "500ms");
      assertThat(alone.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(alone.err()).isEqualTo("reprise: no device is connected\n");
    }
  }
}
