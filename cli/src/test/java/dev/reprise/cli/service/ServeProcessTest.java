package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.Main;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.fixtures.StartedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service as a process of its own: what it prints, and how it ends when it is told to. */
@Tag("slow")
class ServeProcessTest {
  @TempDir private Path folder;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() {
    // They write into the folder that is deleted next.
    processes.forEach(process -> process.destroyForcibly().onExit().join());
  }

  private Process serve(String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("--port", "0", "--data", folder.toString()));
    all.addAll(List.of(options));
    return serve(Map.of(), all);
  }

  private Process serve(Map<String, String> variables, List<String> options) throws IOException {
    List<String> serve = new ArrayList<>(List.of("serve"));
    serve.addAll(options);
    ProcessBuilder builder =
        new ProcessBuilder(
            StartedProcess.java(StartedProcess.quick(), Main.class.getName(), serve));
    builder.environment().putAll(variables);
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  @Test
  @Timeout(240)
  void showsItsFirstKeyOnceAndStopsInOrder() throws Exception {
    Process first = serve("--json");
    String key;
    try (BufferedReader out = reader(first.getInputStream())) {
      JsonNode said = new JsonMapper().readTree(out.readLine());
      String url = said.path("url").asString();
      key = said.path("firstKey").asString();
      assertThat(new CommandRun().with("REPRISE_URL", url).execute("topic", "list").exitCode())
          .isEqualTo(ExitCode.REFUSED);
      assertThat(
              new CommandRun()
                  .with("REPRISE_URL", url)
                  .with("REPRISE_KEY", key)
                  .execute("topic", "create", "orders")
                  .exitCode())
          .isZero();
    }
    assertStopsInOrder(first);

    Process second = serve("--json");
    try (BufferedReader out = reader(second.getInputStream())) {
      JsonNode said = new JsonMapper().readTree(out.readLine());
      assertThat(said.has("firstKey")).isFalse();
      assertThat(
              new CommandRun()
                  .with("REPRISE_URL", said.path("url").asString())
                  .with("REPRISE_KEY", key)
                  .execute("topic", "show", "orders")
                  .exitCode())
          .isZero();
    }
    assertStopsInOrder(second);
  }

  @Test
  @Timeout(240)
  void itsKeyIsNotWrittenWhereALogIsKept() throws Exception {
    Process service = serve("--public-url", "https://Reprise.example/path");
    try (BufferedReader out = reader(service.getInputStream())) {
      String said = "";
      String line = "";
      while (!line.startsWith("Elsewhere: ")) {
        line = out.readLine();
        assertThat(line).as(said).isNotNull();
        said += line + "\n";
      }
      assertThat(said).containsPattern("console +https://reprise.example/path/,");
      Path file = folder.resolve("first-api-key");
      assertThat(said).doesNotContain("rk_").contains("REPRISE_KEY=$(cat " + file + ")");
      assertThat(Files.readString(file)).startsWith("rk_");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      String url = said.replaceAll("(?s).*REPRISE_URL=([^;]*);.*", "$1");
      assertThat(
              new CommandRun()
                  .with("REPRISE_URL", url)
                  .execute("topic", "list", "--api-key-file", file.toString())
                  .exitCode())
          .isZero();
    }
    assertStopsInOrder(service);
  }

  private static String elsewhere(Process service) throws IOException {
    BufferedReader out = reader(service.getInputStream());
    String line = "";
    while (!line.startsWith("Elsewhere: ")) {
      line = out.readLine();
      assertThat(line).isNotNull();
    }
    return line;
  }

  @Test
  @Timeout(240)
  void aLaterStartNamesTheKeyThatIsInTheFolder() throws Exception {
    Process first = serve();
    assertThat(elsewhere(first)).contains("REPRISE_KEY=$(cat ");
    assertStopsInOrder(first);
    Path file = folder.resolve("first-api-key");

    Process second = serve();
    assertThat(elsewhere(second))
        .contains("export REPRISE_KEY=$(cat " + file + "); ./reprise topic list");
    assertStopsInOrder(second);
    // As after that key was revoked.
    Files.writeString(file, Files.readString(file).replace("rk_", "rk_0"));

    Process third = serve();
    assertThat(elsewhere(third))
        .contains("export REPRISE_KEY=KEY; ./reprise topic list")
        .contains("serve --new-key makes another");
    assertStopsInOrder(third);
  }

  @Test
  @Timeout(240)
  void aFileAndVariablesAreEnough() throws Exception {
    Path file = folder.resolve("reprise.yaml");
    Files.writeString(
        file,
        "data: store\nport: 1\ndev: true\nshards: 1\ngrace: 1h\npublic-url: https://a.example\n");
    Process service =
        serve(
            Map.of("REPRISE_CONFIG", file.toString(), "REPRISE_PORT", "0", "REPRISE_GRACE", "10s"),
            List.of("--json"));
    try (BufferedReader out = reader(service.getInputStream())) {
      JsonNode said = new JsonMapper().readTree(out.readLine());
      assertThat(said.path("data").asString()).isEqualTo(folder.resolve("store").toString());
      assertThat(said.path("url").asString()).doesNotEndWith(":1");
      assertThat(said.path("publicUrl").asString()).isEqualTo("https://a.example/");
      assertThat(said.has("firstKey")).as("a service with dev makes no key").isFalse();
      assertThat(
              new CommandRun()
                  .with("REPRISE_URL", said.path("url").asString())
                  .execute("topic", "create", "orders")
                  .exitCode())
          .isZero();
    }
    assertStopsInOrder(service);
  }

  private static void assertStopsInOrder(Process process) throws Exception {
    // Process.destroy() would also close the stream that is read below.
    process.toHandle().destroy();
    String errors;
    try (BufferedReader err = reader(process.getErrorStream())) {
      errors = err.lines().collect(Collectors.joining("\n"));
    }
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(errors).isZero();
    assertThat(errors)
        .contains("Stopping: waits up to 10 s for attempts under way")
        .contains("Stopped.");
  }

  private static BufferedReader reader(InputStream stream) {
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
  }
}
