package dev.reprise.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.server.serve.Service;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Salvaging the data folder of a real service, and starting another one on the result. */
class SalvageCommandTest {
  private static final int MESSAGES = 8;

  @TempDir Path folder;

  private static CommandRun.Result run(Service service, String... args) {
    return new CommandRun().with("REPRISE_URL", service.baseUrl()).execute(args);
  }

  private static CommandRun.Result run(Path from, Path to, String... more) {
    String[] args =
        Stream.concat(
                Stream.of("salvage", "--data", from.toString(), "--to", to.toString()),
                Stream.of(more))
            .toArray(String[]::new);
    return new CommandRun().execute(args);
  }

  /** A folder with pending deliveries, in a table. */
  private Path data() {
    Path data = folder.resolve("data");
    try (Service service = DevService.start(data)) {
      run(service, "topic", "create", "orders");
      run(service, "subscribe", "orders", "http://127.0.0.1:9/hook", "--suspended");
      for (int i = 0; i < MESSAGES; i++) {
        // So large that not all is in one block.
        run(service, "publish", "orders", UUID.randomUUID() + " ".repeat(5000));
      }
    }
    // A start moves what is in the log to a table.
    DevService.start(data).close();
    return data;
  }

  private static void damage(Path data, double where) throws IOException {
    List<Path> tables;
    try (Stream<Path> files = Files.list(data)) {
      tables = files.filter(file -> file.toString().endsWith(".sst")).toList();
    }
    assertThat(tables).isNotEmpty();
    for (Path table : tables) {
      try (RandomAccessFile file = new RandomAccessFile(table.toFile(), "rw")) {
        long offset = (long) (where * Files.size(table));
        file.seek(offset);
        int before = file.read();
        file.seek(offset);
        file.write(before ^ 0xff);
      }
    }
  }

  @Test
  void aWholeFolderIsCopied() {
    Path data = data();
    Path made = folder.resolve("made");

    CommandRun.Result result = run(data, made, "--json");

    assertThat(result.exitCode()).as(result.err()).isZero();
    JsonNode told = JsonMapper.shared().readTree(result.out());
    assertThat(told.get("damages")).isEmpty();
    assertThat(told.get("pending").asInt()).isEqualTo(MESSAGES);
    assertThat(told.get("agrees").asBoolean()).isTrue();
    try (Service service = DevService.start(made)) {
      assertThat(run(service, "ledger").out()).contains("" + MESSAGES);
    }
  }

  @Test
  void damageIsToldAndTheServiceStartsOnTheRest() throws IOException {
    Path data = data();
    damage(data, 0.01);
    Path made = folder.resolve("made");

    CommandRun.Result result = run(data, made);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("Damaged: ", ".sst", "a block of data is damaged");
    assertThat(result.out()).contains("is suspended: salvage: ").contains("Salvaged ");
    try (Service service = DevService.start(made)) {
      assertThat(run(service, "ledger", "--verify").exitCode()).isZero();
    }
  }

  @Test
  void aServiceOnADamagedFolderNamesSalvage() throws IOException {
    Path data = data();
    damage(data, 0.01);

    CommandRun.Result result =
        new CommandRun().execute("serve", "--dev", "--port", "0", "--data", data.toString());

    assertThat(result.exitCode()).isEqualTo(ExitCode.DAMAGED);
    assertThat(result.err())
        .contains("is damaged")
        .contains("./reprise salvage --data " + data + " --to NEW_FOLDER");
  }

  @Test
  void whatIsThereIsNotOverwritten() throws IOException {
    Path data = data();
    Files.createDirectory(folder.resolve("made"));
    CommandRun.Result result = run(data, folder.resolve("made"));
    assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err()).contains("made exists: choose another one");
    try (Service service = DevService.start(data)) {
      assertThat(service.failure()).isNull();
      assertThat(run(data, folder.resolve("other")).err()).contains("is in use");
    }
  }
}
